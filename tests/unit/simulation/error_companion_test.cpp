// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include "mechanisms/mechanism.hpp"

/// What a run is compared with for the estimate of its error.
using namespace sunlagrange;
using mechanisms::Mechanism;

/// The companion is made of the steps of the run, so that the order tells what is left of the error, and meets it at
/// every third state: no tolerance, no interpolation is in the estimate.
BOOST_AUTO_TEST_CASE(explicit_pairs) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  for (const char* integrator : {"bogacki_shampine3", "dopri5", "verner6", "verner8"}) {
    for (const double tolerance : {1e-5, 1e-7}) {
      SimulationOptions options;
      options.integrator = integrator;
      options.rtol = options.atol = tolerance;
      options.t_end = 5.0;
      options.estimate_error = true;
      BOOST_TEST_CONTEXT(integrator << ", " << tolerance) {
        const Simulation run = simulate(pendulum.system, pendulum.start, options);
        BOOST_REQUIRE(run.report.error_estimate.has_value());
        const ErrorEstimate& e = *run.report.error_estimate;
        const Eigen::VectorXd error = run.trajectory.q(run.trajectory.size() - 1) - pendulum.reference(5.0)->q;
        BOOST_TEST(std::abs(e.q.norm() / error.norm() - 1.0) < 0.2, e.q.norm() / error.norm());
        BOOST_TEST(e.certain, e.doubt);
        BOOST_TEST(e.along.back().state == run.trajectory.size() - 1);
        for (const StateError& at : e.along) BOOST_TEST((at.state % 3 == 0 || &at == &e.along.back()));
      }
    }
  }
}

/// Roots end steps of the run and, elsewhere, of the companion.
BOOST_AUTO_TEST_CASE(explicit_pairs_with_events) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.integrator = "dopri5";
  options.t_end = 5.0;
  options.estimate_error = true;
  options.events = {{"lowest", [](const EventPoint& at) { return at.q()[0]; }, Crossing::any}};
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(run.status.finished());
  BOOST_TEST(run.report.events.size() > 2U);
  const ErrorEstimate& e = *run.report.error_estimate;
  BOOST_TEST(e.t_compared == options.t_end);
  const Eigen::VectorXd error = run.trajectory.q(run.trajectory.size() - 1) - pendulum.reference(options.t_end)->q;
  BOOST_TEST(e.q.norm() > error.norm() / 3.0);
  BOOST_TEST(e.q.norm() < 3.0 * error.norm());
}

/// BDF with a tenth of the tolerances may err as the run does: two_link at 1e-8 by 18 times the difference.
BOOST_AUTO_TEST_CASE(companions_of_another_family) {
  const Mechanism mechanism = mechanisms::find_mechanism("two_link").make(0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "cvode_bdf";
  options.max_step = options.t_end;
  options.estimate_error = true;
  const Eigen::VectorXd exact = mechanism.reference(options.t_end)->q;
  int certain = 0;
  for (int k = 16; k <= 36; ++k) {
    options.rtol = options.atol = std::pow(10.0, -0.25 * k);
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    BOOST_REQUIRE(run.report.error_estimate.has_value());
    const ErrorEstimate& e = *run.report.error_estimate;
    BOOST_TEST(e.companion.find("radau") != std::string::npos, e.companion);
    if (!e.certain) continue;
    ++certain;
    const double error = (run.trajectory.q(run.trajectory.size() - 1) - exact).lpNorm<Eigen::Infinity>();
    BOOST_TEST(error < 3.0 * e.q.lpNorm<Eigen::Infinity>(), options.rtol << ": " << error);
  }
  BOOST_TEST(certain > 0);
}

/// Where the longest step has left less of the error of a DAE form than the tolerance asks for, radau would have to
/// take tolerances far below; the same method takes shorter steps.
BOOST_AUTO_TEST_CASE(longest_steps) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.formulation = "ggl";
  options.rtol = options.atol = 1e-4;
  options.t_end = 0.5;
  options.max_step = options.t_end / 107.0;
  options.estimate_error = true;
  const ErrorEstimate e = *simulate(pendulum.system, pendulum.start, options).report.error_estimate;
  BOOST_TEST(e.companion.find("ggl/ida") != std::string::npos, e.companion);
  BOOST_TEST(!e.certain);
  BOOST_TEST(e.doubt.find("longest step") != std::string::npos, e.doubt);
  options.max_step = options.t_end;
  const ErrorEstimate free = *simulate(pendulum.system, pendulum.start, options).report.error_estimate;
  BOOST_TEST(free.companion.find("ggl/radau") != std::string::npos, free.companion);
}

/// The run breaks off within its first step; there is one step to be shortened, or nothing to be compared.
BOOST_AUTO_TEST_CASE(runs_that_end_in_their_first_step) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  for (const char* integrator : {"dopri5", "cvode_bdf", "radau"}) {
    for (const double at : {1e-12, 1e-10, 1e-6}) {
      SimulationOptions options;
      options.integrator = integrator;
      options.t_end = 5.0;
      options.estimate_error = true;
      Event fault{"fault", [at](const EventPoint& p) { return p.t() - at; }, Crossing::any};
      fault.action = [](EventContext&) { throw std::runtime_error("a fault of the application"); };
      options.events = {fault};
      const Simulation run = simulate(pendulum.system, pendulum.start, options);
      BOOST_TEST(!run.status.finished());
      BOOST_TEST(run.status.message.find("a fault of the application") != std::string::npos, run.status.message);
      if (run.report.error_estimate) BOOST_TEST(!run.report.error_estimate->certain, integrator << ", " << at);
    }
  }
}

/// Whoever interrupts the companion does not want another one.
BOOST_AUTO_TEST_CASE(interrupted_companions_are_not_replaced) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.integrator = "cvode_bdf";
  options.t_end = 2.0;
  double furthest = 0.0;
  int questions_of_companions = 0;
  options.keep_going = [&](double t) {
    if (t >= furthest) {
      furthest = t;
      return true;
    }
    return ++questions_of_companions != 3;
  };
  options.estimate_error = true;
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(run.status.finished(), run.status.message);
  BOOST_TEST(questions_of_companions == 3);
  BOOST_REQUIRE(run.report.error_estimate.has_value());
  BOOST_TEST(!run.report.error_estimate->certain);
  BOOST_TEST(run.report.error_estimate->doubt.find("interrupted") != std::string::npos,
             run.report.error_estimate->doubt);
}
