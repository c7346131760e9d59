// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/sensitivity_resolution.hpp>

#include <algorithm>
#include <cmath>

namespace sunlagrange {

SensitivityPoint resolution_of(const Sensitivities& found) {
  const double tolerances = std::sqrt(static_cast<double>(std::max(found.steps, 1L)));
  const auto bounds_by = [&](const Eigen::VectorXd& sizes, double atol) {
    Eigen::MatrixXd bounds(sizes.size(), static_cast<Eigen::Index>(found.parameters.size()));
    for (Eigen::Index i = 0; i < bounds.cols(); ++i) {
      const double p = std::abs(found.parameters[static_cast<std::size_t>(i)].value);
      bounds.col(i) = tolerances * (found.rtol * sizes.array() + atol) / (p > 0.0 ? p : 1.0);
    }
    return bounds;
  };
  const auto largest_of = [&found](Eigen::VectorXd MotionState::*entries) {
    Eigen::VectorXd largest = Eigen::VectorXd::Zero((found.points.front().state.*entries).size());
    for (const SensitivityPoint& point : found.points) {
      const Eigen::ArrayXd sizes = (point.state.*entries).array().abs();
      largest = largest.array().max(sizes.isFinite().select(sizes, 0.0));
    }
    return largest;
  };
  // v' and lambda are solved for together and have no tolerances of their own
  const auto together = [](const Eigen::VectorXd& sizes) -> Eigen::VectorXd {
    return Eigen::VectorXd::Constant(sizes.size(), sizes.size() > 0 ? sizes.maxCoeff() : 0.0);
  };
  SensitivityPoint bounds;
  if (found.points.empty()) return bounds;
  bounds.q = bounds_by(largest_of(&MotionState::q), found.atol);
  bounds.v = bounds_by(largest_of(&MotionState::v), found.atol);
  bounds.a = bounds_by(together(largest_of(&MotionState::a)), 0.0);
  bounds.lambda = bounds_by(together(largest_of(&MotionState::lambda)), 0.0);
  return bounds;
}

}  // namespace sunlagrange
