// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/mechanism.hpp"

/// Long chains: the work of a saddle-point solve grows with the number of bodies and no faster. Counted, not timed.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::VectorXd;

namespace {

LinearSolverOptions named(const char* solver) {
  LinearSolverOptions options;
  options.name = solver;
  return options;
}

struct Chain {
  Chain(int bodies, const char* solver)
      : mechanism(mechanisms::find_mechanism("chain").make(bodies)),
        evaluator(evaluator_for(mechanism.system, named(solver))),
        saddle(evaluator, named(solver)) {}

  VectorXd bent(double amplitude) const {
    VectorXd q = mechanism.start.q;
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += amplitude * std::sin(2.4 * static_cast<double>(i + 1));
    return q;
  }

  mechanisms::Mechanism mechanism;
  PointEvaluator evaluator;
  SaddlePointSystem saddle;
};

template <class Use>
void for_each_sparse_solver(Use&& use) {
  for (const char* solver : {"klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) use(solver);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(p26_work_per_body_does_not_grow_with_the_chain) {
  for_each_sparse_solver([](const char* solver) {
    double entries_per_body[2] = {};
    for (const int k : {0, 1}) {
      const int bodies = k == 0 ? 1000 : 2000;
      Chain chain(bodies, solver);
      const auto n = 3 * bodies, m = 2 * bodies;
      const VectorXd q = chain.bent(0.0), v = VectorXd::LinSpaced(n, -1.0, 1.0);
      VectorXd a(n), lambda(m);
      BOOST_REQUIRE((chain.saddle.factorize(chain.evaluator.at(0.0, q.data(), v.data())) == EvaluationResult::ok));
      BOOST_REQUIRE(
          (chain.saddle.accelerations(chain.evaluator.quantities(), a.data(), lambda.data()) == EvaluationResult::ok));
      entries_per_body[k] = static_cast<double>(chain.saddle.solver().counts().factor_entries) / bodies;

      const Workspace& w = chain.evaluator.quantities();
      VectorXd top = -w.f, bottom = -w.gamma;
      top += w.M * a;
      top += w.G.transposed() * lambda;
      bottom += w.G * a;
      const double terms = 9.81 + lambda.lpNorm<Eigen::Infinity>() + a.lpNorm<Eigen::Infinity>();
      BOOST_TEST(top.lpNorm<Eigen::Infinity>() < 1e-12 * terms);
      BOOST_TEST(bottom.lpNorm<Eigen::Infinity>() < 1e-12 * terms);
    }
    BOOST_TEST_MESSAGE("entries of the factors per body: " << entries_per_body[0] << ", " << entries_per_body[1]);
    BOOST_TEST(entries_per_body[0] > 10.0);  // a body has three coordinates and two rows
    BOOST_TEST(std::abs(entries_per_body[1] / entries_per_body[0] - 1.0) < 0.02);
  });
}

BOOST_AUTO_TEST_CASE(p26_one_analysis_serves_every_configuration) {
  for_each_sparse_solver([](const char* solver) {
    Chain chain(50, solver);
    const VectorXd v = VectorXd::Zero(150);
    long entries = 0;
    for (const double amplitude : {0.0, 0.3, 2.0}) {
      const VectorXd q = chain.bent(amplitude);
      BOOST_REQUIRE((chain.saddle.factorize(chain.evaluator.at(0.0, q.data(), v.data())) == EvaluationResult::ok));
      const LinearCounts& counts = chain.saddle.solver().counts();
      BOOST_TEST(counts.symbolic_analyses == 1);
      if (entries == 0) entries = counts.factor_entries;
      BOOST_TEST(counts.factor_entries < 1.5 * static_cast<double>(entries));
    }
  });
}
