// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace sunlagrange::internal {

/// Returns the intervals of (low, high] in which f < 0. f is sampled at `samples` points evenly and at as many that
/// grow geometrically from 1e-9 of the range; local extrema are refined, and edges are found by bisection. If f < 0 at
/// the first point, the edge is returned as low = 0. f may be +infinity.
std::vector<std::pair<double, double>> negative_intervals(const std::function<double(double)>& f, double low,
                                                          double high, int samples);

}  // namespace sunlagrange::internal
