// SPDX-License-Identifier: BSD-3-Clause
#include "consistency/manifold.hpp"

namespace sunlagrange::internal {

Violation largest_violation(const Eigen::VectorXd& values, const Eigen::VectorXd& terms) {
  Violation worst;
  for (int i = 0; i < values.size(); ++i) {
    const double relative = std::abs(values[i]) / (terms[i] > 0.0 ? terms[i] : 1.0);
    if (!std::isfinite(relative)) return {relative, i};
    if (relative > worst.relative) worst = {relative, i};
  }
  return worst;
}

}  // namespace sunlagrange::internal
