// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// Returns the value at place share x (n - 1) of n values in ascending order, infinity included, linear between
/// neighbours; NaN for n = 0.
inline double quantile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return Report::none;
  const double at = share * static_cast<double>(ascending.size() - 1), part = at - std::floor(at);
  const auto below = ascending.begin() + static_cast<std::ptrdiff_t>(at);
  return part == 0.0 || below[0] == below[1] ? below[0] : below[0] + part * (below[1] - below[0]);
}

/// Returns the median of values in any order.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace sunlagrange::program
