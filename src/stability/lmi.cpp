// SPDX-License-Identifier: BSD-3-Clause
#include "stability/lmi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The barrier function -log det of all inequalities at z = (x, s).
class Barrier {
 public:
  explicit Barrier(const std::vector<MatrixInequality>& inequalities) : inequalities_(inequalities) {}

  MatrixXd value(const MatrixInequality& q, const VectorXd& z) const {
    const auto count = static_cast<Index>(q.terms.size());
    MatrixXd F = q.constant - z[count] * q.slack;
    for (Index i = 0; i < count; ++i) F += z[i] * q.terms[static_cast<std::size_t>(i)];
    return F;
  }

  /// Returns infinity if z is not strictly feasible.
  double at(const VectorXd& z) const {
    double sum = 0.0;
    for (const MatrixInequality& q : inequalities_) {
      const std::optional<MatrixXd> L = cholesky(value(q, z));
      if (!L) return std::numeric_limits<double>::infinity();
      sum -= 2.0 * L->diagonal().array().log().sum();
    }
    return sum;
  }

  /// Computes gradient and Hessian at a strictly feasible z.
  void derivatives(const VectorXd& z, VectorXd& gradient, MatrixXd& hessian) const {
    gradient.setZero(z.size());
    hessian.setZero(z.size(), z.size());
    for (const MatrixInequality& q : inequalities_) {
      const MatrixXd factor = cholesky(value(q, z)).value();
      const auto L = factor.triangularView<Eigen::Lower>();
      const Index n = q.slack.rows();
      MatrixXd whitened(n * n, z.size());  // column i: L^-1 F_i L^-T
      for (Index i = 0; i < z.size(); ++i) {
        MatrixXd term = i + 1 < z.size() ? q.terms[static_cast<std::size_t>(i)] : -q.slack;
        L.solveInPlace(term);
        term.transposeInPlace();
        L.solveInPlace(term);
        gradient[i] -= term.trace();
        whitened.col(i) = Eigen::Map<const VectorXd>(term.data(), n * n);
      }
      hessian.noalias() += whitened.transpose() * whitened;
    }
  }

 private:
  const std::vector<MatrixInequality>& inequalities_;
};

/// Newton's method for barrier - weight s, from a strictly feasible z.
void centre(const Barrier& barrier, double weight, VectorXd& z) {
  const Index last = z.size() - 1;
  VectorXd gradient;
  MatrixXd hessian;
  for (int iteration = 0; iteration < 100; ++iteration) {
    barrier.derivatives(z, gradient, hessian);
    gradient[last] -= weight;
    const VectorXd scale = hessian.diagonal().cwiseSqrt().cwiseInverse();
    const MatrixXd scaled = scale.asDiagonal() * hessian * scale.asDiagonal();
    const VectorXd step = -(scale.asDiagonal() * spd_solve_pivoted(scaled, scale.asDiagonal() * gradient));
    const double decrement = -gradient.dot(step);
    if (!(decrement > 1e-10)) return;
    const double before = barrier.at(z) - weight * z[last];
    double length = 1.0;
    for (; length > 1e-10; length *= 0.5) {
      const VectorXd trial = z + length * step;
      if (barrier.at(trial) - weight * trial[last] <= before - 0.1 * length * decrement) break;
    }
    if (length <= 1e-10) return;  // rounding
    z += length * step;
  }
}

}  // namespace

LargestSlack largest_slack(const std::vector<MatrixInequality>& inequalities, const VectorXd& x, double s,
                           double negligible) {
  const Barrier barrier(inequalities);
  double rows = 0.0;
  for (const MatrixInequality& q : inequalities) rows += static_cast<double>(q.slack.rows());
  VectorXd z(x.size() + 1);
  z << x, s;
  LargestSlack result;
  for (double weight = rows;; weight *= 8.0) {
    centre(barrier, weight, z);
    result.gap = rows / weight;
    if (result.gap < std::max(1e-7 * std::abs(z[x.size()]), negligible)) break;
  }
  result.x = z.head(x.size());
  result.s = z[x.size()];
  double tightest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < inequalities.size(); ++k) {
    const double determinant = cholesky(barrier.value(inequalities[k], z)).value().diagonal().minCoeff();
    if (inequalities[k].slack.isZero(0.0) || !(determinant < tightest)) continue;
    tightest = determinant;
    result.tightest = static_cast<int>(k);
  }
  return result;
}

}  // namespace sunlagrange::internal
