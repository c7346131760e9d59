// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <random>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>

using namespace sunlagrange;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

namespace {

std::mt19937 generator(8);

MatrixXd random_matrix(int rows, int columns) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  return MatrixXd::NullaryExpr(rows, columns, [&any] { return any(generator); });
}

MatrixXd random_spd(int n) {
  const MatrixXd X = random_matrix(n, n);
  return X * X.transpose() + 0.05 * MatrixXd::Identity(n, n);
}

/// Smallest singular value of X, relative to what it was summed from.
double singularity(const MatrixXcd& X, double terms) {
  return Eigen::JacobiSVD<MatrixXcd>(X).singularValues().minCoeff() / terms;
}

}  // namespace

BOOST_AUTO_TEST_CASE(roots_of_the_quadratic_eigenproblem) {
  for (int sample = 0; sample < 60; ++sample) {
    const int m = 1 + sample % 5;
    const bool definite = sample % 2 == 0;
    const MatrixXd mass = random_spd(m);
    const MatrixXd damping = definite ? random_spd(m) : random_matrix(m, m);
    const MatrixXd stiffness = definite ? random_spd(m) : random_matrix(m, m);
    const Spectrum roots = quadratic_eigenvalues(mass, damping, stiffness);
    BOOST_REQUIRE(roots.eigenvalues.size() == 2 * m);
    std::complex<double> product = 1.0, sum = 0.0;
    for (const std::complex<double> mu : roots.eigenvalues) {
      const MatrixXcd X = mu * mu * mass + mu * damping + stiffness;
      BOOST_TEST(singularity(X, std::norm(mu) * mass.norm() + std::abs(mu) * damping.norm() + stiffness.norm()) < 1e-9);
      product *= mu;
      sum += mu;
      BOOST_TEST(mu.real() <= roots.max_real);
    }
    BOOST_TEST(std::abs(product * mass.determinant() / stiffness.determinant() - 1.0) < 1e-8);
    BOOST_TEST(std::abs(sum + (mass.inverse() * damping).trace()) < 1e-8 * (1.0 + (mass.inverse() * damping).norm()));
    if (definite) BOOST_TEST(roots.stable);
  }
}

BOOST_AUTO_TEST_CASE(stable_marginal_and_unstable_are_told_apart) {
  const MatrixXd one = MatrixXd::Identity(2, 2), zero = MatrixXd::Zero(2, 2);
  MatrixXd circulating = one;  // a stiffness that is not symmetric pumps energy
  circulating(0, 1) = 0.5;
  circulating(1, 0) = -0.5;
  BOOST_TEST(quadratic_eigenvalues(one, one, one).stable);
  const Spectrum undamped = quadratic_eigenvalues(one, zero, one);
  BOOST_TEST(!undamped.stable);
  BOOST_TEST(undamped.verdict.find("imaginary axis") != std::string::npos);
  const Spectrum pumped = quadratic_eigenvalues(one, 0.1 * one, circulating);
  BOOST_TEST(!pumped.stable);
  BOOST_TEST(pumped.verdict.find("unstable") != std::string::npos);
  BOOST_TEST(quadratic_eigenvalues(one, 2.0 * one, circulating).stable);
}

BOOST_AUTO_TEST_CASE(block_matrix_of_the_extended_system) {
  // m_g = 2, m_psi = 1; y = (g, g', psi). Every row against the law it comes from.
  const MatrixXd mass = random_spd(3), b = random_matrix(3, 3);
  for (const int rows : {2, 3}) {
    const MatrixXd k = random_matrix(rows, 2);
    const MatrixXd A = extended_error_matrix(mass, b, k);
    BOOST_REQUIRE(A.rows() == 5);
    const Eigen::VectorXd y = random_matrix(5, 1);
    const Eigen::VectorXd rate = A * y;
    BOOST_TEST((rate.head(2) - y.segment(2, 2)).norm() == 0.0);  // A12 = I, A13 = 0
    Eigen::VectorXd force = b * y.tail(3);
    force.head(rows) += k * y.head(2);
    BOOST_TEST((mass * rate.tail(3) + force).norm() < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(coupling_of_psi_can_destabilise_what_is_stable_row_by_row) {
  const MatrixXd mass = MatrixXd::Identity(2, 2);
  MatrixXd b = MatrixXd::Identity(2, 2);  // g'' + g' + g + p psi = 0, psi' + psi + r g = 0
  MatrixXd k(2, 1);
  k << 1.0, 0.0;
  BOOST_TEST(spectrum(extended_error_matrix(mass, b, k)).stable);
  // Characteristic polynomial (mu + 1)(mu^2 + mu + 1) - p r: Routh's criterion says stable for -3 < p r < 1.
  for (const double product : {-3.01, -2.99, 0.99, 1.01}) {
    b(0, 1) = product;
    k(1, 0) = 1.0;
    BOOST_TEST(spectrum(extended_error_matrix(mass, b, k)).stable == (product > -3.0 && product < 1.0));
  }
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_named) {
  const MatrixXd one = MatrixXd::Identity(2, 2);
  const auto says = [](const std::string& part) {
    return [part](const Error& e) { return std::string(e.what()).find(part) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(quadratic_eigenvalues(MatrixXd::Ones(2, 2), one, one), Error, says("mass has rank 1 of 2"));
  BOOST_CHECK_EXCEPTION(extended_error_matrix(one, MatrixXd::Identity(3, 3), one), Error, says("dissipation is 3 x 3"));
  BOOST_CHECK_EXCEPTION(extended_error_matrix(one, one, MatrixXd::Ones(3, 1)), Error, says("stiffness is 3 x 1"));
  BOOST_CHECK_EXCEPTION(spectrum(std::nan("") * one), Error, says("is not finite"));
  BOOST_CHECK_EXCEPTION(spectrum(MatrixXd()), Error, says("must be square"));
}
