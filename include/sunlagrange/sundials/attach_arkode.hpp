// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// The explicit right-hand side for ARKStepCreate or ERKStepCreate, with y from initial_values(). It can be called
/// after attach_arkode. With formulation `projected` and SUNDIALS 6.7 or later the ydot of the last call may be written
/// again after the step, so that an application that calls arkode_rhs itself has to pass vectors that outlive the step.
int arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);

/// Installs an ODE formulation on ARKStep or ERKStep memory that the application owns and has created with arkode_rhs
/// as its explicit part. It changes only these settings: user data, and for formulation `projected` the function after
/// each step (ARKStepSetPostprocessStepFn). Tables, steps and tolerances remain those of the application
/// (error_weights() can serve). Prefer ARKStep: before release 6.7 ERKStep takes every table whose last stage is at the
/// end of the step (c_s = 1) for one whose last stage is the first one of the next step. Other tables then lose order
/// and stability: Heun's method (the default of order 2), Kutta's of order 3 and the classical one of order 4 have the
/// orders 2, 2, 3, and damp a constraint error of rate omega up to omega h = 1.01, 0.60, 1.57 instead of 2, 2.51, 2.79.
/// With ERKStep choose ARKODE_DORMAND_PRINCE_7_4_5, ARKODE_BOGACKI_SHAMPINE_4_2_3 or ARKODE_ZONNEVELD_5_3_4. A Jacobian
/// function of its own, for an implicit part, is set after attaching. A recoverable failure (declined point, lost rank)
/// in an explicit stage ends ARKODE with ARK_UNREC_RHSFUNC_ERR. To try a shorter step, call ARKStepReset with the last
/// accepted t and y, ARKStepSetInitStep, and continue, as simulate() does. A vector of the wrong length, or a state far
/// off the constraints, is found in the first right-hand side: ARK_RHSFUNC_FAIL, and rethrow() throws Error. Memory of
/// another integrator is not refused, see attach_cvode.
/// @throws Error as attach_cvode
Attachment attach_arkode(void* arkode_memory, const std::shared_ptr<const MechanicalSystem>& system,
                         const MotionState& start, const AttachOptions& options = {});

}  // namespace sunlagrange
