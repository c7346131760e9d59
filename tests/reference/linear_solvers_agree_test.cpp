#include <boost/test/unit_test.hpp>

#include "runs.hpp"

/// A chain of 200 rods: 1000 unknowns per saddle-point system, dense and sparse.
using namespace sunlagrange;

BOOST_AUTO_TEST_CASE(linear_solvers_agree_on_a_chain_of_200) {
  const auto chain = mechanisms::find_mechanism("chain").make(200);
  const auto run = [&chain](const char* solver) {
    SimulationOptions options = test::options_of(chain, "baumgarte", "cvode_adams", 1e-6);
    options.linear_solver.name = solver;
    options.t_end = 0.01;
    const Simulation result = simulate(chain.system, chain.start, options);
    BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
    return result;
  };
  const auto lambda = [](const Simulation& s) { return s.trajectory.lambda(s.trajectory.size() - 1); };
  const Simulation dense = run("dense");
  for (const char* solver : {"klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      const Simulation sparse = run(solver);
      for (double t = 0.0; t <= 0.01; t += 1e-3) {
        const auto q = dense.trajectory.position_at(t), v = dense.trajectory.velocity_at(t);
        BOOST_TEST((q - sparse.trajectory.position_at(t)).lpNorm<Eigen::Infinity>() < 1e-7);
        BOOST_TEST((v - sparse.trajectory.velocity_at(t)).lpNorm<Eigen::Infinity>() < 1e-6);
      }
      BOOST_TEST((lambda(dense) - lambda(sparse)).norm() < 1e-5 * lambda(dense).norm());
    }
  }
}
