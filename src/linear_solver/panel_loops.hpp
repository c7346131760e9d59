#pragma once

#include "linear_solver/panels.hpp"

namespace sunlagrange::internal {

/// The loops of panel_kernels.hpp over all panels: values are those of L, behind them, if they differ, those of U^T.
struct PanelLoops {
  void (*eliminate_symmetric)(const Panels&, double* values, double* pivot, double* inverse, double* scratch);
  void (*eliminate)(const Panels&, double* values, double* pivot, double* inverse, double* scratch);
  void (*solve)(const Panels&, const double* l, const double* u, const double* inverse, double* x);
  double (*smallest)(const double* pivot, const double* weight, int size);  ///< product, 0 if not finite
};

/// With fused multiplications if this processor has them.
PanelLoops panel_loops();

}  // namespace sunlagrange::internal
