// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/lyapunov.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>

#include "matrix_exponential.hpp"

using namespace sunlagrange;
using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::exponential;

namespace {

std::mt19937 generator(4);

double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

MatrixXd random_matrix(int n) {
  return MatrixXd::NullaryExpr(n, n, [] { return uniform(-1.0, 1.0); });
}

MatrixXd random_spd(int n) {
  const MatrixXd X = random_matrix(n);
  const MatrixXd S = X * X.transpose() + 0.1 * MatrixXd::Identity(n, n);
  return 0.5 * (S + S.transpose());
}

double max_real(const MatrixXd& A) {
  return Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues().real().maxCoeff();
}

/// Largest real part moved to -rate.
MatrixXd random_stable(int n, double rate) {
  const MatrixXd A = 3.0 * random_matrix(n);
  return A - (max_real(A) + rate) * MatrixXd::Identity(n, n);
}

MatrixXd companion(double c, double k) {
  return (MatrixXd(2, 2) << 0.0, 1.0, -k, -c).finished();
}

double norm(const MatrixXd& A) {
  return Eigen::JacobiSVD<MatrixXd>(A).singularValues()[0];
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Frozen eigenvalues -1/4 +- 0.66i at every t for speed = 1, and yet y = e^{t/2} (cos t, -sin t) solves y' = A y.
Matrix2d turning(double t, double speed) {
  const double s = std::sin(speed * t), c = std::cos(speed * t);
  return (Matrix2d() << -1.0 + 1.5 * c * c, 1.0 - 1.5 * s * c, -1.0 - 1.5 * s * c, -1.0 + 1.5 * s * s).finished();
}

Matrix2d turning_rate(double t, double speed) {
  const double s = std::sin(2.0 * speed * t), c = std::cos(2.0 * speed * t);
  return speed * (Matrix2d() << -1.5 * s, -1.5 * c, -1.5 * c, 1.5 * s).finished();
}

}  // namespace

BOOST_AUTO_TEST_CASE(residual_of_lyapunovs_equation) {
  for (int sample = 0; sample < 60; ++sample) {
    const int n = 1 + sample % 20;
    const MatrixXd A = random_stable(n, 0.3), Q = sample % 3 == 0 ? random_matrix(n) : random_spd(n);
    const MatrixXd P = lyapunov_solution(A, Q);
    BOOST_TEST((A.transpose() * P + P * A + Q).norm() <= 1e-13 * n * A.norm() * P.norm());
    if (sample % 3 == 0) continue;
    BOOST_TEST((P - P.transpose()).norm() == 0.0);
    BOOST_TEST(definiteness(P).cholesky);
  }
}

BOOST_AUTO_TEST_CASE(solution_agrees_with_the_kronecker_system) {
  for (int n = 1; n <= 6; ++n) {
    const MatrixXd A = random_matrix(n), Q = random_spd(n);  // not even stable
    MatrixXd system = MatrixXd::Zero(n * n, n * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int l = 0; l < n; ++l) {
          system(i + n * j, l + n * j) += A(l, i);
          system(i + n * j, i + n * l) += A(l, j);
        }
      }
    }
    const VectorXd x = system.fullPivLu().solve(-Eigen::Map<const VectorXd>(Q.data(), n * n));
    const MatrixXd P = lyapunov_solution(A, Q);
    BOOST_TEST((Eigen::Map<const VectorXd>(P.data(), n * n) - x).norm() <= 1e-10 * x.norm());
  }
}

