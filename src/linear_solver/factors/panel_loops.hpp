// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linear_solver/factors/panels.hpp"

namespace sunlagrange::internal {

/// The loops of panel_kernels.hpp over all panels: values are those of L, with 1 / pivot in its diagonal, behind them,
/// if they differ, those of U^T.
struct PanelLoops {
  /// Panels first ... end - 1. Both return the smallest |pivot x weight|, 0 if one is not finite.
  double (*eliminate_symmetric)(const Panels&, int first, int end, const double* weight, double* values,
                                double* scratch);
  double (*eliminate)(const Panels&, int first, int end, const double* weight, double* values, double* scratch);
  void (*solve)(const Panels&, const double* l, const double* u, double* x);
};

/// Returns the loops, with fused multiplications if this processor has them.
PanelLoops panel_loops();

}  // namespace sunlagrange::internal
