// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange {

/// Search for the end of a range of stable values, gain x step or a step: by steps of a constant factor, then by
/// bisection.
struct GainSearch {
  double first = 0.1;            ///< smallest value that is tried
  double factor = 1.2;           ///< factor of the steps, > 1
  double end = 64.0;             ///< largest value that is tried
  double relative_width = 5e-4;  ///< relative width of the bracket at which the bisection ends
};

/// A constraint error counts as decaying, observed or predicted, if it is smaller in the second half of the steps than
/// in the first, and nowhere larger than this factor times its start (beyond it a run has left the motion).
constexpr double largest_transient = 1e3;

/// Returns the end of the range of stable values that begins with `low`: the largest value that was found stable below
/// the first unstable one. NaN if all values up to search.end are stable.
/// @param stable  called with a value
/// @param low     a stable value
template <class Stable>
double end_of_stable_range(Stable&& stable, double low, const GainSearch& search) {
  double high = low * search.factor;
  for (; high <= search.end && stable(high); high *= search.factor) low = high;
  if (high > search.end) return std::numeric_limits<double>::quiet_NaN();
  return bisect(stable, {low, high}, search.relative_width * low).in;
}

/// Returns the largest value up to `end` for which `keeps` holds: `end` itself, or the first one below it, by steps of
/// the constant factor down to search.first, and then by bisection. NaN if there is none, or if `end` is NaN. It is for
/// conditions that fail close to `end` if they fail, and evaluates few values where they hold. `end` counts only if the
/// next value below it holds, too: a narrower range has values that do not hold on both sides.
template <class Keeps>
double largest_kept_gain(Keeps&& keeps, double end, const GainSearch& search = {}) {
  if (!(end > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  double low = end / search.factor, high = end;
  if (keeps(end) && (low < search.first || keeps(low))) return end;
  for (; low >= search.first && !keeps(low); low /= search.factor) high = low;
  if (low < search.first) return std::numeric_limits<double>::quiet_NaN();
  return bisect(keeps, {low, high}, search.relative_width * low).in;
}

/// Returns the largest gain x step that is stable, searched downwards from search.end, where errors grow from step to
/// step. Smaller gains may be too weak to take an error back within the run, or to outweigh what differences of the
/// motion add to it, so that stable and unstable values alternate there. NaN if no value is stable, or search.end is.
template <class Stable>
double largest_stable_gain(Stable&& stable, const GainSearch& search = {}) {
  const double found = largest_kept_gain(stable, search.end, search);
  return found < search.end ? found : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the largest step below which all tried steps are stable. If search.first is unstable, it is halved up to
/// eight times. 0 if none of these steps is stable; NaN if all steps up to search.end are.
template <class Stable>
double largest_stable_step(Stable&& stable, const GainSearch& search) {
  double low = search.first;
  for (int halvings = 0; !stable(low); ++halvings, low *= 0.5) {
    if (halvings == 8) return 0.0;
  }
  return end_of_stable_range(stable, low, search);
}

}  // namespace sunlagrange
