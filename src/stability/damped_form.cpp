// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/damped_form.hpp>

#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/numerics.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/small_matrices.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange {

using namespace internal;

using Eigen::MatrixXd;
using Eigen::VectorXd;

DampedForm::DampedForm(const MatrixXd& K_D, const MatrixXd& K_P) {
  require_square(K_D, "K_D");
  require_positive_definite(K_D, K_D.rows(), "K_D");
  require_positive_definite(K_P, K_D.rows(), "K_P");
  mass_ = MatrixXd::Identity(K_D.rows(), K_D.rows());
  damping_ = symmetric_part(K_D);
  stiffness_ = symmetric_part(K_P);
  largest_epsilon_ = symmetric_eigenvalues(damping_)[0];
}

DampedForm DampedForm::with_mass(const MatrixXd& mass, const MatrixXd& damping, const MatrixXd& stiffness) {
  require_square(mass, "mass");
  require_positive_definite(mass, mass.rows(), "mass");
  require_positive_definite(damping, mass.rows(), "damping");
  require_positive_definite(stiffness, mass.rows(), "stiffness");
  DampedForm form;
  form.mass_ = symmetric_part(mass);
  form.damping_ = symmetric_part(damping);
  form.stiffness_ = symmetric_part(stiffness);
  form.largest_epsilon_ = generalized_eigenvalues(form.damping_, form.mass_)[0];
  return form;
}

MatrixXd DampedForm::P(double epsilon) const {
  const Eigen::Index m = mass_.rows();
  MatrixXd P(2 * m, 2 * m);
  P << stiffness_ + epsilon * damping_, epsilon * mass_, epsilon * mass_, mass_;
  return P;
}

MatrixXd DampedForm::Q(double epsilon) const {
  const Eigen::Index m = mass_.rows();
  const MatrixXd zero = MatrixXd::Zero(m, m);
  MatrixXd Q(2 * m, 2 * m);
  Q << epsilon * stiffness_, zero, zero, damping_ - epsilon * mass_;
  return Q;
}

double DampedForm::value(double epsilon, const VectorXd& g, const VectorXd& g_rate) const {
  require_size(g, mass_.rows(), 1, "g");
  require_size(g_rate, mass_.rows(), 1, "g'");
  const VectorXd s = g_rate + epsilon * g;
  return 0.5 * s.dot(mass_ * s) + 0.5 * g.dot((stiffness_ + epsilon * damping_ - epsilon * epsilon * mass_) * g);
}

double DampedForm::derivative(double epsilon, const VectorXd& g, const VectorXd& g_rate) const {
  require_size(g, mass_.rows(), 1, "g");
  require_size(g_rate, mass_.rows(), 1, "g'");
  return -epsilon * g.dot(stiffness_ * g) - g_rate.dot((damping_ - epsilon * mass_) * g_rate);
}

double DampedForm::rate(double epsilon) const {
  // y^T Q y >= rate y^T P y; the unit diagonal makes the result independent of units.
  const MatrixXd P = this->P(epsilon);
  const VectorXd d = unit_scales(P);
  return generalized_eigenvalues(congruent(Q(epsilon), d), congruent(P, d))[0];
}

DecayCertificate DampedForm::certificate(double epsilon) const {
  if (!(epsilon > 0.0 && epsilon < largest_epsilon_)) {
    throw Error("stability: epsilon = " + text(epsilon) + " must lie between 0 and lambda_min(K_D) = " +
                text(largest_epsilon_) + "; half of that is a good choice");
  }
  const Eigen::Index m = mass_.rows();
  MatrixXd A(2 * m, 2 * m);
  A << MatrixXd::Zero(m, m), MatrixXd::Identity(m, m), -spd_solve(mass_, stiffness_), -spd_solve(mass_, damping_);
  return decay_certificate(A, P(epsilon));
}

double DampedForm::best_epsilon() const {
  // Q - r P is affine in epsilon, so for every r the epsilons that certify at least r form an interval: one maximum.
  const auto found = golden_section(
      0.0, largest_epsilon_, [this](double epsilon) { return rate(epsilon); },
      [this](const auto& section) { return section.high - section.low > 1e-9 * largest_epsilon_; },
      std::greater_equal<>());
  return 0.5 * (found.low + found.high);
}

}  // namespace sunlagrange
