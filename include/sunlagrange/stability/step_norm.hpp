// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Norms in which a step of the constraint error is measured.
enum class NormKind {
  euclidean,
  maximum,
  lyapunov,  ///< sqrt(e^T P e), made for one growth operator, which contracts in it whenever it is stable
};

constexpr auto names_of(NormKind) {
  return enum_names("euclidean", "maximum", "lyapunov");
}

/// A vector norm of the constraint error e with its induced matrix norm. Immutable.
class StepNorm {
 public:
  /// |D e|_2 with D = diag(scale). Default: ones. Entries of e with different units need a scale.
  static StepNorm euclidean(int r, const Eigen::VectorXd& scale = {});
  /// max |D e|, the same way.
  static StepNorm maximum(int r, const Eigen::VectorXd& scale = {});

  /// sqrt(e^T P e). @throws Error if P is not symmetric positive definite
  static StepNorm lyapunov(const Eigen::MatrixXd& P);

  /// The kind that made it.
  NormKind kind() const { return kind_; }
  /// r, the length of e.
  int size() const { return static_cast<int>(T_.rows()); }

  /// Returns |e|, in the unit of D e.
  double operator()(const Eigen::VectorXd& e) const;

  /// Returns the induced norm, the largest |R e| / |e|.
  double induced(const Eigen::MatrixXd& R) const;

  /// Returns mu(K) = lim (|I + h K| - 1) / h for h -> 0+. One small step has |R(h K)| = 1 + h mu + O(h^2), so with mu >
  /// 0 no method contracts at small steps.
  double logarithmic(const Eigen::MatrixXd& K) const;

  /// Returns T with |e| = |T e|_2 (maximum norm: max |T e|).
  const Eigen::MatrixXd& coordinates() const { return T_; }

 private:
  StepNorm(NormKind kind, Eigen::MatrixXd T, Eigen::MatrixXd inverse);

  NormKind kind_;
  Eigen::MatrixXd T_;
  Eigen::MatrixXd inverse_;
};

/// Returns the largest modulus of an eigenvalue; for a defective one it is known to the square root of rounding.
/// Infinite if R has an entry that is not finite.
double spectral_radius(const Eigen::MatrixXd& R);

/// Returns a norm in which R contracts by less than q. P solves (R/s)^T P (R/s) - P = -D^2, D = diag(scale), for an s
/// between the spectral radius rho of R and q, so |R| = s sqrt(1 - 1 / lambda_max(D^-1 P D^-1)) < q. The s with the
/// smallest sqrt(cond) / (1 - |R|) is taken. P is normalised so that |D e|_2 <= |e| <= sqrt(cond) |D e|_2, so a bound
/// in this norm holds for the scaled error as well. Such a norm exists if and only if rho < q.
/// @param q      at most 1
/// @param scale  see ConstraintDynamics::scale(). Default: ones
/// @throws Error if rho >= q, or so close that P overflows
StepNorm lyapunov_norm(const Eigen::MatrixXd& R, double q = 1.0, const Eigen::VectorXd& scale = {});

}  // namespace sunlagrange
