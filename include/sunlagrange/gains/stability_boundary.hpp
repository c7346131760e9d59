#pragma once

#include <limits>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange {

/// Search for the largest stable gain x step: by steps of a constant factor, then by bisection. Stable values beyond
/// the first unstable one are not searched.
struct GainSearch {
  double first = 0.1;  ///< of gain x step
  double factor = 1.1;
  double end = 64.0;
  double relative_width = 5e-4;
};

/// A constraint error counts as decaying, observed or predicted, if it is smaller in the second half of the steps than
/// in the first, and nowhere larger than this factor times its start (beyond it a run has left the motion).
constexpr double largest_transient = 1e3;

/// Returns the largest gain x step below which all tried values are stable. NaN: the first value is unstable, or none
/// is.
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
