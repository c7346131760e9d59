#pragma once

#include <sundials/sundials_matrix.h>

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// Residual to hand to IDAInit; y and y' as initial_values() fills them. Works once attach_ida has been called.
int ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data);

/// For IDASetPreconditioner after attaching with install_linear_solver = false: the exact solution of
/// (dF/dy + c dF/dy') z = r, as cvode_preconditioner_solve.
int ida_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, sunrealtype c, void* user_data);
int ida_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector r, N_Vector z,
                             sunrealtype c, sunrealtype delta, void* user_data);

/// For IDASetJacTimes(memory, nullptr, ida_jacobian_times): Jx = (dF/dy + c dF/dy') x at (t, y, y'), as
/// cvode_jacobian_times. With redundant rows this matrix is singular in the multipliers: what a Krylov solver makes of
/// them there is not kept at least norm.
int ida_jacobian_times(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector x, N_Vector Jx,
                       sunrealtype c, void* user_data, N_Vector scratch1, N_Vector scratch2);

/// For IDASetJacFn, as cvode_dense_jacobian: J = dF/dy + c dF/dy'. With redundant rows it is singular, which a dense
/// solver does not survive, and that of index 3 is conditioned like 1/h^2: take `ggl`, `stabilized_index1` or `index1`.
int ida_dense_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual, SUNMatrix J,
                       void* user_data, N_Vector scratch1, N_Vector scratch2, N_Vector scratch3);

/// Installs a DAE formulation on IDA or IDAS memory that the application owns and has initialised with ida_residual.
/// Memory of another integrator is not noticed, see attach_cvode.
///
/// Changes exactly: user data; unless options.install_error_weights is false the error weights (IDAWFtolerances, from
/// options.rtol and options.atol); IDASetId and
/// IDASetSuppressAlg; IDASetNonlinConvCoef, IDASetMaxNonlinIters, IDASetInitStep; and unless
/// options.install_linear_solver is false the linear solver, its Jacobian function and
/// IDASetLinearSolutionScaling (off: the solver knows the present c). None of these is an IDA default:
/// with the defaults index-3 mechanisms stop in the first step. Call the same IDASet functions afterwards to override.
/// @throws Error as attach_cvode
Attachment attach_ida(void* ida_memory, SUNContext context, N_Vector y,
                      const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options);

}  // namespace sunlagrange
