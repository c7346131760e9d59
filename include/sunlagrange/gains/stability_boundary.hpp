#pragma once

#include <limits>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange {

/// Where "stable" ends when gain x step grows: looked for in strides by a factor, then by bisection. A stable island
/// beyond the first unstable value is not looked for.
struct GainSearch {
  double first = 0.1;  ///< of gain x step
  double factor = 1.1;
  double end = 64.0;
  double relative_width = 5e-4;
};

/// What counts as a constraint error that dies out, observed or predicted: the second half of the steps has less of it
/// than the first half, and nowhere has it grown by more than this factor (beyond it a run has left the motion).
constexpr double largest_transient = 1e3;

/// The largest gain x step up to which everything tried was stable; NaN if the first value is unstable already, or
/// nothing up to the end.
/// @param stable  called with gain x step
template <class Stable>
double stability_boundary(Stable&& stable, const GainSearch& search = {}) {
  double low = 0.0;
  double high = search.first;
  for (; high <= search.end && stable(high); high *= search.factor) low = high;
  if (low == 0.0 || high > search.end) return std::numeric_limits<double>::quiet_NaN();
  const Bracket edge = bisect(stable, {low, high}, search.relative_width * low);
  return 0.5 * (edge.in + edge.out);
}

}  // namespace sunlagrange
