// A pendulum swings against a stop and bounces off with restitution e: each impact leaves e^2 of the kinetic energy. A
// second run with a contact shows the same stop where gravity presses the bob on: there it comes to rest.

#include <cmath>
#include <cstdio>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// The bob must stay on one side of the line through the pivot at `angle` from the downward vertical [rad]: gap [m].
struct AngularStop {
  double angle = 0.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = std::cos(angle) * q[0] + std::sin(angle) * q[1];
  }
};

static Simulation swing(double angle, const Event& event) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("stop", AngularStop{angle}, {bob});
  SimulationOptions options;
  options.t_end = 5.0;
  options.events = {event};  // the stop is switched off until it is touched
  return simulate(assembly.build(), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
}

int main() {
  const double e = 0.7;
  const Simulation bouncing = swing(-0.3, impact_event("stop", e));
  bool good = bouncing.status.finished();
  std::printf("stop at -0.3 rad, e^2 = %.4f\n", e * e);
  for (const EventRecord& event : bouncing.report.events) {
    const double ratio = event.kinetic_energy_after / event.kinetic_energy_before;
    std::printf("  t = %.6f s  kinetic energy after / before = %.12f\n", event.t, ratio);
    good = good && std::abs(ratio - e * e) < 1e-9;
  }

  const Simulation resting = swing(0.3, unilateral_contact("stop", e));
  const std::size_t last = resting.trajectory.size() - 1;
  std::printf("stop at +0.3 rad: %zu events, at rest at t = %.4f s, the stop pushes with %.6f N\n",
              resting.report.events.size(), resting.report.events.back().t, -resting.trajectory.lambda(last)[1]);
  good = good && resting.status.finished() && resting.trajectory.v(last).norm() < 1e-9 &&
         std::abs(resting.trajectory.lambda(last)[1] + 9.81 * std::sin(0.3)) < 1e-6;
  return good ? 0 : 1;
}
