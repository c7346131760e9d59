// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sundials/sundials_config.h>
#include <sundials/sundials_linearsolver.h>
#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#endif

/// The values that the functions return which SUNDIALS calls, one type for each kind of function: SUNDIALS reads the
/// same value differently in each kind. `declined` is a failure that a shorter step or a new matrix may cure, `failed`
/// one that ends the call of the integrator.
namespace sunlagrange::internal {

/// Right-hand sides, residuals, quadratures and their sensitivities and adjoints (CVRhsFn, ARKRhsFn, IDAResFn,
/// CVQuadRhsFn, CVSensRhsFn, ...), Jacobians, linear systems and products (CVLsLinSysFn, IDALsJacFn, CVLsJacTimesVecFn,
/// ...), preconditioners, and CVProjFn: positive values are recoverable, negative ones are not.
enum class EquationReturn : int { success = 0, declined = 1, failed = -1 };

/// Set-up and solve of a SUNLinearSolver. Before 7.8 CVODE(S) and IDA(S) compare with the codes SUNLS_..., and take
/// every other value, also +1 and -1, for success. 7.0 renamed the unrecoverable code.
enum class LinearSolverReturn : int {
  success = 0,
  declined = SUNLS_PACKAGE_FAIL_REC,
#if SUNDIALS_VERSION_MAJOR >= 7
  failed = SUN_ERR_EXT_FAIL
#else
  failed = SUNLS_PACKAGE_FAIL_UNREC
#endif
};

/// Root functions (CVRootFn, IDARootFn, ARKRootFn), error weights (CVEwtFn, IDAEwtFn, ARKEwtFn) and ARKPostProcessFn:
/// every value but 0 ends the call of the integrator; none is recoverable.
enum class FinalReturn : int { success = 0, declined = -1, failed = -1 };

}  // namespace sunlagrange::internal
