// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <sunlagrange/stability/decay_certificate.hpp>

namespace sunlagrange {

/// Lyapunov function [000, (18)-(19)] of g'' + K_D g' + K_P g = 0, with y = (g, g') and a free epsilon:
///
///     V  = 1/2 |g' + eps g|^2 + 1/2 g^T (K_P + eps K_D - eps^2 I) g = 1/2 y^T P y,
///     P  = [K_P + eps K_D, eps I; eps I, I],
///     V' = -y^T Q y,   Q = diag(eps K_P, K_D - eps I).
///
/// Admissible: 0 < eps < lambda_min(K_D); then P and Q are positive definite (erratum E5: the second condition of the
/// paper follows). K_D and K_P need not commute. The certified rate is lambda_min(Q, P). For K_D = 2 zeta omega, K_P =
/// omega^2 the best one is zeta omega (1 - zeta / sqrt(1 + zeta^2)), at eps = zeta omega: 29 % of the true rate at
/// critical damping. lyapunov_certificate_at_rate() proves more; this function is explicit.
///
/// When not to use it: for gains that change along the motion, because the derivative of K_P + eps K_D is missing; see
/// sampled_certificate().
class DampedForm {
 public:
  /// @param K_D  [1/s]    m x m, symmetric positive definite
  /// @param K_P  [1/s^2]  m x m, symmetric positive definite
  /// @throws Error naming the matrix that is not, or whose size does not fit
  DampedForm(const Eigen::MatrixXd& K_D, const Eigen::MatrixXd& K_P);

  /// For the law  mass g'' + damping g' + stiffness g = 0  of excess variables [003, (1.15)] with constant matrices,
  /// whose gains mass^-1 damping, mass^-1 stiffness need not be symmetric. In the metric of the mass:
  ///     P = [stiffness + eps damping, eps mass; eps mass, mass],  Q = diag(eps stiffness, damping - eps mass).
  /// All symmetric positive definite, m x m.
  static DampedForm with_mass(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& damping,
                              const Eigen::MatrixXd& stiffness);

  /// m, the number of constraints.
  int size() const { return static_cast<int>(mass_.rows()); }

  /// Returns lambda_min(K_D) [1/s], or lambda_min(damping, mass). eps must stay below it; half of it is optimal for one
  /// constraint and a good choice otherwise.
  double largest_epsilon() const { return largest_epsilon_; }

  Eigen::MatrixXd P(double epsilon) const;  ///< 2m x 2m
  Eigen::MatrixXd Q(double epsilon) const;  ///< 2m x 2m

  /// Returns V at (g, g'), vectors of length m. @throws Error if sizes do not fit
  double value(double epsilon, const Eigen::VectorXd& g, const Eigen::VectorXd& g_rate) const;
  /// Returns V' along the law, never positive for admissible epsilon. @throws Error if sizes do not fit
  double derivative(double epsilon, const Eigen::VectorXd& g, const Eigen::VectorXd& g_rate) const;

  /// @throws Error unless 0 < epsilon < largest_epsilon()
  DecayCertificate certificate(double epsilon) const;

  /// Returns the epsilon with the largest certified rate, to about 1e-7 by golden section; the rate has a single
  /// maximum.
  double best_epsilon() const;

  /// Returns certificate(best_epsilon()).
  DecayCertificate best_certificate() const { return certificate(best_epsilon()); }

 private:
  DampedForm() = default;
  double rate(double epsilon) const;

  Eigen::MatrixXd mass_, damping_, stiffness_;
  double largest_epsilon_ = 0.0;
};

}  // namespace sunlagrange
