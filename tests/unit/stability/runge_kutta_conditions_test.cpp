// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <random>

#include <Eigen/SVD>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const ButcherTable* tables[] = {&rk1(), &rk2(), &rk3(), &rk4()};

const ButcherTable midpoint{"midpoint", 2, {0.0, 0.5}, {{}, {0.5}}, {0.0, 1.0}};

MatrixXd random_matrix(std::mt19937& random, int r) {
  std::normal_distribution<double> normal;
  MatrixXd A(r, r);
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return A;
}

ConditionOptions with_q(double q) {
  ConditionOptions options;
  options.q = q;
  return options;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p8_admissible_steps_end_at_the_real_limits) {
  const double limits[] = {2.0, 2.0, 2.5127453266, 2.7852935634};
  for (int p = 0; p < 4; ++p) {
    const double k = 37.0;
    const auto steps = admissible_steps(*tables[p], ConstraintDynamics::first_order(k, 2));
    BOOST_REQUIRE_EQUAL(steps.size(), 1u);
    BOOST_TEST(steps[0].low == 0.0);
    BOOST_TEST(std::abs(steps[0].high * k - limits[p]) < 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(ranges_of_k_of_the_slider_crank) {
  // tau = 1e-3, q = 0.9: [002, (14)] and its counterparts for Theorems 3 to 5
  const double low[] = {100.0, 105.6, 105.4, 105.4};
  const double high[] = {1900.0, 1894.4, 2450.1, 2715.7};
  for (int p = 0; p < 4; ++p) {
    const auto k = admissible_first_order_gains(*tables[p], 1e-3, with_q(0.9));
    BOOST_TEST_CONTEXT(tables[p]->name) {
      BOOST_REQUIRE_EQUAL(k.size(), 1u);
      BOOST_TEST(std::abs(k[0].low - low[p]) < 0.1);
      BOOST_TEST(std::abs(k[0].high - high[p]) < 0.1);
    }
  }
  // what condition 4 leaves, tau = 1e-3, eps = 1e-4, for the three bounds F of the second derivative
  const double F[] = {17.0, 6.80, 3.0};
  const double alpha[] = {0.915, 0.966, 0.985};
  const double first[] = {85.0, 34.0, 15.0};
  for (int i = 0; i < 3; ++i) {
    const double q = allowed_contraction(0.5e-6 * F[i], 1e-4);
    BOOST_TEST(std::abs(q - alpha[i]) < 1e-12);
    const auto k = admissible_first_order_gains(rk1(), 1e-3, with_q(q));
    BOOST_REQUIRE_EQUAL(k.size(), 1u);
    BOOST_TEST(std::abs(k[0].low - first[i]) < 1e-6);
    BOOST_TEST(std::abs(k[0].high - (2000.0 - first[i])) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(no_k_at_all_where_the_smallest_growth_exceeds_q) {
  // min |R| of second order is 1/2, at tau k = 1
  BOOST_TEST(admissible_first_order_gains(rk2(), 1e-3, with_q(0.499)).empty());
  BOOST_TEST(admissible_first_order_gains(midpoint, 1e-3, with_q(0.499)).empty());
  const auto k = admissible_first_order_gains(rk2(), 1e-3, with_q(0.5 + 1e-9));  // far narrower than the sampling
  BOOST_REQUIRE_EQUAL(k.size(), 1u);
  BOOST_TEST(k[0].low < 1000.0);
  BOOST_TEST(k[0].high > 1000.0);
  BOOST_TEST(k[0].high - k[0].low < 0.1);
}

BOOST_AUTO_TEST_CASE(p10_what_the_method_does_is_not_what_is_printed) {
  struct Case {
    const ButcherTable& table;
    double K, K_dot, printed, actual;
  };
  const Case cases[] = {{rk2(), -1000.0, 2e5, 0.60, 0.50},
                        {rk4(), -1000.0, 2e5, 0.430, 0.4105},
                        {rk2(), -1900.0, 5e5, 1.155, 0.68},
                        {rk4(), -1900.0, 5e5, 0.562, 0.264}};
  for (const Case& c : cases) {
    const auto K = [&c](double t) { return MatrixXd::Constant(1, 1, c.K + c.K_dot * t); };
    const auto K_dot = [&c](double) { return MatrixXd::Constant(1, 1, c.K_dot); };
    BOOST_TEST_CONTEXT(c.table.name << " K = " << c.K) {
      for (const bool differences : {false, true}) {
        const auto dynamics =
            differences ? ConstraintDynamics::time_dependent(1, K) : ConstraintDynamics::time_dependent(1, K, {K_dot});
        const StepConditions step = check_step(c.table, dynamics, 1e-3);
        BOOST_TEST(std::abs(step.printed(0, 0) - c.printed) < 5.01e-4);
        BOOST_TEST(std::abs(step.growth(0, 0) - c.actual) < (c.actual == 0.4105 ? 5e-5 : 5e-4));
      }
      // the method itself, written out on e' = K(t) e
      const double tau = 1e-3;
      double e = 1.0;
      std::vector<double> slope;
      for (int i = 0; i < c.table.stages(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        double stage = 1.0;
        for (std::size_t j = 0; j < row; ++j) stage += tau * c.table.A[row][j] * slope[j];
        slope.push_back((c.K + c.K_dot * c.table.c[row] * tau) * stage);
        e += tau * c.table.b[row] * slope.back();
      }
      const auto dynamics = ConstraintDynamics::time_dependent(1, K);
      BOOST_TEST(std::abs(growth_operator(c.table, dynamics, 0.0, tau)(0, 0) - e) < 1e-14);
    }
  }
  // the verdicts differ: unstable as printed, stable in truth
  const auto steep =
      ConstraintDynamics::time_dependent(1, [](double t) { return MatrixXd::Constant(1, 1, -1900.0 + 5e5 * t); });
  const StepConditions step = check_step(rk2(), steep, 1e-3);
  BOOST_TEST(!step.printed_conditions.at(0).satisfied);
  BOOST_TEST(step.in(NormKind::euclidean).satisfied);
}

BOOST_AUTO_TEST_CASE(printed_series_are_the_taylor_polynomials_of_matrix_laws) {
  // F' = K(t) F with matrices that do not commute, K quadratic in t: F(tau) - series of order p is O(tau^(p+1)).
  std::mt19937 random(1);
  const MatrixXd A = random_matrix(random, 3), B = random_matrix(random, 3), C = random_matrix(random, 3),
                 D = random_matrix(random, 3);
  const auto K = [&](double t) -> MatrixXd { return A + t * B + t * t * C + t * t * t * D; };
  const auto dynamics = ConstraintDynamics::time_dependent(3, K);
  const auto exact = [&](double tau) {
    MatrixXd F = MatrixXd::Identity(3, 3);
    const int steps = 400;
    for (int i = 0; i < steps; ++i) F = rk4().growth(K, i * tau / steps, tau / steps) * F;
    return F;
  };
  for (int p = 1; p <= 4; ++p) {
    const double tau = p < 4 ? 0.01 : 0.04;
    const double coarse = (exact(tau) - printed_growth(p, dynamics, 0.0, tau)).norm();
    const double fine = (exact(0.5 * tau) - printed_growth(p, dynamics, 0.0, 0.5 * tau)).norm();
    BOOST_TEST(std::abs(std::log2(coarse / fine) - (p + 1)) < 0.1, "order " << p << ": " << coarse << " " << fine);
    // so is the method's own growth
    const ButcherTable& table = *tables[p - 1];
    const double c = (exact(tau) - growth_operator(table, dynamics, 0.0, tau)).norm();
    const double f = (exact(0.5 * tau) - growth_operator(table, dynamics, 0.0, 0.5 * tau)).norm();
    BOOST_TEST(std::abs(std::log2(c / f) - (p + 1)) < 0.1);
  }
  BOOST_CHECK_THROW(printed_growth(5, dynamics, 0.0, 0.1), Error);
}

BOOST_AUTO_TEST_CASE(for_constant_laws_both_forms_are_the_stability_function) {
  std::mt19937 random(2);
  for (int p = 1; p <= 4; ++p) {
    const auto dynamics = ConstraintDynamics::first_order(random_matrix(random, 4));
    const MatrixXd own = growth_operator(*tables[p - 1], dynamics, 0.0, 0.3);
    BOOST_TEST((own - printed_growth(p, dynamics, 7.0, 0.3)).norm() < 1e-13);
    BOOST_TEST((own - growth_operator(*tables[p - 1], dynamics, 0.0, 0.3, Growth::as_printed)).norm() < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(differences_of_the_law_agree_with_its_derivatives) {
  const auto K = [](double t) { return MatrixXd::Constant(1, 1, -3.0 + std::sin(2.0 * t)); };
  const auto dynamics = ConstraintDynamics::time_dependent(1, K);
  const double t = 0.4;
  const double exact[] = {2.0 * std::cos(2.0 * t), -4.0 * std::sin(2.0 * t), -8.0 * std::cos(2.0 * t)};
  for (int order = 1; order <= 3; ++order)
    BOOST_TEST(std::abs(dynamics.derivative(order, t, 0.05)(0, 0) - exact[order - 1]) < 1e-6);
}

// ---- norms

BOOST_AUTO_TEST_CASE(lyapunov_norm_contracts_exactly_where_the_spectral_radius_is_below_one) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> radius(0.5, 1.5);
  int stable = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int r = 1 + trial % 6;
    MatrixXd R = random_matrix(random, r);
    const double rho = trial % 7 == 0 ? 0.999 : radius(random);
    R *= rho / spectral_radius(R);
    BOOST_TEST(std::abs(spectral_radius(R) - rho) < 1e-10);
    if (rho >= 1.0) {
      BOOST_TEST(contains(message_of([&R] { lyapunov_norm(R); }), "spectral radius"));
      continue;
    }
    ++stable;
    const StepNorm norm = lyapunov_norm(R);
    const double contraction = norm.induced(R);
    BOOST_TEST(contraction < 1.0);
    BOOST_TEST(contraction > rho * (1.0 - 1e-9));  // no norm is better
    // what it promises: every vector contracts; between the plain norm and a multiple of it
    for (int k = 0; k < 10; ++k) {
      const VectorXd e = random_matrix(random, r).col(0);
      BOOST_TEST(norm(R * e) <= contraction * norm(e) * (1.0 + 1e-9));
      BOOST_TEST(norm(e) >= e.norm() * (1.0 - 1e-9));
    }
    const double q = 0.5 * (1.0 + rho);  // and with a bound
    BOOST_TEST(lyapunov_norm(R, q).induced(R) < q);
    BOOST_CHECK_THROW(lyapunov_norm(R, 0.99 * rho), Error);
  }
  BOOST_TEST(stable > 100);
}

BOOST_AUTO_TEST_CASE(induced_and_logarithmic_norms_are_what_their_definitions_say) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const int r = 2 + trial % 3;
    const MatrixXd K = random_matrix(random, r), S = random_matrix(random, r);
    const VectorXd scale = S.col(0).cwiseAbs() + VectorXd::Constant(r, 0.1);
    const StepNorm norms[] = {StepNorm::euclidean(r, scale), StepNorm::maximum(r, scale),
                              StepNorm::lyapunov(S * S.transpose() + MatrixXd::Identity(r, r))};
    for (const StepNorm& norm : norms) {
      BOOST_TEST_CONTEXT(to_string(norm.kind())) {
        for (int k = 0; k < 100; ++k) {
          const VectorXd e = random_matrix(random, r).col(0);
          BOOST_TEST(norm(K * e) <= norm.induced(K) * norm(e) * (1.0 + 1e-12));
        }
        // attained: by a right singular vector, or by the signs of a row
        const MatrixXd from_coordinates = norm.coordinates().inverse();
        const MatrixXd x = norm.coordinates() * K * from_coordinates;
        const Eigen::JacobiSVD<MatrixXd> svd(x, Eigen::ComputeFullV);
        const VectorXd longest = norm.kind() == NormKind::maximum ? VectorXd::Zero(r) : VectorXd(svd.matrixV().col(0));
        double largest = norm(K * from_coordinates * longest);
        for (int row = 0; row < r && norm.kind() == NormKind::maximum; ++row) {
          const VectorXd signs = x.row(row).unaryExpr([](double a) { return a < 0.0 ? -1.0 : 1.0; }).transpose();
          largest = std::max(largest, norm(K * from_coordinates * signs));
        }
        BOOST_TEST(std::abs(largest / norm.induced(K) - 1.0) < 1e-10);
        const double h = 1e-7;
        const double slope = (norm.induced(MatrixXd::Identity(r, r) + h * K) - 1.0) / h;
        BOOST_TEST(std::abs(slope - norm.logarithmic(K)) < 1e-5 * (1.0 + K.squaredNorm()) * 10.0);
      }
    }
  }
  BOOST_CHECK_THROW(StepNorm::lyapunov(-MatrixXd::Identity(2, 2)), Error);
  BOOST_CHECK_THROW(StepNorm::euclidean(2, VectorXd::Zero(2)), Error);
}

// ---- Baumgarte's companion matrix

BOOST_AUTO_TEST_CASE(companion_matrices_defeat_euclidean_and_maximum_norm) {
  for (const double omega : {0.3, 1.0, 20.0}) {
    for (const double zeta : {0.3, 1.0, 2.0}) {
      const auto dynamics = ConstraintDynamics::second_order(omega, zeta, 2);
      for (const ButcherTable* table : tables) {
        BOOST_TEST_CONTEXT(table->name << " omega = " << omega << " zeta = " << zeta) {
          const StepConditions step = check_step(*table, dynamics, 0.05 / (omega * std::max(zeta, 1.0)));
          BOOST_TEST(step.stable());
          for (const NormKind kind : {NormKind::euclidean, NormKind::maximum}) {
            const NormCondition& condition = step.in(kind);
            // e_g' K e_g = 0: the logarithmic norm cannot be negative; with omega = 1 it is zero in the Euclidean norm
            if (omega != 1.0 || kind == NormKind::maximum) {
              BOOST_TEST(!condition.satisfied);
              BOOST_TEST(contains(condition.words, "logarithmic norm"));
              BOOST_TEST(contains(condition.words, "use the Lyapunov norm"));
            }
            const NormVerdict verdict = norm_verdict(*table, dynamics, kind);
            BOOST_TEST(verdict.logarithmic_norm >= -1e-14);
            if (kind == NormKind::maximum) BOOST_TEST(!verdict.small_steps);
            if (table == &rk1()) {  // I + tau K has the first column (1, -tau omega^2): never below 1
              BOOST_TEST(!verdict.attainable);
              BOOST_TEST(verdict.smallest_value >= 1.0);
              BOOST_TEST(contains(verdict.words, "no step"));
            }
          }
          BOOST_TEST(step.in(NormKind::lyapunov).satisfied);
          BOOST_TEST(step.in(NormKind::lyapunov).value < 1.0);
          BOOST_TEST(contains(step.text(), "lyapunov"));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(large_steps_of_heun_satisfy_the_euclidean_norm_where_the_companion_matrix_turns_diagonal) {
  // zeta = 1, omega tau = 1: R_2(tau K) = diag(1/2, 1/2) in every unit of time
  const auto dynamics = ConstraintDynamics::second_order(20.0, 1.0);
  const NormVerdict verdict = norm_verdict(rk2(), dynamics, NormKind::euclidean);
  BOOST_TEST(verdict.attainable);
  BOOST_TEST(!verdict.small_steps);
  BOOST_REQUIRE_EQUAL(verdict.steps.size(), 1u);
  BOOST_TEST(verdict.steps[0].low < 0.05);
  BOOST_TEST(verdict.steps[0].high > 0.05);
  BOOST_TEST(check_step(rk2(), dynamics, 0.05).in(NormKind::euclidean).satisfied);
  BOOST_TEST(!check_step(rk2(), dynamics, 0.01).in(NormKind::euclidean).satisfied);
}

BOOST_AUTO_TEST_CASE(steps_and_frequencies_of_second_order_laws) {
  // double pole -omega at zeta = 1: tau omega < 2, 2, 2.513, 2.785
  for (const ButcherTable* table : tables) {
    const double limit = table->real_stability_limit();
    const auto steps = admissible_steps(*table, ConstraintDynamics::second_order(20.0, 1.0, 2));
    BOOST_REQUIRE_EQUAL(steps.size(), 1u);
    BOOST_TEST(std::abs(steps[0].high * 20.0 - limit) < 1e-5);
    const auto omega = admissible_frequencies(*table, 1e-2, 1.0);
    BOOST_REQUIRE_EQUAL(omega.size(), 1u);
    BOOST_TEST(std::abs(omega[0].high * 1e-2 - limit) < 1e-5);
    // zeta = 0.7: the edge is where |R(tau mu)| = 1 for the complex pole
    const auto under = admissible_frequencies(*table, 1e-2, 0.7);
    BOOST_REQUIRE_EQUAL(under.size(), 1u);
    const auto radius = [&](double w) {
      const std::complex<double> z = 1e-2 * w * std::complex<double>(-0.7, std::sqrt(1.0 - 0.49));
      std::complex<double> sum = 0.0;
      const std::vector<double> r = table->stability_coefficients();
      for (std::size_t i = r.size(); i-- > 0;) sum = sum * z + r[i];
      return std::abs(sum);
    };
    BOOST_TEST(std::abs(radius(under[0].high) - 1.0) < 1e-7);
  }
}

BOOST_AUTO_TEST_CASE(units_of_time_do_not_matter_where_norms_are_made_for_the_law) {
  // omega tau = 0.5 in seconds, hours and microseconds
  double contraction = 0.0;
  for (const double unit : {1.0, 3600.0, 1e-6}) {
    const auto dynamics = ConstraintDynamics::second_order(20.0 * unit, 1.0, 2);
    const StepConditions step = check_step(rk4(), dynamics, 0.025 / unit);
    BOOST_TEST(std::abs(step.spectral_radius - rk4().stability_function(-0.5)) < 1e-6);
    const double value = step.in(NormKind::lyapunov).value;
    if (contraction != 0.0) BOOST_TEST(std::abs(value - contraction) < 1e-6);
    contraction = value;
    const auto steps = admissible_steps(rk4(), dynamics);
    BOOST_REQUIRE_EQUAL(steps.size(), 1u);
    BOOST_TEST(std::abs(steps[0].high * 20.0 * unit - rk4().real_stability_limit()) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(undamped_errors_never_contract_with_euler_and_heun) {
  Gains gains;
  gains.K_D = 0.0;
  gains.K_P = 100.0;
  const auto dynamics = ConstraintDynamics::second_order(gains, 1);
  BOOST_TEST(admissible_steps(rk1(), dynamics).empty());
  BOOST_TEST(admissible_steps(rk2(), dynamics).empty());
  const auto steps = admissible_steps(rk4(), dynamics);  // imaginary axis up to sqrt(8)
  BOOST_REQUIRE_EQUAL(steps.size(), 1u);
  BOOST_TEST(std::abs(steps[0].high * 10.0 - std::sqrt(8.0)) < 1e-6);
  BOOST_TEST(steps[0].low * 10.0 < 0.02);  // 1 - |R| = (omega tau)^6 / 144 drowns in rounding below
  const StepConditions step = check_step(rk1(), dynamics, 0.01);
  BOOST_TEST(!step.in(NormKind::lyapunov).satisfied);
  BOOST_TEST(contains(step.in(NormKind::lyapunov).words, "no step"));
}

BOOST_AUTO_TEST_CASE(laws_with_full_gain_matrices_and_velocity_rows) {
  const MatrixXd K_P = (MatrixXd(2, 2) << 20.0, 1.0, 1.0, 10.0).finished();
  Gains gains;
  gains.K_P = Gain(K_P);
  gains.K_D = Gain(std::vector<double>{3.0, 4.0});
  gains.K_N = 7.0;
  const auto dynamics = ConstraintDynamics::second_order(gains, 2, 1);
  MatrixXd K = MatrixXd::Zero(5, 5);
  K.topRows(2).middleCols(2, 2).setIdentity();
  K.block(2, 0, 2, 2) = -K_P;
  K(2, 2) = -3.0;
  K(3, 3) = -4.0;
  K(4, 4) = -7.0;
  BOOST_TEST((dynamics.K(0.0) == K));
  BOOST_TEST(dynamics.is_second_order());
  BOOST_TEST(std::abs(dynamics.scale()[2] - 1.0 / std::sqrt(20.0)) < 1e-15);
  // a wide spectrum: the fastest eigenvalue ends the interval, in every norm-independent sense
  const double fastest = spectral_radius(K);
  const auto steps = admissible_steps(rk1(), dynamics);
  BOOST_REQUIRE_EQUAL(steps.size(), 1u);
  BOOST_TEST(std::abs(spectral_radius(rk1().stability_function(steps[0].high * K)) - 1.0) < 1e-8);
  BOOST_TEST(steps[0].high < 2.0 / fastest * 1.2);
}

BOOST_AUTO_TEST_CASE(an_own_family_of_gains) {
  // K = -x A with a non-normal A: limit 2 / (x max eigenvalue) for Euler, found in the Euclidean norm as well
  const MatrixXd A = (MatrixXd(2, 2) << 1.0, 0.5, 0.0, 3.0).finished();
  const auto family = [&A](double x) { return ConstraintDynamics::from_matrix(-x * A); };
  const auto stable = admissible_gains(rk1(), family, 0.01, 0.0, 500.0);
  BOOST_REQUIRE_EQUAL(stable.size(), 1u);
  BOOST_TEST(std::abs(stable[0].high - 200.0 / 3.0) < 1e-6);
  ConditionOptions options;
  options.norm = NormKind::euclidean;
  const auto euclidean = admissible_gains(rk1(), family, 0.01, 0.0, 500.0, options);
  BOOST_REQUIRE_EQUAL(euclidean.size(), 1u);
  BOOST_TEST(euclidean[0].high < stable[0].high);
  BOOST_TEST(std::abs(StepNorm::euclidean(2).induced(MatrixXd::Identity(2, 2) - 0.01 * euclidean[0].high * A) - 1.0) <
             1e-9);
}

BOOST_AUTO_TEST_CASE(bad_input_is_named) {
  const auto law = ConstraintDynamics::first_order(10.0);
  BOOST_TEST(contains(message_of([] { ConstraintDynamics::first_order(-1.0); }), "erratum F1"));
  BOOST_TEST(contains(message_of([] { ConstraintDynamics::second_order(Gains{}, 1); }), "K_P is automatic"));
  BOOST_TEST(contains(message_of([] { ConstraintDynamics::from_matrix(MatrixXd::Zero(1, 2)); }), "1 x 2"));
  BOOST_TEST(contains(message_of([&] { check_step(rk1(), law, -1.0); }), "tau = -1"));
  BOOST_TEST(contains(message_of([&] { check_step(rk1(), law, 1.0, 1.5); }), "q = 1.5"));
  ButcherTable wrong = rk4();
  wrong.b[0] = 0.2;
  BOOST_TEST(contains(message_of([&] { check_step(wrong, law, 1.0); }), "sum b_i = 1"));
  const auto state =
      ConstraintDynamics::state_dependent(1, [](double, const VectorXd& y) { return MatrixXd::Constant(1, 1, -y[0]); });
  BOOST_TEST(contains(message_of([&] { check_step(rk1(), state, 1.0); }), "K depends on y"));
  const auto size = ConstraintDynamics::time_dependent(2, [](double) { return MatrixXd::Zero(1, 1); });
  BOOST_TEST(contains(message_of([&] { check_step(rk1(), size, 1.0); }), "must be 2 x 2"));
}
