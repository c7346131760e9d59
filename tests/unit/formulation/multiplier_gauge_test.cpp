// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"

/// Multipliers of redundant rows have least norm, also where they are rates of unknowns: then nothing jumps from one
/// Newton matrix to the next, and steps are as long as without redundant rows.
using namespace sunlagrange;

namespace {

Simulation run_of(const mechanisms::Mechanism& bars, const char* formulation, const char* integrator, double t_end) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.t_end = t_end;
  options.rtol = 1e-6;
  options.atol = 1e-8;
  options.max_steps = 5000;
  return simulate(bars.system, bars.start, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(redundant_multipliers_that_are_integrated_do_not_shorten_the_steps) {
  const mechanisms::Mechanism bars = mechanisms::find_mechanism("bricard").make(0);
  for (const char* integrator : {"ida", "radau"}) {
    const Simulation usual = run_of(bars, "ggl", integrator, 2.0);
    const Simulation run = run_of(bars, "stabilized_index1", integrator, 2.0);
    BOOST_TEST_CONTEXT(integrator) {
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_TEST(run.report.steps < 5 * usual.report.steps);
      const Eigen::VectorXd apart = run.trajectory.position_at(2.0) - usual.trajectory.position_at(2.0);
      BOOST_TEST(apart.lpNorm<Eigen::Infinity>() < 1e-3);
    }
  }
}
