// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/factors/panel_loops.hpp"

#include "linear_solver/factors/panel_kernels.hpp"

namespace sunlagrange::internal {

#if defined(__x86_64__) && defined(__GNUC__)

namespace {

#define SUNLAGRANGE_FUSED __attribute__((target("avx2,fma"), flatten))

SUNLAGRANGE_FUSED double eliminate_symmetric_fused(const Panels& panels, int first, int end, const double* weight,
                                                   double* values, double* scratch) {
  return kernels::eliminate<true>(panels, first, end, weight, values, scratch);
}
SUNLAGRANGE_FUSED double eliminate_fused(const Panels& panels, int first, int end, const double* weight, double* values,
                                         double* scratch) {
  return kernels::eliminate<false>(panels, first, end, weight, values, scratch);
}
SUNLAGRANGE_FUSED void solve_fused(const Panels& panels, const double* l, const double* u, double* x) {
  kernels::solve(panels, l, u, x);
}

#undef SUNLAGRANGE_FUSED

}  // namespace

PanelLoops panel_loops() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {eliminate_symmetric_fused, eliminate_fused, solve_fused};
  }
  return {kernels::eliminate<true>, kernels::eliminate<false>, kernels::solve};
}

#else

PanelLoops panel_loops() {
  return {kernels::eliminate<true>, kernels::eliminate<false>, kernels::solve};
}

#endif

}  // namespace sunlagrange::internal
