// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <sunlagrange/internal/difference_step.hpp>

/// Central differences of functions (y, value) that return false where they are not defined.
namespace sunlagrange::internal {

/// Computes the derivative along `direction`, which may be zero. Returns false where the function does.
template <class Function>
bool differentiate_along(const Function& function, const Eigen::VectorXd& y, const Eigen::VectorXd& direction,
                         Eigen::VectorXd& derivative) {
  const double length = direction.lpNorm<Eigen::Infinity>();
  const double d = length > 0.0 ? difference_step * (1.0 + y.lpNorm<Eigen::Infinity>()) / length : 1.0;
  Eigen::VectorXd behind;
  if (!function(Eigen::VectorXd(y + d * direction), derivative) ||
      !function(Eigen::VectorXd(y - d * direction), behind)) {
    return false;
  }
  derivative = (derivative - behind) / (2.0 * d);
  return true;
}

/// Computes the derivative of function(y, value) by y with central differences. Returns false where the function does.
template <class Function>
bool differentiate(const Function& function, const Eigen::VectorXd& y, Eigen::MatrixXd& derivative) {
  const double d = difference_step * (1.0 + y.lpNorm<Eigen::Infinity>());
  Eigen::VectorXd moved = y, ahead, behind;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    moved[j] = y[j] + d;
    if (!function(moved, ahead)) return false;
    moved[j] = y[j] - d;
    if (!function(moved, behind)) return false;
    moved[j] = y[j];
    if (j == 0) derivative.resize(ahead.size(), y.size());
    derivative.col(j) = (ahead - behind) / (2.0 * d);
  }
  return true;
}

}  // namespace sunlagrange::internal
