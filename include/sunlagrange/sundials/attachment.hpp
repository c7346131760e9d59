// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_types.h>

#include <sunlagrange/base/evaluation_result.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/formulation/layout.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

namespace internal {
struct Binding;  // the user_data of the integrator points to it
struct AttachmentAccess;
}  // namespace internal

/// Options of attach_cvode, attach_ida and attach_arkode. ODE forms go with CVODE and ARKODE, DAE forms with IDA.
struct AttachOptions : FormulationOptions {
  /// False: the application brings its own linear solver, and no matrix, solver or Jacobian function is installed.
  /// (If none is set, CVODE 6 returns an error, and CVODE 7 crashes in the first Newton iteration.)
  bool install_linear_solver = true;

  IdaOverrides ida;  ///< for IDA and radau

  /// attach_ida only. False: the tolerances that the application has set stay (no IDAWFtolerances); rtol and atol
  /// should have the same values, for other parts read them. When not: index2 and index3, whose multipliers and
  /// velocities need weights of their own, and units far from 1.
  bool install_error_weights = true;
};

/// Counters of the library's callbacks.
struct AttachmentCounts {
  long rhs_evaluations = 0;       ///< right-hand sides or residuals
  long jacobian_evaluations = 0;  ///< evaluations of the Newton blocks, or of tangents for products
  long factorizations = 0;        ///< numeric factorisations, saddle-point and Newton together
  long linear_solutions = 0;      ///< solutions with these factors, one for each right-hand side
  long pivot_refreshes = 0;       ///< sparse re-factorisations because the stored pivots had become bad
  long rank_actions = 0;          ///< factorisations in which the rank policy acted
  long unconverged = 0;           ///< evaluations whose inner iteration ended at its limit
  FailureCounts failures;         ///< recoverable failures, by reason
};

/// Returns the number of unknowns in y: 2n for most ODE forms, more for DAE forms (multipliers), fewer in independent
/// coordinates.
/// @throws Error if the formulation is unknown or cannot treat the system
sunindextype num_unknowns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                          const AttachOptions& options = {});

/// Returns the places of q, v, lambda and the other unknowns in y. @throws Error as num_unknowns
UnknownsLayout layout(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options = {});

/// Fills y, and y' unless `yp` is null, from a consistent state.
/// @throws Error if y or yp does not have num_unknowns() entries
void initial_values(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const AttachOptions& options, N_Vector y, N_Vector yp = nullptr);

/// The connection of a formulation to an integrator of the application: CVODE, IDA or ARKODE memory that the
/// application has created, configured and advances itself. attach_cvode, attach_ida and attach_arkode return it. It
/// owns what they install: formulation, matrix, linear solver, workspace. The equations are those of the formulation,
/// written as y' = f(t, y) or F(t, y, y') = 0 (formulation/info.hpp names them); the constrained motion is (SADDLE) of
/// notation.hpp.
///
/// @code
/// void* cvode = CVodeCreate(CV_BDF, context);
/// CVodeInit(cvode, cvode_rhs, start.t, y);
/// CVodeSStolerances(cvode, 1e-6, 1e-8);
/// Attachment attachment = attach_cvode(cvode, context, y, system, start, options);
/// double t = 0.0;
/// const int flag = CVode(cvode, 1.0, y, &t, CV_NORMAL);
/// if (flag < 0) std::cerr << attachment.explain(flag, t).message << "\n";
/// @endcode
///
/// It can be moved, also in mid-run, but not copied, and must outlive the integrator memory: integrating after its end
/// is an error, which the right-hand side reports on stderr; an integrator that has taken no step yet may crash then.
/// Formulations with gains go forward in time only: backward the gains let constraint errors grow, and the right-hand
/// side fails after the first step. Forms without gains (unstabilized, projected, coordinate_partitioning, ggl, index2,
/// index3, stabilized_index1) go both ways; with IDA call IDASetInitStep(memory, 0.0) after attaching, since attach_ida
/// sets a first step forward in time.
/// After attaching anew in mid-run CVODE and ARKODE continue with the new formulation; IDA needs IDAReInit. Every
/// member throws Error on an object that was moved from.
class Attachment {
 public:
  Attachment(Attachment&&) noexcept;
  Attachment& operator=(Attachment&&) noexcept;
  ~Attachment();

