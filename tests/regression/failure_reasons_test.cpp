// SPDX-License-Identifier: BSD-3-Clause
#define BOOST_TEST_MODULE failure_reasons
#include <boost/test/unit_test.hpp>

#include <set>

#include <sunlagrange/elements/planar/body.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>

#include "consistency/numerical_failure.hpp"
#include "models.hpp"

/// A reason for which steps fail has a row in one table, and everything that counts or names reasons knows it.
/// not_converged was once left out: a run whose projections did not converge crawled on to max_steps.
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

/// A pendulum whose Jacobian is wrong by a factor from t = 1 on, so that Newton's method creeps.
struct WrongJacobian {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = 1.0; }
  void applied_force(double, View<const double>, View<const double>, View<double> f) const { f[1] = -9.81; }
  void constraint(double, View<const double> q, View<double> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
  void constraint_jacobian(double t, View<const double> q, MatrixView<double> G) const {
    const double factor = t < 1.0 ? 1.0 : 1e3;
    for (int j = 0; j < 2; ++j) G(0, j) = factor * q[j];
  }
};

/// A spring so stiff that at t = 1e6 its periods, 6e-12 s, lie below the last digit of t, 1e-10 s.
struct TooFast {
  static constexpr int num_positions = 1;
  static constexpr int num_constraints = 0;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = 1.0; }
  void applied_force(double, View<const double> q, View<const double>, View<double> f) const { f[0] = -1e24 * q[0]; }
};

