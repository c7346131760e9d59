#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/network/source.hpp>

#include "mechanisms/quadrature.hpp"
#include "mechanisms/variable_rod.hpp"

/// Rod with variable inertia, d(J w)/dt + m(phi, w, t) = M [003, introduction]: variable_rod.hpp has drawing and model.
///
/// J0 = 0.5 kg m^2, m = 1.2 kg, r = 0.8 m + 0.3 m sin(1.7 t), beta = 0.6 1/s, M = 2 N m + 1.5 N m sin(2.3 t). n = 2, m
/// = 1: the programme of the sleeve, r - r(t) = 0 [m]; its drive works, and so do M and the resistance. Start at t = 0:
/// phi = 0, w = 1 rad/s. Reference: p = J w obeys p' + beta p = M(t), which has a closed form; w = p / J(t), phi by
/// quadrature to rounding, lambda = -m (r'' - r w^2).
namespace sunlagrange::mechanisms {
namespace {

constexpr double M0 = 2.0, M1 = 1.5, w_M = 2.3, start_speed = 1.0;

ReferenceState exact_state(double t) {
  const VariableRod rod;
  const SleeveMotion sleeve;
  const auto speed = [&](double time) {
    const auto particular = [&](double x) {  // of p' + beta p = M(t)
      return M0 / rod.beta +
             M1 * (rod.beta * std::sin(w_M * x) - w_M * std::cos(w_M * x)) / (rod.beta * rod.beta + w_M * w_M);
    };
    const double p0 = rod.inertia(sleeve(0.0)) * start_speed;
    const double p = particular(time) + (p0 - particular(0.0)) * std::exp(-rod.beta * time);
    return p / rod.inertia(sleeve(time));
  };
  ReferenceState s;
  const double r = sleeve(t), w = speed(t);
  s.q = Eigen::Vector2d(integral_from_zero(speed, t, 0.05), r);
  s.v = Eigen::Vector2d(w, sleeve.velocity(t));
  s.lambda = Eigen::VectorXd::Constant(1, -rod.m * (sleeve.acceleration(t) - r * w * w));
  return s;
}

Mechanism make(int) {
  Assembly assembly;
  const Block phi = assembly.add_coordinates("phi", BlockKind::rotation);
  const Block r = assembly.add_coordinates("r", BlockKind::translation);
  assembly.add("rod", VariableRod{}, {phi, r});
  assembly.add("sleeve", PrescribedCoordinate<SleeveMotion>{}, {r});
  assembly.add("torque", EffortSource<BlockKind::rotation>{{M0, M1, w_M, 0.0}}, {phi});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  const ReferenceState start = exact_state(0.0);
  mechanism.start = {0.0, start.q, start.v};
  mechanism.t_end = 6.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "closed form and a quadrature, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_rod_variable_inertia() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