BOOST_AUTO_TEST_CASE(badly_scaled_laws_are_balanced) {
  // Entries 1 and omega^2 = 1e16 side by side; P = integral of exp(A^T t) Q exp(A t) known for critical damping.
  const double omega = 1e8;
  const MatrixXd A = companion(2.0 * omega, omega * omega);
  const DecayCertificate half =
      lyapunov_certificate_at_rate(A, 0.5 * omega, (MatrixXd(2, 2) << omega * omega, 0.0, 0.0, 1.0).finished());
  BOOST_TEST(half.certified);
  BOOST_TEST(half.rate >= 0.5 * omega);
  BOOST_TEST(half.rate <= omega);
  const Spectrum eigen = spectrum(A);
  BOOST_TEST(eigen.stable);
  BOOST_TEST(std::abs(eigen.max_real / omega + 1.0) < 1e-7);  // double root: square root of the rounding
}

BOOST_AUTO_TEST_CASE(certificates_of_random_stable_laws_hold) {
  for (int sample = 0; sample < 100; ++sample) {
    const int n = 1 + sample % 8;
    const double rate = std::pow(10.0, uniform(-2.0, 1.0));
    const MatrixXd A = random_stable(n, rate);
    const DecayCertificate plain = lyapunov_certificate(A);
    const DecayCertificate asked = lyapunov_certificate_at_rate(A, 0.9 * rate);
    BOOST_REQUIRE(plain.certified);
    BOOST_REQUIRE(asked.certified);
    const VectorXd extent = Eigen::SelfAdjointEigenSolver<MatrixXd>(plain.P).eigenvalues();
    const double exact = 0.5 / extent[n - 1];  // Q = I
    const double rounding = 1e-15 * n * n * A.norm() * extent[n - 1] / extent[0];
    BOOST_TEST(plain.rate <= exact + rounding);
    BOOST_TEST(plain.rate >= exact - rounding);
    BOOST_TEST(asked.rate >= 0.9 * rate);
    for (const DecayCertificate& certificate : {plain, asked}) {
      BOOST_TEST(certificate.rate <= rate * (1.0 + 1e-9));
      for (const double t : {0.01, 0.1, 1.0, 5.0}) {
        BOOST_TEST(norm(exponential(A * (t / rate))) <= certificate.bound(t / rate) * (1.0 + 1e-9));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(unstable_laws_are_named_with_their_eigenvalue) {
  for (int sample = 0; sample < 60; ++sample) {
    const int n = 1 + sample % 8;
    const double growth = sample % 4 == 0 ? 0.0 : std::pow(10.0, uniform(-3.0, 0.0));
    const MatrixXd A = random_stable(n, -growth);
    const DecayCertificate certificate = lyapunov_certificate(A);
    BOOST_TEST(!certificate.certified);
    BOOST_TEST(contains(certificate.verdict, "unstable: the eigenvalue"));
    BOOST_TEST(certificate.rate == 0.0);
    BOOST_TEST(!decay_certificate(A, random_spd(n)).certified);  // whatever the form
  }
  BOOST_TEST(contains(lyapunov_certificate((MatrixXd(1, 1) << 0.25).finished()).verdict, "0.25"));
  BOOST_TEST(contains(lyapunov_certificate_at_rate(companion(3.0, 2.0), 1.5).verdict, "-1 decays more slowly"));
}

BOOST_AUTO_TEST_CASE(eigenvalues_that_add_up_to_zero_are_refused) {
  const auto named = [](const Error& e) { return contains(e.what(), "no unique solution"); };
  BOOST_CHECK_EXCEPTION(lyapunov_solution(companion(0.0, 4.0), MatrixXd::Identity(2, 2)), Error, named);
  const MatrixXd opposite = Eigen::Vector2d(1.0, -1.0).asDiagonal();
  BOOST_CHECK_EXCEPTION(lyapunov_solution(opposite, MatrixXd::Identity(2, 2)), Error, named);
}

BOOST_AUTO_TEST_CASE(sylvester_and_cholesky_agree) {
  int definite = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const int n = 1 + sample % 5;
    const MatrixXd X = random_matrix(n);
    const MatrixXd S = X + X.transpose() + uniform(0.0, 4.0) * MatrixXd::Identity(n, n);
    const Definiteness test = definiteness(S);
    BOOST_TEST(test.cholesky == test.sylvester);
    BOOST_TEST(test.cholesky == (test.smallest_eigenvalue > 0.0));
    BOOST_TEST(std::abs(test.minors[n - 1] - S.determinant()) <= 1e-12 * std::pow(S.norm(), n));
    definite += test.cholesky ? 1 : 0;
  }
  BOOST_TEST(definite > 20);
  BOOST_TEST(definite < 180);
  // leading minors 0, 0 although an eigenvalue is negative: "not negative" would not do
  const Definiteness test = definiteness((MatrixXd(2, 2) << 0.0, 0.0, 0.0, -1.0).finished());
  BOOST_TEST(!test.sylvester);
  BOOST_TEST(contains(test.text(), "leading minor 1 is 0"));
}

BOOST_AUTO_TEST_CASE(the_decrease_contains_the_rate_of_the_form) {
  const MatrixXd A = random_matrix(3), P = random_spd(3), P_rate = random_spd(3);
  const MatrixXd expected = -(A.transpose() * P + P * A + P_rate);
  BOOST_TEST((lyapunov_decrease(A, P, P_rate) - expected).norm() < 1e-14);
  // y' = 0 with V = y^T P(t) y decays exactly as P does.
  const MatrixXd none = MatrixXd::Zero(2, 2), one = MatrixXd::Identity(2, 2);
  const SampledCertificate falling = sampled_certificate({{0.0, none, one, -2.0 * one}});
  BOOST_TEST(falling.certified);
  BOOST_TEST(std::abs(falling.rate - 1.0) < 1e-14);
  BOOST_TEST(!sampled_certificate({{0.0, none, one, {}}}).certified);
}

BOOST_AUTO_TEST_CASE(frozen_forms_have_the_exact_derivative) {
  const double t = 0.4, s = 1e-3;
  const FormSample sample = frozen_form(t, turning(t, 1.0), turning_rate(t, 1.0));
  const auto P = [](double x) { return lyapunov_solution(turning(x, 1.0), MatrixXd::Identity(2, 2)); };
  const MatrixXd difference = (8.0 * (P(t + s) - P(t - s)) - (P(t + 2 * s) - P(t - 2 * s))) / (12.0 * s);
  BOOST_TEST((sample.P - P(t)).norm() < 1e-14);
  BOOST_TEST((sample.P_rate - difference).norm() < 1e-10);
}

BOOST_AUTO_TEST_CASE(frozen_eigenvalues_prove_nothing_about_a_moving_law) {
  std::vector<FormSample> fast, forgetful, slow;
  std::vector<MatrixXd> laws;
  for (double t = 0.0; t < 3.2; t += 0.1) {
    BOOST_TEST(spectrum(turning(t, 1.0)).stable);
    fast.push_back(frozen_form(t, turning(t, 1.0), turning_rate(t, 1.0)));
    forgetful.push_back(fast.back());
    forgetful.back().P_rate.resize(0, 0);
    slow.push_back(frozen_form(t, turning(t, 0.02), turning_rate(t, 0.02)));
    laws.emplace_back(turning(t, 1.0));
  }
  const SampledCertificate refused = sampled_certificate(fast);
  BOOST_TEST(!refused.certified);
  BOOST_TEST(contains(refused.verdict, "at sample " + std::to_string(refused.sample)));
  BOOST_TEST(sampled_certificate(forgetful).certified);  // the derivative of the coefficients decides
  BOOST_TEST(sampled_certificate(slow).certified);
  const SampledCertificate common = common_form(laws);
  BOOST_TEST(!common.certified);
  BOOST_TEST(contains(common.verdict, "no common form"));
}

BOOST_AUTO_TEST_CASE(a_moving_certificate_bounds_the_motion) {
  // y' = A(t) y by many small exponentials, against the certificate from 100 samples.
  const double speed = 0.05, t_end = 20.0;
  std::vector<FormSample> samples;
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.01 * k * t_end;
    samples.push_back(frozen_form(t, turning(t, speed), turning_rate(t, speed)));
  }
  const SampledCertificate certificate = sampled_certificate(samples);
  BOOST_REQUIRE(certificate.certified);
  MatrixXd motion = MatrixXd::Identity(2, 2);
  const double h = 0.005;
  for (double t = 0.0; t < t_end; t += h) {
    motion = exponential(turning(t + 0.5 * h, speed) * h) * motion;
    BOOST_REQUIRE(norm(motion) <= certificate.bound(t + h) * (1.0 + 1e-4));
  }
}

BOOST_AUTO_TEST_CASE(the_sample_that_fails_is_named) {
  const MatrixXd P = MatrixXd::Identity(2, 2);
  std::vector<FormSample> samples(5, {0.0, -P, P, {}});
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k].t = 0.5 * static_cast<double>(k);
  BOOST_TEST(sampled_certificate(samples).certified);
  samples[3].A(1, 1) = -0.5;
  const SampledCertificate limited = sampled_certificate(samples);
  BOOST_TEST(limited.certified);
  BOOST_TEST(limited.sample == 3);
  BOOST_TEST(std::abs(limited.rate - 0.5) < 1e-14);
  const SampledCertificate asked = sampled_certificate(samples, 0.75);
  BOOST_TEST(!asked.certified);
  BOOST_TEST(contains(asked.verdict, "sample 3, t = 1.5"));
  samples[2].P(0, 0) = -1.0;
  BOOST_TEST(contains(sampled_certificate(samples).verdict, "sample 2, t = 1, P is not positive definite"));
  samples[4].t = 0.0;
  BOOST_CHECK_THROW(sampled_certificate(samples), Error);
  BOOST_CHECK_THROW(sampled_certificate({}), Error);
}

BOOST_AUTO_TEST_CASE(a_common_form_holds_for_every_mixture_of_its_samples) {
  for (const double scale : {1.0, 1e4}) {
    std::vector<MatrixXd> laws;
    for (const double zeta : {0.7, 1.0, 1.3}) {
      for (const double omega : {0.9, 1.1}) {
        laws.push_back(companion(2.0 * zeta * omega * scale, omega * omega * scale * scale));
      }
    }
    const SampledCertificate common = common_form(laws, 0.2 * scale);
    BOOST_TEST(common.certified, common.verdict);
    BOOST_TEST(common.rate >= 0.2 * scale);
    for (int k = 0; k < 20; ++k) {
      const double share = uniform(0.0, 1.0);
      const MatrixXd mixture =
          share * laws[static_cast<std::size_t>(k) % 6] + (1.0 - share) * laws[static_cast<std::size_t>(5 - k % 6)];
      const DecayCertificate mixed = decay_certificate(mixture, common.P);
      BOOST_TEST(mixed.certified);
      BOOST_TEST(mixed.rate >= common.rate * (1.0 - 1e-9));
    }
    BOOST_TEST(!common_form(laws, 0.65 * scale).certified);  // the slowest true rate is 0.63, of zeta = 0.7
  }
  const SampledCertificate alone = common_form({companion(2.0, 1.0), companion(-0.1, 1.0)});
  BOOST_TEST(!alone.certified);
  BOOST_TEST(alone.sample == 1);
}

BOOST_AUTO_TEST_CASE(a_law_that_may_switch_between_its_samples_can_explode) {
  // Two stable laws whose alternation grows: no common form may be found.
  const MatrixXd first = (MatrixXd(2, 2) << -0.1, 1.0, -10.0, -0.1).finished();
  const MatrixXd second = (MatrixXd(2, 2) << -0.1, 10.0, -1.0, -0.1).finished();
  const double quarter = 0.5 * std::acos(-1.0) / std::sqrt(10.0);
  BOOST_TEST(norm(exponential(second * quarter) * exponential(first * quarter)) > 1.0);
  BOOST_TEST(!common_form({first, second}).certified);
}
