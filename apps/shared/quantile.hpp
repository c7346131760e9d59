#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// Of n values in ascending order, infinity among them too, the one at place share x (n - 1), linear between
/// neighbours; NaN of none.
inline double quantile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return Report::none;
  const double at = share * static_cast<double>(ascending.size() - 1), part = at - std::floor(at);
  const auto below = ascending.begin() + static_cast<std::ptrdiff_t>(at);
  return part == 0.0 || below[0] == below[1] ? below[0] : below[0] + part * (below[1] - below[0]);
}

/// Of values in any order.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace sunlagrange::program
