#include <boost/test/unit_test.hpp>

#include <cmath>

#include "mechanisms/mechanism.hpp"

/// Estimates of the global error beside the true one.
using namespace sunlagrange;
using mechanisms::Mechanism;

namespace {

Simulation estimated(const Mechanism& mechanism, const std::string& formulation, double tolerance) {
  SimulationOptions options;
  options.formulation = formulation;
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
    for (const char* formulation : {"baumgarte", "projected", "ggl", "stabilized_index1"}) {
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
  const auto doubt = [&](const char* formulation, double tolerance) {
    const Simulation run = estimated(pendulum, formulation, tolerance);
    BOOST_REQUIRE(run.report.error_estimate.has_value());
    BOOST_TEST(!run.report.error_estimate->certain, formulation);
    return run.report.error_estimate->doubt;
  };
  BOOST_TEST(doubt("penalty", 1e-6).find("alter") != std::string::npos);
  BOOST_TEST(doubt("index3", 1e-6).find("velocities") != std::string::npos);
  BOOST_TEST(doubt("baumgarte", 1e-14).find("more accurate") != std::string::npos);
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
