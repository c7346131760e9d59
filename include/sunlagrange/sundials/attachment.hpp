#pragma once

#include <memory>
#include <string>

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

#include <sunlagrange/base/evaluation_result.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/formulation/layout.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

namespace internal {
struct Binding;  // what the integrator's user_data points to
struct AttachmentAccess;
}  // namespace internal

/// What attach_cvode, attach_ida and attach_arkode need to know beyond the system. ODE forms fit CVODE and ARKODE, DAE
/// forms fit IDA.
struct AttachOptions : FormulationOptions {
  /// false: the application brings its own linear solver; then no matrix, solver or Jacobian function is installed.
  /// (Where none is set, CVODE 6 says so, and CVODE 7 crashes in the first Newton iteration.)
  bool install_linear_solver = true;

  IdaOverrides ida;  ///< attach_ida only

  /// attach_ida only. false: the tolerances that the application has set stay (no IDAWFtolerances); rtol and atol
  /// should say the same, for what else reads them. When not: index2 and index3, whose multipliers and velocities want
  /// weights of their own, and units far from 1.
  bool install_error_weights = true;
};

/// Counters of the library's callbacks.
struct AttachmentCounts {
  long rhs_evaluations = 0;       ///< right-hand sides or residuals
  long jacobian_evaluations = 0;  ///< evaluations of the Newton blocks, or of tangents for products
  long factorizations = 0;        ///< numeric factorisations, saddle-point and Newton together
  long pivot_refreshes = 0;       ///< sparse re-factorisations because frozen pivots went bad
  long rank_events = 0;           ///< factorisations in which the rank policy acted
  long unconverged = 0;           ///< evaluations whose inner iteration ended at its limit
  FailureCounts failures;         ///< recoverable ones, by reason
};

/// Number of unknowns in y: 2n for most ODE forms, more for DAE forms (multipliers), less in independent coordinates.
/// @throws Error if the formulation is unknown or cannot treat the system
long num_unknowns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                  const AttachOptions& options = {});

/// What stands where in y. @throws Error as num_unknowns
UnknownsLayout layout(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options = {});

/// Fills y, and y' unless `yp` is null, for a consistent state.
/// @throws Error if y or yp has not num_unknowns() entries
void initial_values(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const AttachOptions& options, N_Vector y, N_Vector yp = nullptr);

/// Owner of everything an attach_* function installed: formulation, matrix, linear solver, workspace. Move-only, also
/// in mid-run; must outlive the integrator memory it is attached to: an integrator that goes on after its Attachment
/// gets failures with a message, for as long as the process has ended fewer than 64 others. After attaching anew in
/// mid-run CVODE and ARKODE go on with the new formulation, IDA wants IDAReInit. Every member throws Error on an object
/// that was moved from.
class Attachment {
 public:
  Attachment(Attachment&&) noexcept;
  Attachment& operator=(Attachment&&) noexcept;
  ~Attachment();

  /// The integrator's user_data belongs to the library; the application's own pointer is kept here and is what
  /// `user_pointer(user_data)` returns inside the application's callbacks (root functions, ...). What the memory had as
  /// user data when it was attached is kept so already (facts() say it). An application that
  /// calls CVodeSetUserData after attaching ends its runs: the callbacks fail, and say so on stderr.
  void set_user_pointer(void* pointer);

  /// Every SUNDIALS setting the attach function changed, and the formulation's choices.
  const FormulationFacts& facts() const;

  AttachmentCounts counts() const;

  /// What stands where in y.
  UnknownsLayout layout() const;

  /// What the formulation counted on its way, e.g. projections or iterations; empty for most.
  std::vector<Fact> statistics() const;

  /// The motion behind a solution vector at time t: q, v, and the ideal v' and lambda (no stabilising part) that the
  /// saddle-point system gives there; every formulation, whatever its unknowns. False: the model declined the point, or
  /// rank policy strict found the system singular (then q and v are still set). @throws Error if y does not fit
  bool motion(double t, N_Vector y, MotionState& state);

  /// Call it after each accepted step with formulation coordinate_partitioning; the others do not need it. True: y now
  /// describes the same motion in other variables, as many as before; start the integrator anew from (t, y) with
  /// CVodeReInit or ARKStepReset, and set its stop time again. Without these calls accuracy is lost where the first
  /// variables hardly determine the motion, or the run ends there. A motion that begins at the start anew is described
  /// in the variables of initial_values() again; at times between, y is refused. For another start attach anew.
  /// May allocate; throws what the model throws.
  bool change_variables(double t, N_Vector y);

  /// One line on the linear solver and rank policy really in use.
  std::string linear_solver_description() const;

  /// If the model threw inside a callback, throws that exception now; Error if a vector did not fit. Call it after an
  /// integrator call returned < 0. Until then, or until the memory is initialised anew, all callbacks fail.
  void rethrow();

  /// Turns the flag that CVode, IDASolve or ARKStepEvolve returned at t into a Status: outcome, time, reason,
  /// constraint, next thing to try. A flag that is not negative is `finished`. Call it in the thread of that call.
  Status explain(int flag, double t) const;

  /// The same for another function. @param flag_name  empty: the name that the integrator has for it
  Status explain(const std::string& function, int flag, const std::string& flag_name, double t) const;

  /// The same for any other reason to stop at t, e.g. a step size that recoverable failures have driven to nothing.
  Status explain(const std::string& what_happened) const;

 private:
  friend struct internal::AttachmentAccess;
  explicit Attachment(std::unique_ptr<internal::Binding> binding);
  internal::Binding& binding() const;
  std::unique_ptr<internal::Binding> binding_;
};

/// Error weights of an ODE form from rtol and atol of its options, each coordinate in its natural scale (Tolerances),
/// whatever the unknowns of the formulation: for CVodeWFtolerances or ARKStepWFtolerances once attach_cvode or
/// attach_arkode was called. Tolerances belong to the application, so nobody installs them but it. attach_ida installs
/// those of DAE forms by itself.
int error_weights(N_Vector y, N_Vector weight, void* user_data);

/// The application's own pointer, from the user_data that a SUNDIALS callback receives. Null, with a message on stderr,
/// if that is not the library's.
void* user_pointer(void* user_data);

/// Why a function of the library that SUNDIALS calls, or the application by itself, has just failed with this user_data
/// in this thread: what was thrown, or why the point was declined. Empty: it did not fail.
std::string failure_of(void* user_data);

}  // namespace sunlagrange
