// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"
#include "simulation/automatic.hpp"

/// formulation = "automatic": what is chosen, that it is said, and that it is the same as choosing by hand.
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

/// A mass on a straight rail, with spring and damper: x'' + c x' + k x = 0.
struct Oscillator {
  double k = 1.0, c = 0.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -k * q[0] - c * v[0];
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1];
  }
};

/// The same rail twice.
struct TwoRails : Oscillator {
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1];
    g[1] = 2.0 * q[1];
  }
};

InitialState displaced() {
  return {0.0, Eigen::Vector2d(1.0, 0.0), {}};
}

double rate_of(const Oscillator& model) {
  const auto system = make_system(model);
  return fastest_rate(system, consistent_state(system, displaced()).state, {});
}

SimulationOptions automatic(double rtol = 1e-6) {
  SimulationOptions options;
  options.formulation = "automatic";
  options.rtol = options.atol = rtol;
  options.t_end = 10.0;
  return options;
}

template <class Model>
RunFacts used(const Model& model, const SimulationOptions& options) {
  const Simulation run = simulate(make_system(model), displaced(), options);
  BOOST_TEST(run.status.finished(), run.status.message);
  return run.report.used;
}

const Fact* reason_of(const RunFacts& facts) {
  for (const Fact& fact : facts.own) {
    if (fact.name == "formulation and integrator by model and tolerance") return &fact;
  }
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_fastest_rate_is_the_largest_eigenvalue) {
  for (const auto& [k, c] : {std::pair{1e4, 0.0}, {0.25, 0.0}, {1.0, 1e3}, {1e6, 1e4}}) {
    // lambda^2 + c lambda + k = 0
    const double damped = c * c - 4.0 * k;
    const double expected = damped > 0.0 ? (c + std::sqrt(damped)) / 2.0 : std::sqrt(k);
    BOOST_TEST(std::abs(rate_of({k, c}) / expected - 1.0) < 1e-2, k << " " << c << " " << rate_of({k, c}));
  }
}

BOOST_AUTO_TEST_CASE(rough_and_tight_tolerances_take_explicit_pairs_of_their_order) {
  for (const auto& [rtol, integrator] : {std::pair{1e-4, "dopri5"}, {1e-6, "verner6"}, {1e-9, "verner6"}}) {
    const RunFacts facts = used(Oscillator{}, automatic(rtol));
    BOOST_TEST(facts.formulation.asked == "automatic");
    BOOST_TEST(facts.formulation.used == "projected");
    BOOST_TEST(facts.lines().front().asked == "automatic");
    BOOST_TEST(facts.integrator.asked == "automatic");
    BOOST_TEST(facts.integrator.used == integrator);
    const Fact* reason = reason_of(facts);
    BOOST_REQUIRE(reason != nullptr);
    BOOST_TEST(reason->text().find(integrator) != std::string::npos, reason->text());
  }
}

namespace {

/// A free mass on a rail, pushed by a force of time alone: x'' = sin(30 t).
struct Shaken : Oscillator {
  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[0] = sin(30.0 * t);
  }
};

}  // namespace

/// The error estimate of Fehlberg's pair of order eight is zero for quadratures.
BOOST_AUTO_TEST_CASE(forces_of_time_alone_are_seen_by_the_error_test) {
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
    const Simulation run = simulate(make_system(Shaken{}), {0.0, Eigen::VectorXd::Zero(2), {}}, automatic(rtol));
    BOOST_REQUIRE(run.status.finished());
    const auto last = run.trajectory.size() - 1;
    const double x = 10.0 / 30.0 - std::sin(300.0) / 900.0, v = (1.0 - std::cos(300.0)) / 30.0;
    BOOST_TEST(std::abs(run.trajectory.q(last)[0] - x) < 100.0 * rtol, run.report.used.integrator.used << " " << rtol);
    BOOST_TEST(std::abs(run.trajectory.v(last)[0] - v) < 100.0 * rtol, run.report.used.integrator.used << " " << rtol);
  }
}

BOOST_AUTO_TEST_CASE(stiff_motions_take_radau) {
  BOOST_TEST(used(Oscillator{1.0, 1e5}, automatic()).integrator.used == "radau");
  BOOST_TEST(used(Oscillator{1.0, 1.0}, automatic()).integrator.used == "verner6");
  BOOST_TEST(used(Oscillator{1e4, 0.0}, automatic()).integrator.used == "verner6");  // fast, and seen to be fast
}

BOOST_AUTO_TEST_CASE(gains_that_are_far_faster_than_the_motion_are_stiff) {
  SimulationOptions options = automatic();
  for (const auto& [rate, integrator] : {std::pair{5.0, "verner6"}, {1e3, "radau"}}) {
    options.gains.K_D = 2.0 * rate;
    options.gains.K_P = rate * rate;
    BOOST_TEST(used(Oscillator{}, options).integrator.used == integrator);
  }
}

BOOST_AUTO_TEST_CASE(redundant_rows_change_nothing) {
  BOOST_TEST(used(TwoRails{}, automatic()).formulation.used == "projected");
  BOOST_TEST(used(TwoRails{}, automatic()).integrator.used == "verner6");
}

BOOST_AUTO_TEST_CASE(gains_and_starts_as_given_take_baumgarte) {
  SimulationOptions options = automatic();
  options.gains.K_D = 20.0;
  options.gains.K_P = 100.0;
  BOOST_TEST(used(Oscillator{}, options).formulation.used == "baumgarte");
  options = automatic();
  options.start = Start::as_given;
  BOOST_TEST(used(Oscillator{}, options).formulation.used == "baumgarte");
}

BOOST_AUTO_TEST_CASE(an_integrator_that_is_named_stays) {
  for (const IntegratorInfo& entry : integrators()) {
    SimulationOptions options = automatic(1e-4);
    options.integrator = entry.name;
    options.t_end = 0.5;
    if (entry.fixed_step) options.step = 0.01;
    if (entry.name == "table") options.table = *integrator("rk4").fixed_step_table;
    BOOST_TEST_CONTEXT(entry.name) {
      const RunFacts facts = used(Oscillator{}, options);
      BOOST_TEST(facts.integrator.used == entry.name);
      BOOST_TEST(objection(facts.formulation.used, *make_system(Oscillator{}), entry.name) == "");
    }
  }
  SimulationOptions options = automatic();
  options.integrator = "no_such_integrator";
  BOOST_CHECK_THROW(simulate(make_system(Oscillator{}), displaced(), options), Error);
}

BOOST_AUTO_TEST_CASE(the_run_is_the_one_of_the_names) {
  for (const char* name : {"andrews", "slider_crank_program", "bricard", "knife_edge"}) {
    const mechanisms::Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    SimulationOptions options = automatic(1e-4);
    options.t_end = mechanism.start.t + 0.002 * mechanism.t_end;
    options.record = Record::ends_only;
    const Simulation chosen = simulate(mechanism.system, mechanism.start, options);
    options.formulation = chosen.report.used.formulation.used;
    options.integrator = chosen.report.used.integrator.used;
    const Simulation named = simulate(mechanism.system, mechanism.start, options);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(chosen.status.finished());
      BOOST_TEST(chosen.report.references == named.report.references);
      BOOST_TEST(chosen.report.steps == named.report.steps);
      BOOST_TEST(chosen.trajectory.q(chosen.trajectory.size() - 1) == named.trajectory.q(named.trajectory.size() - 1));
      BOOST_TEST(reason_of(named.report.used) == nullptr);
    }
  }
}
