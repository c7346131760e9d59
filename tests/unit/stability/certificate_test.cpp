// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "kinematic_examples.hpp"
#include "models.hpp"

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::slider_crank;

namespace {

const ButcherTable* tables[] = {&rk1(), &rk2(), &rk3(), &rk4()};
const ButcherTable midpoint{"midpoint", 2, {0.0, 0.5}, {{}, {0.5}}, {0.0, 1.0}};
const RemainderKind kinds[] = {RemainderKind::measured, RemainderKind::given, RemainderKind::sampled};

/// tau = 1e-3, eps = 1e-4, F = 17 of [002, Example 2].
CertificateOptions of_the_paper(RemainderKind kind) {
  CertificateOptions options;
  options.eps = 1e-4;
  options.remainder = kind;
  if (kind == RemainderKind::given) {
    options.remainder_constant = 17.0 / 2.0;
    options.remainder_power = 2;
    options.step_limit = 1e-3;
  }
  return options;
}

const CertificateFailure* first(const Certificate& found, CertificateCondition condition) {
  for (const CertificateFailure& failure : found.failures) {
    if (failure.condition == condition) return &failure;
  }
  return nullptr;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double largest_error(const ButcherTable& table, double k, double tau, double t_end) {
  return certify(slider_crank(k), table, tau, t_end).largest_error;
}

}  // namespace

// ---- the slider-crank of the paper

BOOST_AUTO_TEST_CASE(range_of_the_paper_is_certified_in_every_way) {
  for (const RemainderKind kind : kinds) {
    for (double k = 100.0; k <= 1900.0; k += kind == RemainderKind::sampled ? 300.0 : 100.0) {
      CertificateOptions options = of_the_paper(kind);
      const Certificate found = certify(slider_crank(k), rk1(), 1e-3, 10.0, options);
      BOOST_TEST(found.certified, "k = " << k << ": " << found.text());
      BOOST_TEST(found.stayed_below());
      BOOST_TEST(found.steps == 10000);
      options.q = 0.9;  // alpha of the paper
      if (k > 100.0 && k < 1900.0) BOOST_TEST(certify(slider_crank(k), rk1(), 1e-3, 1.0, options).certified);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_k_of_the_range_of_the_paper_is_certified) {
  for (int k = 100; k <= 1900; ++k) {
    const Certificate found = certify(slider_crank(k), rk1(), 1e-3, 10.0, of_the_paper(RemainderKind::given));
    BOOST_TEST(found.certified, "k = " << k << ": " << found.text());
    BOOST_TEST(found.stayed_below());
  }
}

BOOST_AUTO_TEST_CASE(certified_ranges_beside_observed_ones) {
  const double limits[] = {2000.0, 2000.0, 2512.7, 2785.3};
  for (int p = 0; p < 4; ++p) {
    const GainScan scan =
        scan_gains(slider_crank, *tables[p], 1e-3, 2.0, {1e-6, 1e-3, 1.0, 10.0, 100.0, 1000.0, 1900.0, 3500.0},
                   of_the_paper(RemainderKind::measured), 5e-4);
    BOOST_TEST_CONTEXT(tables[p]->name) {
      BOOST_REQUIRE_EQUAL(scan.certified.size(), 1u);
      BOOST_REQUIRE_EQUAL(scan.observed.size(), 1u);
      BOOST_TEST_MESSAGE(tables[p]->name << ": certified [" << scan.certified[0].low << ", " << scan.certified[0].high
                                         << "], observed [" << scan.observed[0].low << ", " << scan.observed[0].high
                                         << "]");
      // certified within observed, and not by much less
      BOOST_TEST(scan.certified[0].low >= scan.observed[0].low);
      BOOST_TEST(scan.certified[0].high <= scan.observed[0].high);
      BOOST_TEST(scan.certified[0].low < 20.0);
      BOOST_TEST(scan.certified[0].high > 0.97 * limits[p]);
      BOOST_TEST(scan.observed[0].high < 1.005 * limits[p]);
      for (const GainScanPoint& point : scan.points) BOOST_TEST((point.certified || !point.words.empty()));
    }
  }
}

BOOST_AUTO_TEST_CASE(range_of_the_theorem_with_the_constant_of_the_paper) {
  // (1 - |1 - tau k|) eps >= tau^2 F / 2: [85, 1915] for F = 17, [34, 1966] for 6.80, [15, 1985] for 3
  const double F[] = {17.0, 6.80, 3.001};  // |f''| = 3 |sin theta_1| holds on f = 0 exactly, and hardly beside it
  const double low[] = {85.0, 34.0, 15.0};
  for (int i = 0; i < 3; ++i) {
    CertificateOptions options = of_the_paper(RemainderKind::given);
    options.remainder_constant = F[i] / 2.0;
    const auto certified = [&](double k) { return certify(slider_crank(k), rk1(), 1e-3, 10.0, options).certified; };
    BOOST_TEST(certified(low[i] + 0.1));
    BOOST_TEST(certified(2000.0 - low[i] - 0.1));
    BOOST_TEST(!certified(low[i] - 0.1));
    BOOST_TEST(!certified(2000.0 - low[i] + 0.1));
  }
}

BOOST_AUTO_TEST_CASE(p9_eulers_error_is_one_and_a_half_tau_over_k) {
  for (const double k : {100.0, 500.0, 1000.0, 1500.0}) {
    const double expected = 1.5 * 1e-3 / k;
    BOOST_TEST(std::abs(largest_error(rk1(), k, 1e-3, 10.0) / expected - 1.0) < 0.02);
  }
}

BOOST_AUTO_TEST_CASE(p9_at_fixed_tau_k_every_order_leaves_tau_squared) {
  const double z = 1.0;
  const double constant[] = {1.5, 1.5, 0.19, 0.050};  // sup |f| / tau^2
  for (int p = 0; p < 4; ++p) {
    const double fine = largest_error(*tables[p], z / 1e-3, 1e-3, 10.0) / 1e-6;
    const double coarse = largest_error(*tables[p], z / 1e-2, 1e-2, 10.0) / 1e-4;
    BOOST_TEST(std::abs(fine / constant[p] - 1.0) < 0.05);
    BOOST_TEST(std::abs(coarse / fine - 1.0) < 0.05);
  }
  BOOST_TEST(std::abs(largest_error(midpoint, z / 1e-3, 1e-3, 10.0) / 1e-6 - 0.75) < 0.02);
}

BOOST_AUTO_TEST_CASE(the_printed_sign_drives_the_error_to_its_geometric_bound) {
  for (const double k : {1.0, 5.0, 100.0}) {
    ErrorProgram program = slider_crank(-k);
    program.y0[0] = 1e-6;
    const Certificate found = certify(program, rk4(), 1e-3, 30.0);
    BOOST_TEST(!found.certified);
    BOOST_TEST((found.failure()->condition == CertificateCondition::contraction));
    BOOST_TEST(std::abs(found.largest_error - 3.0) < 0.05);
  }
}

BOOST_AUTO_TEST_CASE(p8_observed_limits_of_tau_k) {
  const double limits[] = {2.0, 2.0, 2.5127, 2.7853};
  for (int p = 0; p < 4; ++p) {
    for (const double factor : {0.995, 1.005}) {
      ErrorProgram program = slider_crank(limits[p] * factor / 1e-3);
      program.y0[0] = 5e-5;
      CertificateOptions options;
      options.eps = 1e-2;
      const Certificate found = certify(program, *tables[p], 1e-3, 10.0, options);
      BOOST_TEST(found.stayed_below() == (factor < 1.0));
      BOOST_TEST(found.certified == (factor < 1.0));
    }
  }
}

// ---- each condition violated

BOOST_AUTO_TEST_CASE(violated_start) {
  ErrorProgram program = slider_crank(1000.0);
  program.y0[0] = 2e-4;
  for (const RemainderKind kind : kinds) {
    const Certificate found = certify(program, rk1(), 1e-3, 0.1, of_the_paper(kind));
    BOOST_TEST(!found.certified);
    BOOST_REQUIRE_EQUAL(found.failures.size(), 1u);
    BOOST_TEST((found.failure()->condition == CertificateCondition::start));
    BOOST_TEST(found.failure()->step == 0);
    BOOST_TEST(std::abs(found.failure()->value - 2e-4) < 1e-9);
    BOOST_TEST(found.failure()->bound == 1e-4);
    BOOST_TEST(contains(found.text(), "start closer"));
  }
}

BOOST_AUTO_TEST_CASE(violated_step_limit) {
  CertificateOptions options = of_the_paper(RemainderKind::given);
  options.step_limit = 0.9e-3;
  const Certificate found = certify(slider_crank(1000.0), rk1(), 1e-3, 0.1, options);
  BOOST_REQUIRE_EQUAL(found.failures.size(), 1u);
  BOOST_TEST((found.failure()->condition == CertificateCondition::step_limit));
  BOOST_TEST(found.failure()->value == 1e-3);
  BOOST_TEST(found.failure()->bound == 0.9e-3);
}

BOOST_AUTO_TEST_CASE(violated_step_limit_is_found_by_sampling) {
  // f = y - a sin(w t): with w tau of order one the remainder of a step no longer follows its own law
  const double a = 1.0, tau = 0.01, k = 100.0;
  for (const double w : {3.0, 450.0}) {
    ErrorProgram program;
    program.rhs = [=](double t, const VectorXd& y, VectorXd& v) {
      v = VectorXd::Constant(1, a * w * std::cos(w * t) - k * (y[0] - a * std::sin(w * t)));
      return true;
    };
    program.error = [=](double t, const VectorXd& y, VectorXd& e) {
      e = VectorXd::Constant(1, y[0] - a * std::sin(w * t));
      return true;
    };
    program.law = ConstraintDynamics::first_order(k);
    program.y0 = VectorXd::Zero(1);
    CertificateOptions options = of_the_paper(RemainderKind::sampled);
    options.eps = 10.0;  // wide: nothing else is violated at once
    const Certificate found = certify(program, rk1(), tau, 1.0, options);
    BOOST_TEST(found.certified == (w == 3.0), found.text());
    if (w == 3.0) continue;
    const CertificateFailure* failure = first(found, CertificateCondition::step_limit);
    BOOST_REQUIRE(failure != nullptr);
    BOOST_TEST(failure->value == tau);
    BOOST_TEST(failure->bound < tau);
    BOOST_TEST(failure->bound >= 0.5 * tau);
  }
}

BOOST_AUTO_TEST_CASE(violated_contraction) {
  for (const RemainderKind kind : kinds) {
    const Certificate found = certify(slider_crank(2001.0), rk1(), 1e-3, 0.1, of_the_paper(kind));
    const CertificateFailure* failure = first(found, CertificateCondition::contraction);
    BOOST_REQUIRE(failure != nullptr);
    BOOST_TEST(failure->step == 0);
    BOOST_TEST(std::abs(failure->value - 1.001) < 1e-12);
    BOOST_TEST(contains(found.text(), "below 1"));
  }
  CertificateOptions options = of_the_paper(RemainderKind::measured);
  options.q = 0.9;
  const Certificate found = certify(slider_crank(1901.0), rk1(), 1e-3, 0.1, options);
  BOOST_REQUIRE_EQUAL(found.failures.size(), 1u);
  BOOST_TEST((found.failure()->condition == CertificateCondition::contraction));
  BOOST_TEST(contains(found.failure()->words, "within q = 0.9"));
}

BOOST_AUTO_TEST_CASE(violated_contraction_in_the_middle_of_a_run) {
  // K(t) = -1000 (1 + t): tau k reaches 2 at t = 1, step 1000
  ErrorProgram program = slider_crank(1.0);
  program.rhs = [](double t, const VectorXd& y, VectorXd& v) { return slider_crank(1000.0 * (1.0 + t)).rhs(t, y, v); };
  program.law =
      ConstraintDynamics::time_dependent(1, [](double t) { return MatrixXd::Constant(1, 1, -1000.0 * (1.0 + t)); });
  CertificateOptions options = of_the_paper(RemainderKind::measured);
  options.stop_at_failure = true;
  const Certificate found = certify(program, rk1(), 1e-3, 2.0, options);
  BOOST_REQUIRE(found.failure() != nullptr);
  // the budget (1 - |R|) eps runs out just before |R| reaches 1
  BOOST_TEST((found.failure()->condition == CertificateCondition::remainder));
  BOOST_TEST(std::abs(found.failure()->step - 1000) < 20);
  BOOST_TEST(!found.completed);
  BOOST_TEST(found.steps == found.failure()->step + 1);
  options.stop_at_failure = false;
  const Certificate whole = certify(program, rk1(), 1e-3, 2.0, options);
  const CertificateFailure* failure = first(whole, CertificateCondition::contraction);
  BOOST_REQUIRE(failure != nullptr);
  BOOST_TEST(std::abs(failure->step - 1000) <= 1);
  BOOST_TEST(certify(program, rk1(), 1e-3, 0.9, options).certified);
}

BOOST_AUTO_TEST_CASE(violated_remainder) {
  for (const RemainderKind kind : kinds) {
    CertificateOptions options = of_the_paper(kind);
    options.keep_history = true;
    const Certificate found = certify(slider_crank(10.0), rk1(), 1e-3, 10.0, options);
    BOOST_REQUIRE(found.failure() != nullptr);
    BOOST_TEST((found.failure()->condition == CertificateCondition::remainder));
    BOOST_TEST(found.failures.size() == 1u);
    // at the step it names, and at none before
    const auto n = static_cast<std::size_t>(found.failure()->step);
    for (std::size_t i = 0; i < n; ++i) BOOST_TEST(found.history[i].bound <= found.history[i].budget);
    BOOST_TEST(found.history[n].bound > found.history[n].budget);
    BOOST_TEST(found.history[n].t == found.failure()->t);
    BOOST_TEST(std::abs(found.history[n].budget - 0.01 * 1e-4) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(violated_remainder_bound_of_the_user) {
  CertificateOptions options = of_the_paper(RemainderKind::given);
  options.remainder_constant = 1.0;  // |f''| / 2 reaches 1.5
  const Certificate found = certify(slider_crank(1000.0), rk1(), 1e-3, 10.0, options);
  BOOST_REQUIRE_EQUAL(found.failures.size(), 1u);
  BOOST_TEST((found.failure()->condition == CertificateCondition::remainder_bound));
  BOOST_TEST(found.failure()->value > found.failure()->bound);
  // and the printed power: for fixed z the remainder is tau^2 for every order, so a constant that holds with tau^5 at
  // k = 100 is broken at k = 2000
  options.remainder_power = 5;
  options.remainder_constant = 0.04 * 1e6 * 3.0;  // about k^3 / 25
  BOOST_TEST(certify(slider_crank(100.0), rk4(), 1e-3, 10.0, options).certified);
  BOOST_TEST(first(certify(slider_crank(2000.0), rk4(), 1e-3, 10.0, options), CertificateCondition::remainder_bound) !=
             nullptr);
}

BOOST_AUTO_TEST_CASE(violated_evaluation) {
  ErrorProgram program = slider_crank(1000.0);
  const auto rhs = program.rhs;
  program.rhs = [rhs](double t, const VectorXd& y, VectorXd& v) { return t < 0.05 && rhs(t, y, v); };
  for (const RemainderKind kind : kinds) {
    const Certificate found = certify(program, rk2(), 1e-3, 0.1, of_the_paper(kind));
    BOOST_REQUIRE(found.failure() != nullptr);
    BOOST_TEST((found.failure()->condition == CertificateCondition::evaluation));
    BOOST_TEST(std::abs(found.failure()->t - 0.049) < 1e-9);
    BOOST_TEST(!found.completed);
    BOOST_TEST(!found.stayed_below());
  }
}

// ---- laws that vary, printed series

BOOST_AUTO_TEST_CASE(gains_that_depend_on_the_state) {
  const auto k = [](const VectorXd& y) { return 1000.0 * (1.0 + 0.8 * std::sin(3.0 * y[0])); };
  ErrorProgram program = slider_crank(1.0);
  program.rhs = [k](double t, const VectorXd& y, VectorXd& v) { return slider_crank(k(y)).rhs(t, y, v); };
  program.law = ConstraintDynamics::state_dependent(
      1, [k](double, const VectorXd& y) { return MatrixXd::Constant(1, 1, -k(y)); });
  for (const RemainderKind kind : {RemainderKind::measured, RemainderKind::sampled}) {
    for (const ButcherTable* table : tables) {
      const Certificate found = certify(program, *table, 1e-3, 3.0, of_the_paper(kind));
      BOOST_TEST(found.certified, found.text());
      // the law is exact: without curvature of e the remainder would vanish, so it is of the size of the constant case
      BOOST_TEST(found.largest_remainder < 5e-6);
    }
  }
  CertificateOptions printed;
  printed.growth = Growth::as_printed;
  BOOST_CHECK_THROW(certify(program, rk2(), 1e-3, 1.0, printed), Error);
}

BOOST_AUTO_TEST_CASE(p10_printed_series_cost_certificates_that_the_method_earns) {
  // K(t) = -1000 + 2e5 t on [0, 0.004]: linear program, e = y, so the method's own growth leaves no remainder
  ErrorProgram program;
  const auto K = [](double t) { return -1000.0 + 2e5 * t; };
  program.rhs = [K](double t, const VectorXd& y, VectorXd& v) {
    v = K(t) * y;
    return true;
  };
  program.error = [](double, const VectorXd& y, VectorXd& e) {
    e = y;
    return true;
  };
  program.law = ConstraintDynamics::time_dependent(1, [K](double t) { return MatrixXd::Constant(1, 1, K(t)); });
  program.y0 = VectorXd::Constant(1, 1e-4);
  CertificateOptions options;
  options.keep_history = true;
  const Certificate own = certify(program, rk2(), 1e-3, 4e-3, options);
  BOOST_TEST(own.certified);
  BOOST_TEST(own.largest_remainder < 1e-18);
  BOOST_TEST(std::abs(own.history[0].contraction - 0.5) < 1e-12);
  options.growth = Growth::as_printed;
  const Certificate printed = certify(program, rk2(), 1e-3, 4e-3, options);
  BOOST_TEST(std::abs(printed.history[0].contraction - 0.6) < 1e-9);
  BOOST_TEST(std::abs(printed.history[0].remainder - 0.1e-4) < 1e-12);  // (0.60 - 0.50) |e|
}

BOOST_AUTO_TEST_CASE(growth_along_the_stages_leaves_no_remainder_where_e_is_y) {
  // y' = K(t, y) y, e = y: every stage has its own K, and together they are the step itself
  const auto K = [](double t, const VectorXd& y) -> MatrixXd {
    MatrixXd matrix(2, 2);
    matrix << -3.0 + std::sin(t), y[1], 0.5 * y[0], -2.0 + std::cos(4.0 * y[0]);
    return matrix;
  };
  ErrorProgram program;
  program.rhs = [K](double t, const VectorXd& y, VectorXd& v) {
    v = K(t, y) * y;
    return true;
  };
  program.error = [](double, const VectorXd& y, VectorXd& e) {
    e = y;
    return true;
  };
  program.law = ConstraintDynamics::state_dependent(2, K);
  program.y0 = Eigen::Vector2d(0.6, -0.7);
  CertificateOptions options;
  options.eps = 1.0;
  for (const ButcherTable* table : tables) {
    const Certificate found = certify(program, *table, 0.1, 2.0, options);
    BOOST_TEST(found.certified, found.text());
    BOOST_TEST(found.largest_remainder < 1e-15);
  }
}

// ---- misuse

BOOST_AUTO_TEST_CASE(misuse_is_listed) {
  CertificateOptions options;
  options.eps = 0.0;
  options.q = 2.0;
  options.remainder = RemainderKind::given;
  try {
    certify(ErrorProgram{}, rk1(), -1.0, 1.0, options);
    BOOST_ERROR("no complaint");
  } catch (const Error& error) {
    for (const char* part : {"rhs", "no law", "y0", "tau = -1", "eps = 0", "q = 2", "step_limit"})
      BOOST_TEST(contains(error.what(), part), error.what() << " lacks " << part);
  }
  ErrorProgram program = slider_crank(100.0);
  program.law = ConstraintDynamics::first_order(100.0, 2);
  BOOST_CHECK_THROW(certify(program, rk1(), 1e-3, 1.0), Error);
  BOOST_CHECK_THROW(scan_gains(slider_crank, rk1(), 1e-3, 1.0, {1.0}), Error);
}
