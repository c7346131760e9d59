#pragma once

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// Explicit right-hand side to hand to ARKStepCreate or ERKStepCreate; y as initial_values() fills it. Works once
/// attach_arkode has been called. With formulation `projected` and SUNDIALS 6.7 or later the ydot of the latest call
/// may be written again after the step: an application that calls arkode_rhs itself passes vectors that outlive the
/// step.
int arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);

/// Installs an ODE formulation on ARKStep or ERKStep memory that the application owns and has created with arkode_rhs
/// as its explicit part. Changes exactly: user data, and for formulation `projected` the function after each step
/// (ARKStepSetPostprocessStepFn). Tables, steps and tolerances stay the application's (error_weights() offers some); a
/// Jacobian function of its own, for an implicit part, it sets after attaching.
/// A recoverable failure (declined point, lost rank) in an explicit stage ends ARKODE with ARK_UNREC_RHSFUNC_ERR: to
/// try a shorter step, call ARKStepReset with the last accepted t and y, ARKStepSetInitStep, and go on; simulate() does
/// so.
/// A vector of another length than y must have shows in the first right-hand side: ARK_RHSFUNC_FAIL, and rethrow().
/// So does a state that is plainly no start.
/// Memory of another integrator is not noticed, see attach_cvode.
/// @throws Error as attach_cvode
Attachment attach_arkode(void* arkode_memory, const std::shared_ptr<const MechanicalSystem>& system,
                         const MotionState& start, const AttachOptions& options = {});

}  // namespace sunlagrange
