// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sundials/sundials_matrix.h>

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// The residual for IDAInit, with y and y' from initial_values(). It can be called after attach_ida.
int ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data);

/// Preconditioner for IDASetPreconditioner after attaching with install_linear_solver = false. It solves
/// (dF/dy + c dF/dy') z = r exactly, see cvode_preconditioner_solve.
int ida_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, sunrealtype c, void* user_data);
int ida_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector r, N_Vector z,
                             sunrealtype c, sunrealtype delta, void* user_data);

/// Product for IDASetJacTimes(memory, nullptr, ida_jacobian_times): Jx = (dF/dy + c dF/dy') x at (t, y, y'), see
/// cvode_jacobian_times. With redundant rows this matrix is singular in the multipliers, and a Krylov solver does not
/// give those of least norm.
int ida_jacobian_times(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector x, N_Vector Jx,
                       sunrealtype c, void* user_data, N_Vector scratch1, N_Vector scratch2);

/// Jacobian for IDASetJacFn: J = dF/dy + c dF/dy', see cvode_dense_jacobian. When not: with redundant rows, where it is
/// singular and a dense solver fails; in index 3, where its condition number grows like 1/h^2. Take `ggl`,
/// `stabilized_index1` or `index1`.
int ida_dense_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual, SUNMatrix J,
                       void* user_data, N_Vector scratch1, N_Vector scratch2, N_Vector scratch3);

/// Jacobian for IDASetJacFn with a sparse linear solver of the application, see cvode_sparse_jacobian. index2, index3,
/// ggl and stabilized_index1 have the sparsity of M and G, and few products give all columns; index1 has full rows for
/// v' and lambda. When not: as ida_dense_jacobian.
int ida_sparse_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual, SUNMatrix J,
                        void* user_data, N_Vector scratch1, N_Vector scratch2, N_Vector scratch3);

/// Installs a DAE formulation on IDA or IDAS memory that the application owns and has initialised with ida_residual.
/// Memory of another integrator is not refused, see attach_cvode.
///
/// It changes only these settings: user data; unless options.install_error_weights is false the error weights
/// (IDAWFtolerances, from options.rtol and options.atol); IDASetId and IDASetSuppressAlg; IDASetNonlinConvCoef,
/// IDASetMaxNonlinIters, IDASetInitStep; and unless options.install_linear_solver is false the linear solver, its
/// Jacobian function, IDASetLinearSolutionScaling (off: the solver knows the present c) and, for forms of index 2 and
/// 3, the nonlinear solver (Newton, which has converged if the rate of its corrections in the present step says so).
/// None of these is an IDA default: with the defaults index-3 mechanisms stop in the first step. Call the same IDASet
/// functions afterwards to override. Simultaneous sensitivities (IDA_SIMULTANEOUS of IDAS) have a nonlinear solver of
/// their own.
/// @throws Error as attach_cvode
Attachment attach_ida(void* ida_memory, SUNContext context, N_Vector y,
                      const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options);

}  // namespace sunlagrange