std::vector<EvaluationResult> all_results() {
  std::vector<EvaluationResult> list;
  for (std::size_t k = 0; k < num_evaluation_results; ++k) list.push_back(static_cast<EvaluationResult>(k));
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_iteration_that_does_not_converge_again_and_again_is_a_crawl) {
  for (const char* integrator : {"cvode_bdf", "dopri5"}) {
    SimulationOptions options;
    options.formulation = "projected";
    options.integrator = integrator;
    options.t_end = 1e3;
    options.max_steps = 20000;
    options.record = Record::ends_only;
    const Simulation run = simulate(make_system(WrongJacobian{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
    BOOST_TEST_CONTEXT(integrator << ": " << run.status.message) {
      BOOST_TEST(to_string(run.status.outcome) == std::string("integrator_failure"));
      BOOST_TEST(run.status.message.find("the step size fell") == 0u);
      BOOST_TEST(run.status.message.find("did not converge") != std::string::npos);
      BOOST_TEST(std::abs(run.report.t_reached - 1.0) < 0.01);
      BOOST_TEST(run.report.steps < 5000);
    }
  }
}

BOOST_AUTO_TEST_CASE(steps_that_do_not_move_the_time_end_the_run) {
  for (const char* integrator : {"dopri5", "verner6", "cvode_adams", "cvode_bdf", "ida"}) {
    SimulationOptions options;
    options.formulation = integrator == std::string("ida") ? "index1" : "baumgarte";
    options.integrator = integrator;
    options.t_end = 1e6 + 1.0;
    const Simulation run = simulate(make_system(TooFast{}), {1e6, Eigen::VectorXd::Constant(1, 1e-3), {}}, options);
    BOOST_TEST_CONTEXT(integrator << ": " << run.status.message) {
      BOOST_TEST(to_string(run.status.outcome) == std::string("integrator_failure"));
      BOOST_TEST(run.status.message.find("the steps fell below the last digit of t") == 0u);
      BOOST_TEST(run.report.steps < 500);
      BOOST_TEST(run.report.t_reached == 1e6);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_reason_has_a_row_of_its_own_and_is_counted) {
  std::set<std::string> names, words;
  FailureCounts counts;
  for (const EvaluationResult result : all_results()) {
    const FailureReason& reason = failure_reason(result);
    BOOST_REQUIRE(reason.name != nullptr);
    names.insert(reason.name);
    words.insert(reason.what);
    BOOST_TEST(reason.advice != std::string());
    counts.count(result);
    const bool failed = result != EvaluationResult::ok;
    BOOST_TEST(counts[result] == (failed ? 1 : 0));
    BOOST_TEST((counts.last_of_step() == result));
  }
  BOOST_TEST(names.size() == num_evaluation_results);
  BOOST_TEST(words.size() == num_evaluation_results);
  BOOST_TEST(counts.total() == static_cast<long>(num_evaluation_results) - 1);
  counts.begin_step();
  BOOST_TEST((counts.last_of_step() == EvaluationResult::ok));
  BOOST_TEST((counts.last_of_run() == EvaluationResult::not_converged));
}

BOOST_AUTO_TEST_CASE(advice_names_nothing_that_is_in_use) {
  const FailureReason& lost = failure_reason(EvaluationResult::rank_loss);
  const auto names = [](const std::string& advice, const char* word) { return advice.find(word) != std::string::npos; };
  BOOST_TEST(names(lost.advice_for({"projected", true, false}), "minimum_norm"));
  BOOST_TEST(!names(lost.advice_for({"projected", false, false}), "strict"));
  BOOST_TEST(!names(lost.advice_for({"projected", false, false}), "minimum_norm"));
  const FailureReason& gave_up = failure_reason(EvaluationResult::ok);
  BOOST_TEST(names(gave_up.advice_for({"integral_manifold", false, true, "K_N"}), "lower K_N"));
  BOOST_TEST(
      names(failure_reason(EvaluationResult::singular).advice_for({"elimination", false, true}), "integral_manifold"));
  for (const EvaluationResult result : all_results()) {
    const FailureReason& reason = failure_reason(result);
    BOOST_TEST(!names(reason.advice_for({"penalty", false, false}), "penalty"));
    for (const char* word : {"penalty", "integral_manifold", "K_D", "K_P"})
      BOOST_TEST(!names(reason.advice_for({"integral_manifold", false, true, "K_N"}), word));
    for (const char* word : {"penalty", "K_N", "feedback"})
      BOOST_TEST(!names(reason.advice_for({"elimination", false, true}), word));
    BOOST_TEST(names(reason.advice_for({"integral_manifold", false, true, "the feedback"}), "lower the feedback") ==
               names(reason.advice_for({"integral_manifold", false, true, "K_N"}), "lower K_N"));
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_cannot_be_evaluated_is_told_as_the_table_says) {
  PointEvaluator evaluator = evaluator_for(make_system(test::Pendulum{}), {});
  SaddlePointSystem saddle(evaluator, {});
  const Eigen::Vector2d q(1.0, 0.0), v(0.0, 0.0);
  BOOST_REQUIRE((saddle.factorize(evaluator.at(0.0, q.data(), v.data())) == EvaluationResult::ok));
  for (const EvaluationResult result : all_results()) {
    const Status status = numerical_failure(result, evaluator, saddle, 0.5);
    if (result == EvaluationResult::ok) {
      BOOST_TEST(status.finished());
      continue;
    }
    const FailureReason& reason = failure_reason(result);
    BOOST_TEST((status.outcome == reason.outcome));
    for (const char* part : {reason.what, "t = 0.5", reason.advice})
      BOOST_TEST(status.message.find(part) != std::string::npos, status.message);
  }
}

BOOST_AUTO_TEST_CASE(advice_for_a_diverged_run_fits_the_integrator) {
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = 0.99;
  options.atol = 1e3;
  options.max_step = options.t_end;
  const Simulation loose = simulate(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  BOOST_TEST(loose.status.message.find("diverged") != std::string::npos, loose.status.message);
  BOOST_TEST(loose.status.message.find("tighten the tolerances") != std::string::npos, loose.status.message);
  BOOST_TEST(loose.status.message.find("adaptive") == std::string::npos, loose.status.message);
  options = {};
  options.formulation = "baumgarte";
  options.integrator = "rk4";
  options.step = 7.0;
  const Simulation long_step = simulate(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  BOOST_TEST(long_step.status.message.find("adaptive integrator") != std::string::npos, long_step.status.message);
}

/// A beam on N parallel cranks has N - 2 redundant directions.
BOOST_AUTO_TEST_CASE(redundancy_beyond_what_is_treated_one_by_one_is_named) {
  const auto run_with = [](int cranks, const std::string& formulation) {
    constexpr double angle = 1.0;
    Assembly assembly;
    assembly.gravity(0.0, -9.81);
    const Block beam = assembly.body("beam", PlanarBody{5.0, 1.0});
    std::vector<double> q = {std::cos(angle), std::sin(angle), 0.0};
    for (int k = 0; k < cranks; ++k) {
      const double x = -2.0 + 4.0 * k / (cranks - 1);
      const std::string number = std::to_string(k);
      const Block crank = assembly.body("crank " + number, PlanarBody{1.0, 1.0 / 12.0});
      assembly.add("ground " + number, RevoluteToGround{-0.5, 0.0, x}, {crank});
      assembly.add("pin " + number, Revolute{0.5, 0.0, x}, {crank, beam});
      for (const double value : {x + 0.5 * std::cos(angle), 0.5 * std::sin(angle), angle}) q.push_back(value);
    }
    SimulationOptions options;
    options.formulation = formulation;
    options.t_end = 0.4;
    options.rtol = 1e-8;
    options.atol = 1e-10;
    const Eigen::VectorXd start = Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
    return simulate(assembly.build(), {0.0, start, {}}, options).status;
  };
  BOOST_TEST(run_with(18, "ggl").finished());
  const Status beyond = run_with(19, "ggl");
  BOOST_TEST(!beyond.finished());
  BOOST_TEST(beyond.message.find("17 directions of the constraints are redundant") != std::string::npos,
             beyond.message);
  for (const char* taken : {"projected", "baumgarte", "index1"}) {
    BOOST_TEST(beyond.message.find(taken) != std::string::npos);
    BOOST_TEST(run_with(19, taken).finished(), taken);
  }
}
