#pragma once

#include <functional>

namespace sunlagrange::bench {

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
double stability_boundary(const std::function<bool(double gain_times_step)>& stable, const GainSearch& search = {});

}  // namespace sunlagrange::bench
