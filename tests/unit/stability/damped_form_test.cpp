// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/damped_form.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>

#include "matrix_exponential.hpp"

/// The Lyapunov function [000, (18)-(19)].
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::exponential;

namespace {

std::mt19937 generator(20);

double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

MatrixXd random_matrix(int rows, int columns) {
  return MatrixXd::NullaryExpr(rows, columns, [] { return uniform(-1.0, 1.0); });
}

MatrixXd random_spd(int m, double scale) {
  const MatrixXd X = random_matrix(m, m);
  return scale * (X * X.transpose() + 0.05 * MatrixXd::Identity(m, m));
}

/// [0 I; -mass^-1 stiffness, -mass^-1 damping], written independently of the library.
MatrixXd law(const MatrixXd& mass, const MatrixXd& damping, const MatrixXd& stiffness) {
  const Eigen::Index m = mass.rows();
  MatrixXd A = MatrixXd::Zero(2 * m, 2 * m);
  A.topRightCorner(m, m).setIdentity();
  A.bottomLeftCorner(m, m) = -mass.inverse() * stiffness;
  A.bottomRightCorner(m, m) = -mass.inverse() * damping;
  return A;
}

MatrixXd one_by_one(double x) {
  return MatrixXd::Constant(1, 1, x);
}

double true_rate(const MatrixXd& A) {
  return -Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues().real().maxCoeff();
}

/// dV/dt along exp(A t) y by a fourth-order difference.
template <class Function>
double numerical_derivative(const MatrixXd& A, const VectorXd& y, const Function& V) {
  const double s = 1e-3 / A.norm();
  const auto at = [&](double k) { return V(VectorXd(exponential(A * (k * s)) * y)); };
  return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * s);
}

}  // namespace

