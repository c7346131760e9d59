// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Systems with walls, and the methods that must all get past them.
namespace sunlagrange::test {

constexpr double gravity = 9.81;  // m/s^2

/// Distance from the line through the origin at `angle` from the downward vertical; 0: x >= 0, pi/2: y >= 0.
struct Wall {
  double angle = 0.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = std::cos(angle) * q[0] + std::sin(angle) * q[1];
  }
};

inline std::shared_ptr<const MechanicalSystem> pendulum(double stop) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {bob});
  assembly.add("stop", Wall{stop}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  return assembly.build();
}

/// Lift rises with time: (0, lift t) newton.
struct Lift {
  double lift = 0.0;
  static constexpr int num_positions = 2;
  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[1] = lift * t;
  }
};

inline std::shared_ptr<const MechanicalSystem> ball(double slope = 0.5 * M_PI, double lift = 0.0) {
  Assembly assembly;
  const Block ball = assembly.add_coordinates("ball", 2);
  assembly.add("mass", PointMass{1.0}, {ball});
  assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {ball});
  if (lift != 0.0) assembly.add("lift", Lift{lift}, {ball});
  assembly.add("floor", Wall{slope}, {ball});
  return assembly.build();
}
struct Method {
  std::string formulation, integrator;
  double accuracy = 1.0;  // errors allowed, relative to those of the others
};

inline std::ostream& operator<<(std::ostream& out, const Method& m) {
  return out << m.formulation << " " << m.integrator;
}

inline const std::vector<Method> methods = {
    {"baumgarte", "cvode_bdf"},
    {"baumgarte", "cvode_adams"},
    {"baumgarte", "dopri5"},
    {"baumgarte", "radau"},
    {"projected", "cvode_bdf"},
    {"projected", "dopri5"},
    {"projected", "radau"},
    {"coordinate_partitioning", "cvode_bdf"},
    {"coordinate_partitioning", "cvode_adams"},
    {"coordinate_partitioning", "dopri5"},
    {"coordinate_partitioning", "radau"},
    {"penalty", "cvode_bdf", 5.0},  // soft
    {"augmented_lagrangian", "cvode_bdf"},
    {"extended_lagrangian", "cvode_bdf", 5.0},  // soft
    {"index1", "ida"},
    {"index1", "radau"},
    {"index2", "ida"},
    {"index2", "radau"},
    {"ggl", "ida"},
    {"ggl", "radau"},
    {"stabilized_index1", "ida"},
    {"stabilized_index1", "radau"},
    {"index3", "ida", 100.0},  // finished, not accurate
};

inline SimulationOptions options_of(const Method& method, double t_end, double tolerance = 1e-9) {
  SimulationOptions options;
  options.formulation = method.formulation;
  options.integrator = method.integrator;
  options.t_end = t_end;
  options.rtol = options.atol = tolerance;
  return options;
}

inline const Method usual{"baumgarte", "cvode_bdf"};
inline const InitialState horizontal{0.0, Eigen::Vector2d(1.0, 0.0), {}};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace sunlagrange::test
