// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "mechanisms/mechanism.hpp"

/// Estimates of the global error beside the true one.
using namespace sunlagrange;
using mechanisms::Mechanism;

namespace {

Simulation estimated(const Mechanism& mechanism, const std::string& formulation, double tolerance,
                     const std::string& integrator = "automatic") {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.rtol = options.atol = tolerance;
  options.t_end = 5.0;
  options.estimate_error = true;
  return simulate(mechanism.system, mechanism.start, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(nobody_asked) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  BOOST_TEST(!simulate(pendulum.system, pendulum.start).report.error_estimate.has_value());
}

BOOST_AUTO_TEST_CASE(adaptive_runs) {
  for (const char* name : {"pendulum", "cv_pendulum"}) {
    const Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    for (const char* formulation : {"baumgarte", "projected", "ggl", "stabilized_index1", "index3"}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        const Simulation run = estimated(mechanism, formulation, tolerance);
        BOOST_TEST_CONTEXT(name << ", " << formulation << ", " << tolerance) {
          BOOST_REQUIRE(run.status.finished());
          BOOST_REQUIRE(run.report.error_estimate.has_value());
          const ErrorEstimate& e = *run.report.error_estimate;
          double largest_q = 0.0, largest_v = 0.0;
          for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
            const auto exact = mechanism.reference(run.trajectory.t(k));
            largest_q = std::max(largest_q, (run.trajectory.q(k) - exact->q).lpNorm<Eigen::Infinity>());
            largest_v = std::max(largest_v, (run.trajectory.v(k) - exact->v).lpNorm<Eigen::Infinity>());
          }
          BOOST_TEST(e.t_compared == 5.0);
          BOOST_TEST(largest_q < 3.0 * e.largest_q);
          BOOST_TEST(e.largest_q < 3.0 * largest_q);
          BOOST_TEST(largest_v < 3.0 * e.largest_v);
          BOOST_TEST(e.largest_v < 3.0 * largest_v);
          BOOST_TEST(e.q.lpNorm<Eigen::Infinity>() <= e.largest_q);
        }
      }
    }
  }
}

/// Half the step of a method of order 4 leaves a sixteenth of the error: the estimate is 15/16 of it.
BOOST_AUTO_TEST_CASE(fixed_steps) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.integrator = "rk4";
  options.step = 5e-3;
  options.t_end = 2.0;
  options.estimate_error = true;
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  const Eigen::VectorXd error = run.trajectory.q(run.trajectory.size() - 1) - pendulum.reference(2.0)->q;
  BOOST_REQUIRE(run.report.error_estimate.has_value());
  const ErrorEstimate& e = *run.report.error_estimate;
  BOOST_TEST(std::abs(e.q.norm() / error.norm() - 15.0 / 16.0) < 0.1, e.q.norm() / error.norm());
  BOOST_TEST(e.certain, e.doubt);
}

BOOST_AUTO_TEST_CASE(what_is_uncertain) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto doubt = [&](const char* formulation, double tolerance, const char* integrator = "automatic") {
    const Simulation run = estimated(pendulum, formulation, tolerance, integrator);
    BOOST_REQUIRE(run.report.error_estimate.has_value());
    BOOST_TEST(!run.report.error_estimate->certain, formulation);
    return run.report.error_estimate->doubt;
  };
  BOOST_TEST(doubt("penalty", 1e-6).find("alter") != std::string::npos);
  BOOST_TEST(doubt("index3", 1e-6, "radau").find("velocities") != std::string::npos);
  BOOST_TEST(doubt("baumgarte", 1e-14).find("more accurate") != std::string::npos);
}