BOOST_AUTO_TEST_CASE(p20_best_certified_rates_of_one_constraint) {
  // Best rate zeta omega (1 - zeta/sqrt(1 + zeta^2)) at eps = zeta omega; published: 0.2929, 0.276, 0.211 omega.
  const double published[][3] = {{1.0, 0.29289, 1e-5}, {0.5, 0.276, 5e-4}, {2.0, 0.211, 5e-4}};
  for (const auto& [zeta, expected, digits] : published) {
    for (const double omega : {1.0, 1e-3, 7.0, 1e6}) {
      const DampedForm form(one_by_one(2.0 * zeta * omega), one_by_one(omega * omega));
      const DecayCertificate best = form.best_certificate();
      BOOST_TEST(best.certified);
      BOOST_TEST(std::abs(best.rate / omega - expected) < digits);
      const double formula = zeta * omega * (1.0 - zeta / std::sqrt(1.0 + zeta * zeta));
      BOOST_TEST(std::abs(best.rate / formula - 1.0) < 1e-9);
      BOOST_TEST(std::abs(form.best_epsilon() / (zeta * omega) - 1.0) < 1e-6);
      BOOST_TEST(std::abs(0.5 * form.largest_epsilon() / (zeta * omega) - 1.0) < 1e-14);
      for (double share = 0.02; share < 1.0; share += 0.02) {
        BOOST_TEST(form.certificate(share * form.largest_epsilon()).rate <= best.rate * (1.0 + 1e-12));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(p20_overshoot_is_the_root_of_the_condition_number) {
  const DampedForm form(one_by_one(2.0), one_by_one(1.0));  // P = [3 1; 1 1], eigenvalues 2 +- sqrt(2)
  const double root = std::sqrt(2.0);
  BOOST_TEST(std::abs(form.certificate(1.0).overshoot - std::sqrt((2.0 + root) / (2.0 - root))) < 1e-12);
}

BOOST_AUTO_TEST_CASE(derivative_is_minus_the_form_of_Q) {
  for (int sample = 0; sample < 200; ++sample) {
    const int m = 1 + sample % 4;
    const double omega = std::pow(10.0, uniform(-2.0, 2.0));
    const MatrixXd K_D = random_spd(m, omega), K_P = random_spd(m, omega * omega);  // do not commute
    const MatrixXd mass = random_spd(m, 1.0);
    const bool with_mass = sample % 2 == 1;
    const DampedForm form = with_mass ? DampedForm::with_mass(mass, K_D, K_P) : DampedForm(K_D, K_P);
    const MatrixXd A = law(with_mass ? mass : MatrixXd::Identity(m, m), K_D, K_P);
    const double epsilon = uniform(0.01, 0.99) * form.largest_epsilon();
    VectorXd y = random_matrix(2 * m, 1);
    y.tail(m) *= omega;
    const auto V = [&](const VectorXd& x) { return form.value(epsilon, x.head(m), x.tail(m)); };
    const MatrixXd P = form.P(epsilon), Q = form.Q(epsilon);
    const double terms = y.cwiseAbs().dot(P.cwiseAbs() * A.cwiseAbs() * y.cwiseAbs());
    BOOST_TEST(std::abs(V(y) - 0.5 * y.dot(P * y)) <= 1e-13 * V(y));
    BOOST_TEST(std::abs(form.derivative(epsilon, y.head(m), y.tail(m)) + y.dot(Q * y)) <= 1e-13 * terms);
    BOOST_TEST(std::abs(numerical_derivative(A, y, V) + y.dot(Q * y)) <= 1e-9 * terms);
    BOOST_TEST(Eigen::SelfAdjointEigenSolver<MatrixXd>(P).eigenvalues()[0] > 0.0);  // erratum E5
    BOOST_TEST(Eigen::SelfAdjointEigenSolver<MatrixXd>(Q).eigenvalues()[0] > 0.0);
  }
}

BOOST_AUTO_TEST_CASE(no_certificate_promises_more_than_the_motion_keeps) {
  for (int sample = 0; sample < 300; ++sample) {
    const int m = 1 + sample % 3;
    const double omega = std::pow(10.0, uniform(-3.0, 3.0));
    const MatrixXd K_D = random_spd(m, omega), K_P = random_spd(m, omega * omega);
    const DampedForm form(K_D, K_P);
    const MatrixXd A = law(MatrixXd::Identity(m, m), K_D, K_P);
    const DecayCertificate best = form.best_certificate();
    BOOST_REQUIRE(best.certified);
    BOOST_TEST(best.rate <= true_rate(A) * (1.0 + 1e-6));
    BOOST_TEST(best.rate >= form.certificate(0.5 * form.largest_epsilon()).rate * (1.0 - 1e-12));
    for (const double share : {0.1, 0.5, 1.0, 3.0, 10.0}) {
      const double t = share / best.rate;
      const double growth = Eigen::JacobiSVD<MatrixXd>(exponential(A * t)).singularValues()[0];
      BOOST_TEST(growth <= best.bound(t) * (1.0 + 1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_mass_is_a_change_of_coordinates) {
  // z = m^1/2 g turns the law with a mass into the one without.
  for (int sample = 0; sample < 20; ++sample) {
    const MatrixXd mass = random_spd(3, 2.0), damping = random_spd(3, 5.0), stiffness = random_spd(3, 30.0);
    const MatrixXd root = Eigen::SelfAdjointEigenSolver<MatrixXd>(mass).operatorInverseSqrt();
    const DampedForm with = DampedForm::with_mass(mass, damping, stiffness);
    const DampedForm without(root * damping * root, root * stiffness * root);
    BOOST_TEST(std::abs(with.largest_epsilon() / without.largest_epsilon() - 1.0) < 1e-10);
    BOOST_TEST(std::abs(with.best_certificate().rate / without.best_certificate().rate - 1.0) < 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_named) {
  const MatrixXd one = MatrixXd::Identity(2, 2);
  MatrixXd crooked = one;
  crooked(0, 1) = 0.5;
  const auto says = [](const std::string& part) {
    return [part](const Error& e) { return std::string(e.what()).find(part) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(DampedForm(one, -one), Error, says("K_P must be positive definite"));
  BOOST_CHECK_EXCEPTION(DampedForm(crooked, one), Error, says("K_D must be symmetric"));
  BOOST_CHECK_EXCEPTION(DampedForm(one, MatrixXd::Identity(3, 3)), Error, says("K_P is 3 x 3; it must be 2 x 2"));
  const DampedForm form(one, one);
  for (const double epsilon : {0.0, 1.0, -1.0, std::nan("")}) {
    BOOST_CHECK_EXCEPTION(form.certificate(epsilon), Error, says("lambda_min(K_D) = 1"));
  }
}
