// SPDX-License-Identifier: BSD-3-Clause
#include "stability/growth_record.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

bool GrowthRecord::add(const Eigen::MatrixXd& states, const Eigen::MatrixXd& errors) {
  last_ = log_scale_ + std::log(errors.norm() / std::sqrt(static_cast<double>(errors.cols())));
  overflow_ = std::isnan(last_) || last_ == std::numeric_limits<double>::infinity() || !states.allFinite();
  if (overflow_) return false;
  ++taken_;
  double& largest = 2 * taken_ <= steps_ ? first_ : second_;
  largest = std::max(largest, last_);
  const double size = states.norm();
  if (!(size > 0.0)) return false;
  states_ = states / size;
  log_scale_ += std::log(size);
  return true;
}

ErrorGrowth GrowthRecord::growth() const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (overflow_) return {infinite, infinite};
  return {std::exp(second_ - first_), std::exp(std::max(first_, second_))};
}

}  // namespace sunlagrange::internal
