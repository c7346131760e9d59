#include <sunlagrange/elements/coordinate/prescribed.hpp>

#include "mechanisms/variable_rod.hpp"

/// Control along a programme [001; 003, introduction]: the joint with variable inertia of variable_rod.hpp is to move
/// as phi = 1.2 rad (1 - cos(0.9 t)) while the sleeve slides as r = 0.8 m + 0.3 m sin(1.7 t). The programmes are
/// constraints, their multipliers the controls: torque at the hinge -lambda_1, force on the sleeve -lambda_2.
///
/// n = m = 2: nothing is left free, the run computes the controls. Gains then say how deviations are to decay.
/// Reference: torque (J w)' + beta J w, force m (r'' - r w^2) along the programme, closed form.
namespace sunlagrange::mechanisms {
namespace {

struct AngleProgram {
  double amplitude = 1.2;  ///< [rad]
  double rate = 0.9;       ///< [rad/s]

  template <class T>
  T operator()(const T& t) const {
    using std::cos;
    return amplitude * (1.0 - cos(rate * t));
  }
  double velocity(double t) const { return amplitude * rate * std::sin(rate * t); }
  double acceleration(double t) const { return amplitude * rate * rate * std::cos(rate * t); }
};

ReferenceState exact_state(double t) {
  const VariableRod rod;
  const SleeveMotion sleeve;
  const AngleProgram angle;
  const double r = sleeve(t), r_dot = sleeve.velocity(t), w = angle.velocity(t);
  const double J = rod.inertia(r), J_dot = 2.0 * rod.m * r * r_dot;
  ReferenceState s;
  s.q = Eigen::Vector2d(angle(t), r);
  s.v = Eigen::Vector2d(w, r_dot);
  s.lambda = -Eigen::Vector2d(J * angle.acceleration(t) + J_dot * w + rod.beta * J * w,
                              rod.m * (sleeve.acceleration(t) - r * w * w));
  return s;
}

Mechanism make(int) {
  Assembly assembly;
  const Block phi = assembly.add_coordinates("phi", BlockKind::rotation);
  const Block r = assembly.add_coordinates("r", BlockKind::translation);
  assembly.add("rod", VariableRod{}, {phi, r});
  assembly.add("torque", PrescribedCoordinate<AngleProgram>{}, {phi});
  assembly.add("sleeve", PrescribedCoordinate<SleeveMotion>{}, {r});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  const ReferenceState start = exact_state(0.0);
  mechanism.start = {0.0, start.q, start.v};
  mechanism.t_end = 6.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "closed form at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_program_control() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
