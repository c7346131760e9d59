// SPDX-License-Identifier: BSD-3-Clause
#include "stability/sampled_remainder.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double cut = 1e-8;  // relative singular values of de/dy below this mark directions that e cannot take

}  // namespace

SampledRemainder::SampledRemainder(ErrorStep& step, const StepNorm& norm, double tau, double eps, double safety)
    : step_(step), norm_(norm), tau_(tau), eps_(eps), safety_(safety) {}

bool SampledRemainder::renew_directions(double t, const VectorXd& y) {
  const double typical = y.lpNorm<Eigen::Infinity>();
  jacobian_.resize(norm_.size(), y.size());
  y_ = y;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double h = difference_step * std::max(std::abs(y[i]), typical > 0.0 ? 0.1 * typical : 1.0);
    y_[i] = y[i] + h;
    if (!step_.error(t, y_, ahead_)) return false;
    y_[i] = y[i] - h;
    if (!step_.error(t, y_, behind_)) return false;
    y_[i] = y[i];
    jacobian_.col(i) = norm_.coordinates() * (ahead_ - behind_) / (2.0 * h);
  }
  const SingularValues svd = singular_values(jacobian_, SingularVectors::thin);
  const VectorXd& s = svd.values;
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > cut * s[0]) ++rank;
  directions_ = svd.U.leftCols(rank);
  pseudo_inverse_ = svd.V.leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal() * directions_.transpose();
  return true;
}

bool SampledRemainder::move_to(double t, const VectorXd& x) {
  for (int k = 0; k < 8; ++k) {
    if (!step_.error(t, y_, e_)) return false;
    const VectorXd gap = x - norm_.coordinates() * e_;
    if (gap.norm() <= 1e-3 * eps_) return true;
    y_ += pseudo_inverse_ * gap;
  }
  return false;
}

bool SampledRemainder::remainder_at(double t, const VectorXd& x, VectorXd& r) {
  if (!move_to(t, x) || !step_.take(t, y_, e_, tau_)) return false;
  if (!step_.program().law.is_constant()) contraction_ = norm_.induced(step_.R());
  spread_ = std::max(spread_, std::abs(contraction_ - center_contraction_));
  r = norm_.coordinates() * step_.r();
  return true;
}

bool SampledRemainder::visit(double t, const VectorXd& y) {
  if (!renew_directions(t, y)) return false;
  VectorXd center;
  spread_ = 0.0;
  if (!remainder_at(t, VectorXd::Zero(norm_.size()), center)) return false;
  contraction_ = center_contraction_ = norm_.induced(step_.R());
  spread_ = 0.0;
  const VectorXd y_center = y_;
  const bool maximum = norm_.kind() == NormKind::maximum;
  const auto plain = [maximum](const VectorXd& x) { return maximum ? x.lpNorm<Eigen::Infinity>() : x.norm(); };
  MatrixXd slope = MatrixXd::Zero(norm_.size(), directions_.cols());
  VectorXd plus, minus;
  double curvature = 0.0;
  for (Eigen::Index j = 0; j < directions_.cols(); ++j) {
    y_ = y_center;
    if (!remainder_at(t, eps_ * directions_.col(j), plus)) return false;
    y_ = y_center;
    if (!remainder_at(t, -eps_ * directions_.col(j), minus)) return false;
    slope.col(j) = 0.5 * (plus - minus);
    curvature += plain(0.5 * (plus + minus) - center);
  }
  const MatrixXd linear = slope * directions_.transpose();  // acts on x / eps
  const double steepest = maximum ? linear.cwiseAbs().rowwise().sum().maxCoeff() : largest_singular_value(linear);
  if (maximum) curvature *= static_cast<double>(norm_.size());  // |x|_2 <= sqrt(r) max |x|
  contraction_ = center_contraction_ + safety_ * spread_;
  bound_ = safety_ * (plain(center) + steepest + curvature);
  return true;
}

double SampledRemainder::step_limit(double t, const VectorXd& y, const VectorXd& e, double negligible) {
  double constant = 0.0;
  double limit = 0.0;
  for (int j = 1; j <= 4; ++j) {
    const double s = 0.25 * j * tau_;
    if (!step_.take(t, y, e, s)) return limit;
    const double size = norm_(step_.r());
    const double power = std::pow(s, step_.table().order + 1);
    if (j <= 2)
      constant = std::max(constant, size / power);
    else if (size > safety_ * constant * power && size > negligible)
      return limit;
    limit = j < 4 ? s : tau_;
  }
  return limit;
}

}  // namespace sunlagrange::internal
