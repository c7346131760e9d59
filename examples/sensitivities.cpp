#include <iostream>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// Functional of a motion: the mean height and a penalty for speed at the end.
struct HeightAndSpeed {
  double duration = 1.0;
  template <class T>
  T running(double, View<const T> q, View<const T>) const {
    return q[1] / duration;
  }
  template <class T>
  T terminal(double, View<const T>, View<const T> v) const {
    return 0.1 * (v[0] * v[0] + v[1] * v[1]);
  }
};

/// Derivatives of the end of a pendulum's motion with respect to its rod, its weight and its start.
int main() try {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const auto system = assembly.build();
  for (const SystemParameter& p : system_parameters(*system))
    std::cout << p.name << " = " << p.value << " " << p.unit << ": " << p.meaning << "\n";

  SimulationOptions options;
  options.t_end = 2.0;
  options.rtol = options.atol = 1e-8;
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "mass.m"};
  wanted.start_velocities = {"bob.y"};
  InitialState start;
  start.q = Eigen::Vector2d(1.0, 0.0);
  const Sensitivities found = sensitivities(system, start, options, wanted);
  if (!found.status.finished()) {
    std::cerr << found.status.message << "\n";
    return 1;
  }
  const SensitivityPoint& end = found.points.back();
  for (std::size_t i = 0; i < found.parameters.size(); ++i)
    std::cout << "d(x, y)/d(" << found.parameters[i].name
              << ") = " << end.q.col(static_cast<Eigen::Index>(i)).transpose() << "\n";

  const double change = 1e-3;  // a longer rod, integrated anew from the start that follows it
  InitialState moved = start;
  moved.q += change * found.points.front().q.col(0);
  const Simulation longer = simulate(with_parameters(system, {{"rod.L", 1.0 + change}}), moved, options);
  const Eigen::VectorXd moved_by = longer.trajectory.q(longer.trajectory.size() - 1) - end.state.q;
  std::cout << "a rod longer by 1 mm moves the end by " << moved_by.transpose() << " m, predicted "
            << change * end.q.col(0).transpose() << " m\n";
  GradientOptions by_all;  // one number by everything there is: one run back instead of one set of equations for each
  for (const SystemParameter& p : system_parameters(*system)) by_all.parameters.push_back(p.name);
  const Gradient price = gradient(system, start, options, make_functional(HeightAndSpeed{options.t_end}), by_all);
  if (!price.status.finished()) {
    std::cerr << price.status.message << "\n";
    return 1;
  }
  std::cout << "mean height and speed cost " << price.value << "\n";
  for (std::size_t i = 0; i < price.parameters.size(); ++i)
    std::cout << "  by " << price.parameters[i].name << ": " << price.gradient[static_cast<Eigen::Index>(i)] << "\n";
  return (moved_by - change * end.q.col(0)).norm() < 1e-4 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
