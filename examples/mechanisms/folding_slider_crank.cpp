#include <cmath>

#include <sunlagrange/elements/planar/prismatic.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "mechanisms/mechanism.hpp"

/// Slider-crank whose crank and rod are equally long and coincide when they are vertical: the singular configuration
/// that the source paper [000] names as its motive.
///
///          C                                crank O-C and rod C-S: uniform, 1 m, 1 kg; slider S: 1 kg, on the x axis
///        .' `.                              lies on a table: no gravity
///      .'     `.                            branch of this motion: slider at x = 2 cos(theta), rod at angle -theta
///    O ---------[S]---  x                   other branch: slider rests at O, crank and rod turn together
///
/// At theta = pi/2 (first at t = 0.965 s) the slider passes O and the branches cross: G loses one rank there and at
/// every further half turn. Bodies (x, y, angle) of crank, rod, slider: n = 9, m = 8, one degree of freedom. Start:
/// theta = pi/4, theta' = 1 rad/s. Default end: 2 s, past one singular position. Reference: energy, theta' = 1
/// sqrt(J(pi/4) / J(theta)) with J = 2/3 + 6 sin^2 theta [kg m^2]; the time by quadrature, solved for theta.
namespace sunlagrange::mechanisms {
namespace {

constexpr double start_rate = 1.0;  // [rad/s]

double inertia(double theta) {
  const double s = std::sin(theta);
  return 2.0 / 3.0 + 6.0 * s * s;
}

double rate(double theta) {
  return start_rate * std::sqrt(inertia(std::atan(1.0)) / inertia(theta));
}

/// Time from one angle to another: Simpson's rule, 1/theta' is analytic; pieces short enough for rounding.
double duration(double from, double to) {
  const int pieces = 2000 + 4000 * static_cast<int>(std::abs(to - from));
  const double half = 0.5 * (to - from) / pieces;
  double sum = 0.0;
  for (int k = 0; k < pieces; ++k) {
    const double left = from + 2.0 * k * half;
    sum += 1.0 / rate(left) + 4.0 / rate(left + half) + 1.0 / rate(left + 2.0 * half);
  }
  return sum * half / 3.0;
}

/// Newton's iteration on duration(pi/4, theta) = t.
double angle_at(double t) {
  const double start = std::atan(1.0);
  double theta = start + 0.5 * t * start_rate;
  for (int k = 0; k < 60; ++k) {
    const double correction = (t - duration(start, theta)) * rate(theta);
    theta += correction;
    if (std::abs(correction) < 1e-15 * (1.0 + std::abs(theta))) break;
  }
  return theta;
}

ReferenceState exact_state(double t) {
  const double theta = angle_at(t);
  const double w = rate(theta);
  const double c = std::cos(theta);
  const double s = std::sin(theta);
  ReferenceState state{Eigen::VectorXd(9), Eigen::VectorXd(9), {}};
  state.q << 0.5 * c, 0.5 * s, theta, 1.5 * c, 0.5 * s, -theta, 2.0 * c, 0.0, 0.0;
  state.v << -0.5 * s * w, 0.5 * c * w, w, -1.5 * s * w, 0.5 * c * w, -w, -2.0 * s * w, 0.0, 0.0;
  return state;
}

Mechanism make(int) {
  Assembly assembly;
  const Block crank = assembly.add_coordinates("crank", BlockKind::planar_body);
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  const Block slider = assembly.add_coordinates("slider", BlockKind::planar_body);
  assembly.add("crank inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {crank});
  assembly.add("rod inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {rod});
  assembly.add("slider inertia", PlanarRigidBody{1.0, 0.1}, {slider});
  assembly.add("pin O", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {crank});
  assembly.add("pin C", Revolute{0.5, 0.0, -0.5, 0.0}, {crank, rod});
  assembly.add("pin S", Revolute{0.5, 0.0, 0.0, 0.0}, {rod, slider});
  assembly.add("guide", PrismaticToGround{}, {slider});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  const ReferenceState start = exact_state(0.0);
  mechanism.start.q = start.q;
  mechanism.start.v = start.v;
  mechanism.t_end = 2.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "energy and quadrature, on the branch of the moving slider, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_folding_slider_crank() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
