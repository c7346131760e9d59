#include <boost/test/unit_test.hpp>

#include "runs.hpp"

/// A chain of 200 rods: 1000 unknowns per saddle-point system, dense and sparse.
using namespace sunlagrange;

BOOST_AUTO_TEST_CASE(dense_and_klu_agree_on_a_chain_of_200) {
  if (!linear_solver("klu").available) return;
  const auto chain = mechanisms::find_mechanism("chain").make(200);
  Simulation runs[2];
  for (const int k : {0, 1}) {
    SimulationOptions options = test::options_of(chain, "baumgarte", "cvode_adams", 1e-6);
    options.linear_solver.name = k == 0 ? "dense" : "klu";
    options.t_end = 0.01;
    runs[k] = simulate(chain.system, chain.start, options);
    BOOST_REQUIRE_MESSAGE(runs[k].status.finished(), runs[k].status.message);
  }
  for (double t = 0.0; t <= 0.01; t += 1e-3) {
    BOOST_TEST((runs[0].trajectory.position_at(t) - runs[1].trajectory.position_at(t)).lpNorm<Eigen::Infinity>() <
               1e-7);
    BOOST_TEST((runs[0].trajectory.velocity_at(t) - runs[1].trajectory.velocity_at(t)).lpNorm<Eigen::Infinity>() <
               1e-6);
  }
  const auto lambda = [](const Simulation& run) { return run.trajectory.lambda(run.trajectory.size() - 1); };
  BOOST_TEST((lambda(runs[0]) - lambda(runs[1])).norm() < 1e-5 * lambda(runs[0]).norm());
}
