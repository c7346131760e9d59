// A pendulum bounces off a stop: derivatives of its impact times and of the end of its motion with respect to the rod,
// the position of the stop and the restitution. The prediction is compared with a run of a longer rod.

#include <cmath>
#include <cstdio>

#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// The bob must stay on one side of the line through the pivot at `angle` from the downward vertical: gap [m].
struct MovableStop {
  double angle = -0.3;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  void describe_parameters(Parameters& p) { p.finite("angle", angle, "rad", "from the downward vertical"); }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = std::cos(angle) * q[0] + std::sin(angle) * q[1];
  }
};

int main() try {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("stop", MovableStop{}, {bob});
  const auto system = assembly.build();
  InitialState start;
  start.q = Eigen::Vector2d(1.0, 0.0);

  const double e = 0.7;
  SimulationOptions options;
  options.t_end = 3.0;
  options.rtol = options.atol = 1e-9;
  options.events = {impact_event("stop", e)};
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "stop.angle"};
  wanted.event_parameters = {
      {"restitution", e, [](double value) { return std::vector<Event>{impact_event("stop", value)}; }, "1"}};
  const Sensitivities found = sensitivities(system, start, options, wanted);
  if (!found.status.finished()) {
    std::fprintf(stderr, "%s\n", found.status.message.c_str());
    return 1;
  }
  for (const EventSensitivity& impact : found.events)
    std::printf("impact at t = %.6f s: dt/dL = %.4f s/m, dt/dangle = %.4f s/rad, dt/de = %.4f s\n", impact.t,
                impact.dt[0], impact.dt[1], impact.dt[2]);
  const SensitivityPoint& end = found.points.back();
  for (Eigen::Index i = 0; i < 3; ++i)
    std::printf("d(x, y)/d(%s) = (%.4f, %.4f)\n", found.parameters[static_cast<std::size_t>(i)].name.c_str(),
                end.q(0, i), end.q(1, i));

  const double change = 1e-4;  // a longer rod, from the start that follows it
  InitialState moved = start;
  moved.q += change * found.points.front().q.col(0);
  const Simulation longer = simulate(with_parameters(system, {{"rod.L", 1.0 + change}}), moved, options);
  const double later = longer.report.events.back().t - found.events.back().t;
  const Eigen::VectorXd moved_by = longer.trajectory.q(longer.trajectory.size() - 1) - end.state.q;
  std::printf(
      "a rod longer by 0.1 mm: last impact %.4g s later, predicted %.4g s; end moved by (%.4g, %.4g) m, "
      "predicted (%.4g, %.4g) m\n",
      later, change * found.events.back().dt[0], moved_by[0], moved_by[1], change * end.q(0, 0), change * end.q(1, 0));
  const bool good =
      std::abs(later - change * found.events.back().dt[0]) < 1e-7 && (moved_by - change * end.q.col(0)).norm() < 1e-6;
  return good ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