  /// Sets the pointer that `user_pointer(user_data)` returns in the application's callbacks (root functions, ...): the
  /// user_data of the integrator belongs to the library. Default: the user data that the memory had when it was
  /// attached (facts() name it). An application that calls CVodeSetUserData after attaching ends its runs: the
  /// callbacks fail, with a message on stderr.
  void set_user_pointer(void* pointer);

  /// Returns every SUNDIALS setting that the attach function changed, and the choices of the formulation.
  const FormulationFacts& facts() const;

  /// Returns the counters since the attach function.
  AttachmentCounts counts() const;

  /// Returns the places of q, v, lambda and the other unknowns in y.
  UnknownsLayout layout() const;

  /// Returns the number of entries of the Jacobian that may differ from zero, for SUNSparseMatrix and
  /// cvode_sparse_jacobian or ida_sparse_jacobian.
  sunindextype jacobian_nonzeros();

  /// Returns counters of the formulation's own, e.g. projections or iterations; empty for most.
  std::vector<Fact> statistics() const;

  /// Computes the motion that a solution vector describes at time t, for every formulation: q, v, and the ideal v' and
  /// lambda (without stabilising parts) of the saddle-point system there.
  /// @return  false if the model declined the point, or rank policy strict found the system singular (q and v are set
  /// all the same)
  /// @throws Error if y does not fit
  bool motion(double t, N_Vector y, MotionState& state);

  /// Changes the independent variables of formulation coordinate_partitioning where others determine the motion better.
  /// Call it after each accepted step; other formulations do not need it. Without these calls accuracy is lost where
  /// the first variables hardly determine the motion, or the run ends there. A motion that begins at the start again is
  /// described in the variables of initial_values(); at times between, y is refused. For another start attach anew. May
  /// allocate; throws what the model throws.
  /// @return  true if y now describes the same motion in other variables, as many as before: restart the integrator
  /// from (t, y) with CVodeReInit or ARKStepReset, and set its stop time again
  bool change_variables(double t, N_Vector y);

  /// Returns one line on the linear solver and the rank policy in use.
  std::string linear_solver_description() const;

  /// Throws the exception that the model threw inside a callback, or Error if a vector did not fit; else does nothing.
  /// Call it after an integrator call returned < 0. Until then, or until the memory is initialised anew, all callbacks
  /// fail.
  void rethrow();

  /// Translates the flag that CVode, IDASolve or ARKStepEvolve returned at t into a Status: outcome, time, reason,
  /// constraint, and what to try next. A flag that is not negative is `finished`. Call it in the thread of that call.
  Status explain(int flag, double t) const;

  /// The same for another function. @param flag_name  empty: the name that the integrator has for it
  Status explain(const std::string& function, int flag, const std::string& flag_name, double t) const;

  /// The same for any other reason to stop, e.g. a step size that recoverable failures have reduced to nothing.
  Status explain(const std::string& what_happened) const;

 private:
  friend struct internal::AttachmentAccess;
  explicit Attachment(std::unique_ptr<internal::Binding> binding);
  internal::Binding& binding() const;
  std::unique_ptr<internal::Binding> binding_;
};

/// Error weights of an ODE form from rtol and atol of its options, each coordinate in its natural scale (Tolerances),
/// whatever the unknowns of the formulation. For CVodeWFtolerances or ARKStepWFtolerances, after attach_cvode or
/// attach_arkode. The application has to install them, for tolerances belong to it; attach_ida installs those of DAE
/// forms itself.
int error_weights(N_Vector y, N_Vector weight, void* user_data);

/// Returns the application's own pointer, from the user_data that a SUNDIALS callback receives. Null, with a message on
/// stderr, if that user_data is not the library's.
void* user_pointer(void* user_data);

/// Returns why a function of the library, called by SUNDIALS or by the application, has just failed in this thread with
/// this user_data: the message of an exception, or the reason why the point was declined. Empty if it did not fail.
std::string failure_of(void* user_data);

}  // namespace sunlagrange
