// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/sensitivity_resolution.hpp>

#include <algorithm>
#include <cmath>

namespace sunlagrange {

SensitivityPoint resolution_of(const Sensitivities& found) {
  const double tolerances = std::sqrt(static_cast<double>(std::max(found.steps, 1L)));
  const auto bound = [&](const Eigen::MatrixXd& derivative, Eigen::VectorXd MotionState::*entries, double atol) {
    double largest = 0.0;
    for (const SensitivityPoint& point : found.points) {
      for (const double entry : point.state.*entries) {
        if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
      }
    }
    Eigen::MatrixXd bounds(derivative.rows(), derivative.cols());
    for (Eigen::Index i = 0; i < bounds.cols(); ++i) {
      const double p = std::abs(found.parameters[static_cast<std::size_t>(i)].value);
      bounds.col(i).setConstant(tolerances * (found.rtol * largest + atol) / (p > 0.0 ? p : 1.0));
    }
    return bounds;
  };
  SensitivityPoint bounds;
  if (found.points.empty()) return bounds;
  const SensitivityPoint& any = found.points.front();
  bounds.q = bound(any.q, &MotionState::q, found.atol);
  bounds.v = bound(any.v, &MotionState::v, found.atol);
  bounds.a = bound(any.a, &MotionState::a, 0.0);
  bounds.lambda = bound(any.lambda, &MotionState::lambda, 0.0);
  return bounds;
}

}  // namespace sunlagrange
