// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/step_norm.hpp>

#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd checked_scale(int r, const VectorXd& scale) {
  if (r < 1) throw Error("step norm: size " + std::to_string(r) + " must be positive");
  if (scale.size() == 0) return VectorXd::Ones(r);
  if (scale.size() != r || !scale.allFinite() || scale.minCoeff() <= 0.0)
    throw Error("step norm: scale needs " + std::to_string(r) + " positive entries, one per entry of e");
  return scale;
}

/// Computes P of A^T P A - P = -I by doubling: P = sum (A^T)^k A^k. Returns false if it does not converge.
bool discrete_lyapunov(MatrixXd A, MatrixXd& P) {
  P.setIdentity(A.rows(), A.cols());
  for (int k = 0; k < 64; ++k) {
    const MatrixXd term = A.transpose() * P * A;
    if (!term.allFinite()) return false;
    P += term;
    if (term.norm() <= 1e-16 * P.norm()) return true;
    A = (A * A).eval();
  }
  return false;
}

}  // namespace

StepNorm::StepNorm(NormKind kind, MatrixXd T, MatrixXd inverse)
    : kind_(kind), T_(std::move(T)), inverse_(std::move(inverse)) {}

StepNorm StepNorm::euclidean(int r, const VectorXd& scale) {
  const VectorXd d = checked_scale(r, scale);
  return {NormKind::euclidean, d.asDiagonal(), d.cwiseInverse().asDiagonal()};
}

StepNorm StepNorm::maximum(int r, const VectorXd& scale) {
  const VectorXd d = checked_scale(r, scale);
  return {NormKind::maximum, d.asDiagonal(), d.cwiseInverse().asDiagonal()};
}

StepNorm StepNorm::lyapunov(const MatrixXd& P) {
  const bool symmetric = P.rows() > 0 && P.rows() == P.cols() && P.allFinite() &&
                         (P - P.transpose()).cwiseAbs().maxCoeff() <= 1e-10 * P.cwiseAbs().maxCoeff();
  const std::optional<MatrixXd> L = symmetric ? cholesky(0.5 * (P + P.transpose())) : std::nullopt;
  if (!L) throw Error("step norm: P is not symmetric positive definite, so sqrt(e^T P e) is no norm");
  const MatrixXd upper = L->transpose();
  const MatrixXd inverse = upper.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(P.rows(), P.cols()));
  return {NormKind::lyapunov, upper, inverse};
}

double StepNorm::operator()(const VectorXd& e) const {
  if (e.size() == 1) return std::abs(T_(0, 0) * e[0]);
  const VectorXd x = T_ * e;
  if (!x.allFinite()) return INFINITY;
  return kind_ == NormKind::maximum ? x.lpNorm<Eigen::Infinity>() : x.norm();
}

double StepNorm::induced(const MatrixXd& R) const {
  const MatrixXd S = T_ * R * inverse_;
  if (!S.allFinite()) return INFINITY;
  return kind_ == NormKind::maximum ? S.cwiseAbs().rowwise().sum().maxCoeff() : largest_singular_value(S);
}

double StepNorm::logarithmic(const MatrixXd& K) const {
  const MatrixXd S = T_ * K * inverse_;
  if (kind_ != NormKind::maximum) return symmetric_eigenvalues(0.5 * (S + S.transpose())).maxCoeff();
  return (S.cwiseAbs().rowwise().sum() - S.diagonal().cwiseAbs() + S.diagonal()).maxCoeff();
}

double spectral_radius(const MatrixXd& R) {
  if (!R.allFinite()) return INFINITY;
  if (R.size() == 1) return std::abs(R(0, 0));
  return eigenvalues(R).cwiseAbs().maxCoeff();
}

StepNorm lyapunov_norm(const MatrixXd& R, double q, const VectorXd& scale) {
  if (R.rows() == 0 || R.rows() != R.cols()) throw Error("Lyapunov norm: the growth operator must be square");
  if (!(q > 0.0 && q <= 1.0)) throw Error("Lyapunov norm: q = " + text(q) + " must lie in (0, 1]");
  const VectorXd d = checked_scale(static_cast<int>(R.rows()), scale);
  const MatrixXd scaled = d.asDiagonal() * R * d.cwiseInverse().asDiagonal();
  const double rho = spectral_radius(scaled);
  const std::string none = "Lyapunov norm: spectral radius " + text(rho) +
                           " of the growth operator is not below q = " + text(q) + ", so no norm contracts by q";
  if (!(rho < q)) throw Error(none);
  MatrixXd best;
  double least = INFINITY;
  for (int k = 0; k <= 16; ++k) {  // s decreases from q towards rho
    const double s = rho + (q - rho) * (1.0 - 0.055 * k);
    MatrixXd P;
    if (!discrete_lyapunov(scaled / s, P)) continue;
    const VectorXd values = symmetric_eigenvalues(P);
    const double largest = values[values.size() - 1];
    if (!(values[0] > 0.0) || largest > 1e15) continue;
    // 1 - s sqrt(1 - 1/largest), free of cancellation
    const double margin = (1.0 - s) + s / largest / (1.0 + std::sqrt(1.0 - 1.0 / largest));
    const double price = std::sqrt(largest / values[0]) / margin;
    if (price >= least) continue;
    least = price;
    best = P / values[0];
  }
  if (best.size() == 0) throw Error(none + " by more than rounding");
  return StepNorm::lyapunov(d.asDiagonal() * best * d.asDiagonal());
}

}  // namespace sunlagrange