/// An estimate that is not certain, or that no tolerance promises, is a doubt about the run; a small one is none.
BOOST_AUTO_TEST_CASE(estimates_raise_doubts) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto doubts = [](const Simulation& run) {
    BOOST_REQUIRE(run.status.finished());
    std::vector<Doubt> found;
    for (const Doubt& d : run.status.doubts) {
      if (d.kind == DoubtKind::error_estimate) found.push_back(d);
    }
    return found;
  };
  BOOST_TEST(doubts(estimated(pendulum, "baumgarte", 1e-6)).empty());
  const std::vector<Doubt> altered = doubts(estimated(pendulum, "penalty", 1e-6));
  BOOST_REQUIRE(altered.size() == 1U);
  BOOST_TEST(altered.front().text.find("alter") != std::string::npos);

  const auto long_run = [&](double t_end, double tolerance) {
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.rtol = options.atol = tolerance;
    options.record = Record::ends_only;
    options.estimate_error = true;
    options.t_end = t_end;
    return simulate(pendulum.system, pendulum.start, options);
  };
  const Simulation wrong = long_run(400.0, 1e-3), inaccurate = long_run(100.0, 1e-6), accurate = long_run(20.0, 1e-6);
  BOOST_TEST(!wrong.report.error_estimate->certain);
  BOOST_REQUIRE(doubts(wrong).size() == 1U);
  BOOST_TEST(doubts(wrong).front().value == wrong.report.error_estimate->largest_q);
  BOOST_TEST(inaccurate.report.error_estimate->certain, inaccurate.report.error_estimate->doubt);
  BOOST_REQUIRE(doubts(inaccurate).size() == 1U);
  BOOST_TEST(doubts(inaccurate).front().value > doubts(inaccurate).front().allowed);
  BOOST_TEST(doubts(inaccurate).front().allowed > 0.0);
  BOOST_TEST(doubts(accurate).empty());
}

/// The report says it; the run itself is the same.
BOOST_AUTO_TEST_CASE(beside_the_run) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.record = Record::ends_only;
  const Simulation plain = simulate(pendulum.system, pendulum.start, options);
  options.estimate_error = true;
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(run.report.steps == plain.report.steps);
  BOOST_TEST((run.trajectory.q(1) == plain.trajectory.q(1)));
  BOOST_TEST(run.report.text(run.status).find("error, estimated") != std::string::npos);
}

/// What the run got through is kept, whatever becomes of the companion.
BOOST_AUTO_TEST_CASE(companions_lose_no_run) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.estimate_error = true;
  options.max_steps = std::numeric_limits<long>::max();
  const Simulation all_steps = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(all_steps.status.finished());
  BOOST_TEST(all_steps.report.error_estimate->t_compared == options.t_end);
  // two states at the start, no step
  Event limit{"limit", [](const EventPoint&) { return 1.0; }, Crossing::rising};
  limit.limit = true;
  limit.action = [](EventContext& at) { at.stop("at the start"); };
  options.events = {limit};
  const Simulation none = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(none.report.steps == 0);
  BOOST_TEST(!none.report.error_estimate.has_value());
  BOOST_REQUIRE(none.report.unchecked.size() == 1U);
  BOOST_TEST(none.report.unchecked.front().find("error could not be estimated") != std::string::npos);
}

