// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/damped_form.hpp>
#include <sunlagrange/stability/lyapunov.hpp>
#include <sunlagrange/stability/symmetric_factors.hpp>

#include "matrix_exponential.hpp"

/// Theorem 1 of [003]: A = -K^-1 L.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::exponential;

namespace {

std::mt19937 generator(3);

MatrixXd random_matrix(int n) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  return MatrixXd::NullaryExpr(n, n, [&any] { return any(generator); });
}

MatrixXd random_spd(int n) {
  const MatrixXd X = random_matrix(n);
  return X * X.transpose() + 0.1 * MatrixXd::Identity(n, n);
}

MatrixXd companion(double c, double k) {
  return (MatrixXd(2, 2) << 0.0, 1.0, -k, -c).finished();
}

VectorXd eigenvalues(const MatrixXd& S) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(S).eigenvalues();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Best lambda_min(L)/lambda_max(K) over K = [bc - k, b; b, 1], by scanning b.
double scanned_rate(double c, double k) {
  double best = 0.0;
  const double root = std::sqrt(0.25 * c * c - k);
  for (int i = 1; i < 40000; ++i) {
    const double b = 0.5 * c - root + 2.0 * root * i / 40000.0;
    const MatrixXd K = (MatrixXd(2, 2) << b * c - k, b, b, 1.0).finished();
    const MatrixXd L = (MatrixXd(2, 2) << b * k, k, k, c - b).finished();
    best = std::max(best, eigenvalues(L)[0] / eigenvalues(K)[1]);
  }
  return best;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p20_best_rates_of_the_theorem) {
  const double published[][4] = {{3.0, 2.0, 0.036, 1.0}, {2.1, 1.0, 0.024, 0.73}, {10.0, 1.0, 0.096, 0.101}};
  for (const auto& [c, k, rate, true_rate] : published) {
    const SymmetricFactors found = symmetric_factors(companion(c, k));
    BOOST_TEST(found.certified, found.verdict);
    BOOST_TEST(std::abs(found.rate - rate) < 5e-4);
    BOOST_TEST(std::abs(found.rate / scanned_rate(c, k) - 1.0) < 1e-6);
    BOOST_TEST(std::abs(found.rate_in_form - true_rate) < 5e-3);
    BOOST_TEST(found.rate == found.lambda_0 / found.k_2);
    BOOST_TEST(std::abs(found.overshoot - std::sqrt(found.k_2 / found.k_1)) < 1e-12);
    BOOST_TEST((found.P * companion(c, k) + found.L).norm() < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(p20_not_applicable_to_critical_damping_and_oscillation) {
  BOOST_TEST(contains(symmetric_factors(companion(2.0, 1.0)).verdict, "not applicable"));
  BOOST_TEST(contains(symmetric_factors(companion(2.0, 1.0)).verdict, "critical"));
  BOOST_TEST(contains(symmetric_factors(companion(1.5, 1.0)).verdict, "not applicable"));
  BOOST_TEST(contains(symmetric_factors(companion(1.5, 1.0)).verdict, "oscillation"));
  for (const double omega : {1e-3, 0.7, 3.0, 1e3, 1e6}) {  // Remark 3 of [000]
    const MatrixXd critical = companion(2.0 * omega, omega * omega);
    BOOST_TEST(!symmetric_factors(critical).certified);
    BOOST_TEST(symmetric_factors(critical).rate == 0.0);
    BOOST_TEST(lyapunov_certificate(critical).certified);  // these do apply
    BOOST_TEST(DampedForm(MatrixXd::Constant(1, 1, 2.0 * omega), MatrixXd::Constant(1, 1, omega * omega))
                   .best_certificate()
                   .certified);
  }
  MatrixXd two = MatrixXd::Zero(4, 4);  // one constraint overdamped, the other critical
  two.topLeftCorner(2, 2) = companion(3.0, 2.0);
  two.bottomRightCorner(2, 2) = companion(2.0, 1.0);
  BOOST_TEST(contains(symmetric_factors(two).verdict, "not applicable"));
  const SymmetricFactors growing = symmetric_factors(companion(-3.0, 2.0));
  BOOST_TEST(contains(growing.verdict, "is not negative"));
}

BOOST_AUTO_TEST_CASE(the_rate_fades_towards_critical_damping_as_the_scan_says) {
  for (const double excess : {1e-1, 1e-2, 1e-4, 1e-6}) {
    const SymmetricFactors found = symmetric_factors(companion(2.0 + excess, 1.0));
    BOOST_TEST(found.certified, found.verdict);
    BOOST_TEST(std::abs(found.rate / scanned_rate(2.0 + excess, 1.0) - 1.0) < 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(every_product_of_symmetric_factors_is_recognised) {
  for (int sample = 0; sample < 60; ++sample) {
    const int n = 1 + sample % 6;
    const MatrixXd K = random_spd(n), L = random_spd(n), A = -K.inverse() * L;
    const SymmetricFactors found = symmetric_factors(A);
    BOOST_REQUIRE_MESSAGE(found.certified, found.verdict);
    const double given = eigenvalues(L)[0] / eigenvalues(K)[n - 1];
    BOOST_TEST(found.rate >= given * (1.0 - 1e-5));  // the best one is no worse
    const double true_rate = -Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues().real().maxCoeff();
    BOOST_TEST(found.rate <= true_rate * (1.0 + 1e-9));
    BOOST_TEST(std::abs(found.rate_in_form / true_rate - 1.0) < 1e-6);
    BOOST_TEST((found.P * A + found.L).norm() <= 1e-9 * found.P.norm() * A.norm());
    for (const double t : {0.1, 1.0, 10.0}) {
      const double growth = Eigen::JacobiSVD<MatrixXd>(exponential(A * (t / true_rate))).singularValues()[0];
      BOOST_TEST(growth <= found.bound(t / true_rate) * (1.0 + 1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(multiple_eigenvalues_are_no_obstacle_if_their_eigenvectors_are_there) {
  // The same scalar gains for three constraints, in rotated coordinates.
  const Eigen::HouseholderQR<MatrixXd> qr(random_matrix(3));
  const MatrixXd rotation = qr.householderQ();
  MatrixXd A = MatrixXd::Zero(6, 6), turn = MatrixXd::Zero(6, 6);
  A.topRightCorner(3, 3).setIdentity();
  A.bottomLeftCorner(3, 3) = -2.0 * MatrixXd::Identity(3, 3);
  A.bottomRightCorner(3, 3) = -3.0 * MatrixXd::Identity(3, 3);
  turn.topLeftCorner(3, 3) = turn.bottomRightCorner(3, 3) = rotation;
  const SymmetricFactors found = symmetric_factors(turn * A * turn.transpose());
  BOOST_TEST(found.certified, found.verdict);
  BOOST_TEST(std::abs(found.rate / scanned_rate(3.0, 2.0) - 1.0) < 1e-6);
  // A = -K^-1 L with L = K: any K serves, the identity is best.
  BOOST_TEST(std::abs(symmetric_factors(-2.0 * MatrixXd::Identity(4, 4)).rate - 2.0) < 1e-5);
}

BOOST_AUTO_TEST_CASE(theorem_1_as_printed_is_false) {
  // K = I, L(t) = diag(1, e^-t): symmetric, positive definite, ||L|| = 1 > lambda_0 = 0.9, k_1 = k_2 = 1. The printed
  // theorem claims exponential decay; in truth y_2 tends to y_2(0)/e.
  const auto L = [](double t) { return MatrixXd(Eigen::Vector2d(1.0, std::exp(-t)).asDiagonal()); };
  const MatrixXd K = MatrixXd::Identity(2, 2);
  const double lambda_0 = 0.9, t_end = 20.0, h = 1e-3;
  VectorXd y = Eigen::Vector2d(0.0, 1.0);
  std::vector<MatrixXd> samples;
  for (int k = 0; k < 20000; ++k) {
    const double t = h * k;
    if (k % 1000 == 0) samples.push_back(-L(t));
    BOOST_REQUIRE(Eigen::JacobiSVD<MatrixXd>(L(t)).singularValues()[0] > lambda_0);
    const VectorXd middle = y - 0.5 * h * (L(t) * y);
    y -= h * (L(t + 0.5 * h) * middle);
  }
  BOOST_TEST(std::abs(y[1] - std::exp(std::exp(-t_end) - 1.0)) < 1e-6);
  BOOST_TEST(y.norm() > 1e6 * std::exp(-lambda_0 * t_end));  // the printed bound is missed by far
  // Corrected: lambda_0 is the smallest eigenvalue, and what it promises is kept.
  const SymmetricFactors corrected = symmetric_factors(K, samples);
  BOOST_TEST(corrected.certified);
  BOOST_TEST(std::abs(corrected.lambda_0 / std::exp(-19.0) - 1.0) < 1e-6);
  BOOST_TEST(y.norm() <= corrected.bound(19.0));
}

BOOST_AUTO_TEST_CASE(definition_3_needs_its_overshoot_factor) {
  const MatrixXd A = companion(3.0, 2.0);
  const SymmetricFactors found = symmetric_factors(A);
  double worst = 0.0;
  for (double t = 0.0; t < 3.0; t += 0.01) {
    const double growth = Eigen::JacobiSVD<MatrixXd>(exponential(A * t)).singularValues()[0];
    BOOST_REQUIRE(growth <= found.bound(t) * (1.0 + 1e-12));
    worst = std::max(worst, growth);
  }
  BOOST_TEST(worst > 1.001);  // ||y|| <= ||y0|| e^{alpha t}, alpha < 0, as printed, would forbid that
}

BOOST_AUTO_TEST_CASE(a_given_K_is_checked_sample_by_sample) {
  const MatrixXd K = random_spd(3), L = random_spd(3);
  const MatrixXd good = -K.inverse() * L;
  BOOST_TEST(symmetric_factors(K, {good, 2.0 * good}).certified);
  BOOST_TEST(contains(symmetric_factors(K, {good, good * K}).verdict, "K A of sample 1 is not symmetric"));
  BOOST_TEST(contains(symmetric_factors(K, {good, -good}).verdict, "L of sample 1 is not positive definite"));
  BOOST_TEST(contains(symmetric_factors(-K, {good}).verdict, "K is not positive definite"));
  BOOST_CHECK_THROW(symmetric_factors(K, {}), Error);
  BOOST_CHECK_THROW(symmetric_factors(K, {companion(3.0, 2.0)}), Error);
  BOOST_CHECK_THROW(symmetric_factors(MatrixXd(2, 3)), Error);
}
