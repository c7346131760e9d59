#pragma once

#include <functional>

namespace sunlagrange::bench {

/// Where "stable" ends when gain x step grows from 0: looked for in strides, then by bisection.
struct GainSearch {
  double stride = 0.125;  ///< of gain x step; a stable island beyond the first unstable value is not looked for
  double end = 64.0;      ///< of gain x step
  double relative_width = 5e-4;
};

/// The largest gain x step up to which everything tried was stable; NaN if the first stride is unstable already, or
/// nothing up to the end.
double stability_boundary(const std::function<bool(double gain_times_step)>& stable, const GainSearch& search = {});

}  // namespace sunlagrange::bench
