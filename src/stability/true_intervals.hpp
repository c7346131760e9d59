#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace sunlagrange::internal {

/// Where f < 0 in (low, high]: sampled at `samples` points evenly and as many again per factor (from 1e-9 of the
/// range), refined at local minima, edges by bisection. low = 0 is returned as an edge if f < 0 at the first point
/// after it. f = +infinity is allowed.
std::vector<std::pair<double, double>> negative_intervals(const std::function<double(double)>& f, double low,
                                                          double high, int samples);

}  // namespace sunlagrange::internal
