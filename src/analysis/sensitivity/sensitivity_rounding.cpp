// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/sensitivity_rounding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sunlagrange {

SensitivityPoint rounding_of(const Sensitivities& found) {
  const double roundings = (16.0 + static_cast<double>(found.steps)) * std::numeric_limits<double>::epsilon();
  const auto bound = [&](const Eigen::MatrixXd& derivative, Eigen::VectorXd MotionState::*entries) {
    double largest = 0.0;
    for (const SensitivityPoint& point : found.points) {
      for (const double entry : point.state.*entries) {
        if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
      }
    }
    Eigen::MatrixXd bounds(derivative.rows(), derivative.cols());
    for (Eigen::Index i = 0; i < bounds.cols(); ++i) {
      const double p = std::abs(found.parameters[static_cast<std::size_t>(i)].value);
      bounds.col(i).setConstant(roundings * largest / (p > 0.0 ? p : 1.0));
    }
    return bounds;
  };
  SensitivityPoint bounds;
  if (found.points.empty()) return bounds;
  const SensitivityPoint& any = found.points.front();
  bounds.q = bound(any.q, &MotionState::q);
  bounds.v = bound(any.v, &MotionState::v);
  bounds.a = bound(any.a, &MotionState::a);
  bounds.lambda = bound(any.lambda, &MotionState::lambda);
  return bounds;
}

}  // namespace sunlagrange
