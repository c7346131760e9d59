#pragma once

namespace sunlagrange {

/// Error tolerances of adaptive integrators; every option struct that has some derives from this one.
struct Tolerances {
  double rtol = 1e-6;  ///< relative
  double atol = 1e-8;  ///< absolute, in units of q and v
};

}  // namespace sunlagrange
