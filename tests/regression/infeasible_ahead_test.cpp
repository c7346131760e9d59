// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "models.hpp"

/// Constraints that cannot be met any longer: every formulation says so, and soon.
using namespace sunlagrange;
using Eigen::Vector2d;
using Eigen::Vector4d;

namespace {

/// Two rows lead q0, further and further apart.
struct DrivenApart {
  int power = 1;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    const T way = power == 1 ? t : t * t;
    g[0] = q[0] - way;
    g[1] = q[0] - 2.0 * way;
  }
};

/// Leads a point to the right, out of reach of two rods of 1 m at t = 1.
struct Puller {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] - 1.0 - t;
    g[1] = q[1];
  }
};

template <class Check>
void for_each_mechanical_formulation(const std::shared_ptr<const MechanicalSystem>& system, Check&& check) {
  for (const FormulationInfo& entry : formulations()) {
    SimulationOptions options;
    options.formulation = entry.name;
    options.step = 1e-3;
    options.max_steps = 3000;
    if (!objection(entry.name, *system, automatic_integrator(entry.name)).empty()) continue;
    BOOST_TEST_CONTEXT(entry.name) {
      check(options);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_driven_apart) {
  for (const int power : {1, 2}) {
    const auto system = make_system(DrivenApart{power});
    for_each_mechanical_formulation(system, [&](const SimulationOptions& options) {
      const Simulation run = simulate(system, {0.0, Vector2d(0.0, 0.0), {}}, options);
      BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"), run.status.message);
      BOOST_TEST(run.report.steps <= 100);
    });
  }
}

BOOST_AUTO_TEST_CASE(an_arm_pulled_out_of_reach) {
  Assembly assembly;
  const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
  const Block s = assembly.add_coordinates("s", BlockKind::planar_point);
  assembly.add("mass p", PointMass{1.0}, {p});
  assembly.add("mass s", PointMass{1.0}, {s});
  assembly.add("crank", DistanceToGround{0.0, 0.0, 1.0}, {p});
  assembly.add("rod", Distance{1.0}, {p, s});
  assembly.add("pull", Puller{}, {s});
  const auto system = assembly.build();
  for_each_mechanical_formulation(system, [&](SimulationOptions options) {
    options.t_end = 2.0;
    const Simulation run = simulate(system, {0.0, Vector4d(0.5, 0.8, 1.0, 0.0), {}}, options);
    BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"), run.status.message);
    BOOST_TEST(run.report.t_reached > 0.99);
    BOOST_TEST(run.report.t_reached < 1.01);
    BOOST_TEST(run.trajectory.t(run.trajectory.size() - 1) == run.report.t_reached);
  });
}

// A fast beginning of a long motion is a crawl as well, and no reason to end.
BOOST_AUTO_TEST_CASE(tiny_steps_of_a_feasible_motion_go_on) {
  SimulationOptions options;
  options.t_end = 1e7;
  options.max_steps = 2000;
  const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.0, 0.0), {}}, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("step_limit"), run.status.message);
}