/// Beside the true error of a function of the state; a function without an error of its own has none.
BOOST_AUTO_TEST_CASE(functions_of_the_state) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto product = [](const MotionState& s) { return s.q[0] * s.v[1]; };
  SimulationOptions options;
  options.rtol = options.atol = 1e-6;
  options.t_end = 5.0;
  options.estimate_error = true;
  options.estimated_functions = {{"x y'", product}, {"time", [](const MotionState& s) { return s.t; }}};
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(run.report.error_estimate.has_value());
  const std::vector<FunctionError>& found = run.report.error_estimate->functions;
  BOOST_REQUIRE_EQUAL(found.size(), 2U);
  double largest = 0.0;
  for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
    const auto exact = pendulum.reference(run.trajectory.t(k));
    largest = std::max(largest, std::abs(run.trajectory.q(k)[0] * run.trajectory.v(k)[1] - exact->q[0] * exact->v[1]));
  }
  BOOST_TEST(largest > 0.0);
  BOOST_TEST(largest < 3.0 * found[0].largest);
  BOOST_TEST(found[0].largest < 3.0 * largest);
  BOOST_TEST(found[0].error <= found[0].largest);
  const auto last = run.trajectory.size() - 1;
  BOOST_TEST(found[0].value == run.trajectory.q(last)[0] * run.trajectory.v(last)[1]);
  BOOST_TEST(found[1].value == 5.0);
  BOOST_TEST(found[1].largest == 0.0);
  BOOST_TEST(run.report.text(run.status).find("x y' ") != std::string::npos);
  options.estimated_functions.push_back({"nothing", {}});
  BOOST_CHECK_THROW(simulate(pendulum.system, pendulum.start, options), Error);
  options.estimated_functions = {{"x y'", product}};
  options.estimate_error = false;  // then nobody reads them
  BOOST_CHECK_THROW(simulate(pendulum.system, pendulum.start, options), Error);
}

/// Every kept state where somebody named the times, about 200 otherwise; the largest of them is what the report says.
BOOST_AUTO_TEST_CASE(along_the_run) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.t_end = 5.0;
  options.rtol = options.atol = 1e-8;
  options.estimate_error = true;
  for (const bool named : {false, true}) {
    if (named) {
      options.record = Record::at_times;
      for (int k = 1; k <= 500; ++k) options.record_times.push_back(0.01 * k);
    }
    const Simulation run = simulate(pendulum.system, pendulum.start, options);
    BOOST_REQUIRE(run.report.error_estimate.has_value());
    const ErrorEstimate& e = *run.report.error_estimate;
    if (named)
      BOOST_TEST(e.along.size() == run.trajectory.size());
    else
      BOOST_TEST((e.along.size() > 100U && e.along.size() <= 202U));
    double largest_q = 0.0, largest_v = 0.0, largest_lambda = 0.0;
    for (const StateError& at : e.along) {
      largest_q = std::max(largest_q, at.q.lpNorm<Eigen::Infinity>());
      largest_v = std::max(largest_v, at.v.lpNorm<Eigen::Infinity>());
      largest_lambda = std::max(largest_lambda, at.lambda.lpNorm<Eigen::Infinity>());
    }
    BOOST_TEST(largest_q == e.largest_q);  // natural scales are 1
    BOOST_TEST(largest_v == e.largest_v);
    BOOST_TEST(largest_lambda == e.largest_lambda);
    BOOST_TEST(e.along.front().state == 0U);
    BOOST_TEST((e.along.back().q == e.q));
    std::stringstream csv;
    run.trajectory.write_csv(csv, *pendulum.system, run.report.error_estimate);
    std::string line;
    std::getline(csv, line);
    const std::string row = pendulum.system->constraint_name(0);
    BOOST_TEST(line == "t,bob[0],bob[1],bob[0]',bob[1]',lambda:" + row +
                           ",error bob[0],error bob[1],error bob[0]',error bob[1]',error lambda:" + row);
    std::size_t known = 0, k = 0;
    for (; std::getline(csv, line); ++k) {
      std::vector<double> cells;
      std::istringstream in(line);
      for (std::string cell; std::getline(in, cell, ',');) cells.push_back(std::stod(cell));
      BOOST_REQUIRE_EQUAL(cells.size(), 11U);
      if (std::isnan(cells[6])) continue;
      BOOST_TEST(e.along[known].state == k);
      BOOST_TEST(cells[6] == e.along[known].q[0]);
      BOOST_TEST(cells[9] == e.along[known].v[1]);
      BOOST_TEST(cells[10] == e.along[known].lambda[0]);
      ++known;
    }
    BOOST_TEST(k == run.trajectory.size());
    BOOST_TEST(known == e.along.size());
  }
}
