// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/random_mechanism.hpp"
#include "runs.hpp"

/// What dense, klu and block make of the same equations: to rounding, where rank is lost as well.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::VectorXd;

namespace {

struct Solution {
  VectorXd a, force;  ///< G^T lambda
  int rank = 0;
};

/// The second point of two, so that what is kept from the first is in use.
Solution solve(const std::shared_ptr<const MechanicalSystem>& system, const char* solver, RankPolicy policy,
               const InitialState& at) {
  LinearSolverOptions options;
  options.name = solver;
  options.rank_policy = policy;
  PointEvaluator evaluator = evaluator_for(system, options);
  SaddlePointSystem saddle(evaluator, options);
  const VectorXd v = at.v.size() > 0 ? at.v : VectorXd::Zero(at.q.size());
  const VectorXd nearby = at.q + VectorXd::Constant(at.q.size(), 1e-3);
  saddle.factorize(evaluator.at(at.t, nearby.data(), v.data()));
  Solution s{VectorXd::Zero(saddle.n()), VectorXd::Zero(saddle.n()), 0};
  VectorXd lambda(saddle.m());
  BOOST_REQUIRE((saddle.factorize(evaluator.at(at.t, at.q.data(), v.data())) == EvaluationResult::ok));
  BOOST_REQUIRE((saddle.accelerations(evaluator.quantities(), s.a.data(), lambda.data()) == EvaluationResult::ok));
  s.force += evaluator.quantities().G.transposed() * lambda;
  s.rank = saddle.solver().rank();
  return s;
}

/// Difference relative to the larger one.
double gap(const VectorXd& x, const VectorXd& y) {
  return (x - y).norm() / std::max({x.norm(), y.norm(), 1e-300});
}

}  // namespace

// A direction that is nearly lost is tapered by its eigenvalue in units of the rows, which dense takes from G M^-1 G^T
// and the sparse solvers from lumped masses: seed 38 differs by 5e-8.
BOOST_AUTO_TEST_CASE(linear_solvers_agree_about_random_mechanisms) {
  if (!linear_solver("block").available) return;
  double from_dense = 0.0, from_klu = 0.0;
  int deficient = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto mechanism = mechanisms::random_mechanism(seed);
    for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
      const auto by = [&](const char* solver) { return solve(mechanism.system, solver, policy, mechanism.start); };
      const Solution dense = by("dense"), klu = by("klu"), block = by("block");
      deficient += dense.rank < mechanism.system->num_constraints() ? 1 : 0;
      BOOST_TEST_CONTEXT(seed << ", " << mechanism.kind << ", " << to_string(policy)) {
        BOOST_TEST(block.rank == dense.rank);
        BOOST_TEST(klu.rank == dense.rank);
        const double a = std::max(gap(dense.a, block.a), gap(dense.a, klu.a));
        const double force = std::max(gap(dense.force, block.force), gap(dense.force, klu.force));
        BOOST_TEST(std::max(a, force) < 1e-7);
        BOOST_TEST(gap(klu.a, block.a) < 1e-10);
        BOOST_TEST(gap(klu.force, block.force) < 1e-10);
        from_dense = std::max({from_dense, a, force});
        from_klu = std::max({from_klu, gap(klu.a, block.a), gap(klu.force, block.force)});
      }
    }
  }
  BOOST_TEST_MESSAGE("largest difference from dense " << from_dense << ", of block from klu " << from_klu);
  BOOST_TEST(deficient > 20);
}

/// All bars along the x axis: with N loops N directions are lost, of which 16 are followed.
BOOST_AUTO_TEST_CASE(linear_solvers_agree_in_the_singular_poses_of_the_n_four_bar) {
  for (const int loops : {1, 3, 12, 40}) {
    const auto mechanism = mechanisms::find_mechanism("n_four_bar").make(loops);
    InitialState flat = mechanism.start;
    flat.v = VectorXd::Zero(flat.q.size());
    for (int i = 0; i <= loops; ++i) {
      flat.q.segment<2>(2 * i) << i + 1.0, 0.0;
      flat.v[2 * i + 1] = 1.0;
    }
    const Solution dense = solve(mechanism.system, "dense", RankPolicy::minimum_norm, flat);
    BOOST_TEST(dense.rank == loops + 1);
    for (const char* solver : {"klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      BOOST_TEST_CONTEXT(solver << ", " << loops << " loops") {
        const Solution sparse = solve(mechanism.system, solver, RankPolicy::minimum_norm, flat);
        BOOST_TEST(sparse.rank == dense.rank);
        BOOST_TEST(gap(dense.a, sparse.a) < 1e-9);
        BOOST_TEST(gap(dense.force, sparse.force) < 1e-9);
      }
    }
  }
}

/// 1000 unknowns per saddle-point system.
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
