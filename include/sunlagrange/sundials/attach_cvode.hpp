#pragma once

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// Right-hand side to hand to CVodeInit; y as initial_values() fills it. Works once attach_cvode has been called.
int cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);

/// Installs an ODE formulation on CVODE memory that the application owns and has initialised with cvode_rhs.
///
/// Changes exactly: user data (CVodeSetUserData), and unless options.install_linear_solver is false the linear solver
/// (CVodeSetLinearSolver) and CVodeSetLinSysFn; for formulation `projected` CVodeSetProjFn (BDF only, CVODE refuses
/// it with Adams). Tolerances, orders, limits, root functions stay the application's.
/// Automatic gains take the tolerances of `options`, and BDF unless options.integrator says otherwise or no linear
/// solver is installed. Serial-like host vectors only (N_VGetArrayPointer and N_VGetLength are used).
/// @param start  the state the integration starts from; scales and automatic gains are read off it
/// @throws Error if the formulation is unknown or a DAE form, gains are invalid, or a SUNDIALS call fails
Attachment attach_cvode(void* cvode_memory, SUNContext context, N_Vector y,
                        const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const AttachOptions& options = {});

}  // namespace sunlagrange
