// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// Returns the work of a run as a count, which is the same whenever the run is repeated: right-hand sides or residuals
/// + Newton factorisations + 2 x Jacobians. A right-hand side of an ODE form contains its own factorisation.
inline double work(const Report& report) {
  const long newton = std::max(0L, report.factorizations - report.rhs_evaluations);
  return static_cast<double>(report.rhs_evaluations + newton + 2 * report.jacobian_evaluations);
}

}  // namespace sunlagrange::program
