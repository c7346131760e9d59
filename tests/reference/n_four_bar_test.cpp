// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "runs.hpp"

/// IFToMM problem A02: closed form on the regular branch against the published values, and runs against the closed
/// form.
using namespace sunlagrange;
using mechanisms::find_mechanism;
using test::options_of;

BOOST_AUTO_TEST_CASE(closed_form_equals_the_published_tables) {
  const struct {
    int loops;
    double t, x, y;
  } rows[] = {
      {2, 1.0, -0.195020301949435094, -0.980799205662173833},  {2, 4.0, 0.117616102376808612, 0.993059138451325101},
      {2, 10.0, 0.328458111540815379, 0.944518538178600962},   {2, 20.0, 0.839746574306843547, 0.542978536352884662},
      {40, 1.0, -0.115356880632109898, -0.993324111300450186}, {40, 5.0, -0.540190050675526274, -0.841543052464443055},
      {40, 10.0, 0.18051222668672839, 0.983572740582311575},   {40, 20.0, 0.410901153762945222, 0.911679900971980652}};
  for (const auto& row : rows) {
    const auto mechanism = find_mechanism("n_four_bar").make(row.loops);
    BOOST_TEST((mechanism.reference(row.t)->q.head(2) - Eigen::Vector2d(row.x, row.y)).norm() < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(runs_follow_the_closed_form) {
  for (const int loops : {1, 2, 12}) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      for (const char* formulation : {"baumgarte", "index3"}) {
        BOOST_TEST_CONTEXT(loops << " loops, " << solver << ", " << formulation) {
          const auto mechanism = find_mechanism("n_four_bar").make(loops);
          SimulationOptions options = options_of(mechanism, formulation, "automatic", 1e-8);
          options.linear_solver.name = solver;
          const Simulation run = simulate(mechanism.system, mechanism.start, options);
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          BOOST_TEST(test::end_error(mechanism, run) < (formulation == std::string("index3") ? 1e-4 : 1e-6));
          BOOST_TEST(run.report.energy_drift < 1e-3 * 9.81 * 2.0 * loops);
        }
      }
    }
  }
}

// All bars on the ground line, ten times in 10 s: G loses rank by 40, and lambda has a pole. ggl masks lambda and steps
// over it.
BOOST_AUTO_TEST_CASE(ggl_passes_every_singular_pose) {
  const auto mechanism = find_mechanism("n_four_bar").make(40);
  for (const char* solver : {"klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      SimulationOptions options = options_of(mechanism, "ggl", "ida", 1e-8);
      options.linear_solver.name = solver;
      options.t_end = 10.0;
      const Simulation run = simulate(mechanism.system, mechanism.start, options);
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      BOOST_TEST(test::end_error(mechanism, run) < 1e-4);
    }
  }
}
