// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "sundials/return_values.hpp"

namespace sunlagrange::internal {

struct SparseJacobian;

/// The last right-hand side that ARKODE asked for. ARKODE may take it for the first stage of the next step although a
/// projection has moved y since.
struct LastRates {
  double t = 0.0;
  N_Vector vector = nullptr;   // of ARKODE
  std::vector<double> values;  // written into `vector`
  double projected_at = 0.0;   // t of the last projection
};

/// Everything that an attach function installs: the user_data of the integrator and the content of its linear solver
/// point to it. It is owned by an Attachment, and known by its address until it is destroyed (living_binding()).
struct Binding {
  std::shared_ptr<const MechanicalSystem> system;
  AnyFormulation made;
  void* user_pointer = nullptr;  // of the application
  FormulationFacts facts;
  FailureCounts failures;  // of the evaluations of the formulation
  std::string formulation_name;
  std::optional<ErrorTolerances> tolerances;  // of the options, for error_weights()
  LinearSolverOptions linear_options;
  std::vector<double> correction;             // of a projection after a step, length of y
  LastRates last_rates;                       // ARKODE only
  std::unique_ptr<PointEvaluator> evaluator;  // for Attachment::motion, made at its first use
  std::unique_ptr<SaddlePointSystem> saddle;  // likewise

  std::optional<MotionState> start;  // given to the attach function; empty once check_start() has compared it

  void* memory = nullptr;                        // of the integrator
  const char* function = "the integrator";       // that takes its steps, e.g. "CVode"
  std::string (*flag_name)(int flag) = nullptr;  // null: the flags have no names
  double (*last_step)(void* memory) = nullptr;   // the last accepted step [s]; null: not available
  /// The number of attempted steps that inequality constraints of the application ended; null: not available.
  long (*constraint_failures)(void* memory) = nullptr;
  /// True if the integrator is in its first call since it was initialised, or in the first one after a failure. An
  /// exception that was stored before belongs to another run.
  bool (*starts_anew)(void* memory) = nullptr;

  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear_solver = nullptr;
  SUNNonlinearSolver nonlinear_solver = nullptr;  // of IDA only
  double first_correction = 0.0;                  // of its present iteration, weighted
  bool of_application = false;                    // the integrator may outlive this
  bool factorised = false;                        // a Newton system was factorised at least once
  double gamma = 0.0;                             // of the last factorisation of an ODE form
  bool transposed = false;                        // the linear solver is that of adjoint equations

  /// The point at which linearize_product() has left the tangents. t is NaN if another evaluation has overwritten them.
  struct {
    double t = NAN;
    std::vector<double> y, yp;
  } tangents;

  std::unique_ptr<SparseJacobian> sparse_jacobian;  // made by sparse()

  std::exception_ptr error;  // thrown by the model; rethrown after the C call has returned
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;

  Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  ~Binding();

  /// Stores the user data that the memory had before as the application's pointer; the binding of an earlier attachment
  /// is replaced by the application's pointer that it holds.
  void keep_user_pointer(void* earlier);

  /// Refuses steps backward in time of a formulation that feeds constraint errors back, for they grow there. The sign
  /// of the last step gives the direction, so that a run is refused after its first step. Every step calls the
  /// right-hand side or the residual; these call this function.
  /// @throws Error
  void require_forward() const;

  Formulation& formulation() const {
    return std::visit([](const auto& f) -> Formulation& { return *f; }, made);
  }

  /// The formulation as one of its kind. @throws std::bad_variant_access for another kind; make_binding() checks it
  OdeFormulation& ode() const { return *std::get<std::unique_ptr<OdeFormulation>>(made); }
  DaeFormulation& dae() const { return *std::get<std::unique_ptr<DaeFormulation>>(made); }
  OneStepFormulation& one_step() const { return *std::get<std::unique_ptr<OneStepFormulation>>(made); }
  NewtonSystem& newton() const { return *formulation().provides().newton; }
  bool is_ode() const { return std::holds_alternative<std::unique_ptr<OdeFormulation>>(made); }

  /// Evaluates the tangents at (t, y, yp) for products with the Jacobian, unless they are there. yp is null for ODE
  /// forms.
  EvaluationResult linearize_product(double t, const double* y, const double* yp);

  /// Computes the product with the Jacobian at the point of the tangents, see JacobianProduct.
  EvaluationResult jacobian_times(double c, const double* x, double* Jx);

  /// Returns the pattern of the Jacobian and its groups of columns.
  SparseJacobian& sparse();

  /// Makes a matrix without content and a direct solver that hands right-hand sides to the formulation. CVODE and IDA
  /// decide when to evaluate and factorise; the blocks stay in the formulation.
  void make_linear_solver(SUNContext context);
};

/// Returns the binding that `user_data` points to, or null if there is none. Does not follow the pointer.
Binding* living_binding(void* user_data) noexcept;

/// living_binding() for functions that SUNDIALS calls. Null: the reason is in last_refused_call() and on stderr, for a
/// C function can tell nobody else.
Binding* find_binding(const char* function, void* user_data) noexcept;

/// The last call of this thread for which find_binding() found nothing; empty if it has found one since.
struct RefusedCall {
  const char* function = nullptr;
  const char* reason = nullptr;
};
RefusedCall& last_refused_call() noexcept;

/// Returns what() of a stored exception.
std::string message_of(const std::exception_ptr& error);

/// Returns true if `v` has `size` entries in one array.
bool fits(N_Vector v, long size);

/// Returns why `v` does not fit and what to do about it; empty if it fits. @param name  name of `v` in the message
std::string objection_to(N_Vector v, const char* name, const Binding& binding);

inline constexpr bool keep_tangents = true;  // argument of callback()

/// Every call of SUNDIALS into the library goes through here: body(binding) runs if user_data is the library's and the
/// vectors fit. A result of the body other than `ok` is returned as `declined`. An exception is stored and returned as
/// `failed`; it makes every later callback of the run fail, for the fixed-point iteration of CVODE 6.4 retries even
/// then.
/// @tparam Return  EquationReturn, LinearSolverReturn or FinalReturn: the kind of function that SUNDIALS calls
/// @param keeps_tangents  body evaluates nothing but tangents: pass keep_tangents
template <class Return, class Body>
int callback(const char* function, void* user_data, std::initializer_list<N_Vector> vectors, Body&& body,
             bool keeps_tangents = false) noexcept {
  constexpr int success = static_cast<int>(Return::success), declined = static_cast<int>(Return::declined),
                failed = static_cast<int>(Return::failed);
  Binding* binding = find_binding(function, user_data);
  if (binding == nullptr) return failed;
  if (binding->error != nullptr) {
    if (!binding->starts_anew(binding->memory)) return failed;
    binding->error = nullptr;
  }
  if (!keeps_tangents) binding->tangents.t = NAN;
  try {
    for (N_Vector v : vectors) {
      if (!fits(v, binding->formulation().size()))
        throw Error(std::string(function) + ": " + objection_to(v, "a vector of the integrator", *binding));
    }
    return body(*binding) == EvaluationResult::ok ? success : declined;
  } catch (...) {
    binding->error = std::current_exception();
    return failed;
  }
}

/// The private members of Attachment, for the library.
struct AttachmentAccess {
  static Attachment make(std::unique_ptr<Binding> binding) { return Attachment(std::move(binding)); }
  static Binding& binding(const Attachment& attachment) { return attachment.binding(); }
};

/// Makes the formulation that the options name.
/// @param integrator  name for messages
/// @throws Error if it does not fit the system, the start or the kind of equations that the integrator takes
std::unique_ptr<Binding> make_binding(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                      const AttachOptions& options, Equations equations, const char* integrator);

/// The attach functions for a binding that was made before. If one throws, the memory is as it was.
Attachment install_cvode(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                         bool linear_solver);
Attachment install_ida(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                       bool linear_solver, bool error_weights);
Attachment install_arkode(void* memory, std::unique_ptr<Binding> binding);

/// @throws Error if y does not fit the formulation
void check_vector(N_Vector y, const char* name, const Binding& binding);

/// @param own   a vector of the integrator memory; null if the memory was not initialised
/// @param init  the function that initialises it
/// @throws Error if the memory was not initialised, or with vectors that do not fit
void check_initialised(N_Vector own, const char* init, const Binding& binding);

/// Compares the state that the integrator memory was given with the start, at the first call only.
/// @param init  the function that was given the state
/// @throws Error if a row is violated by more than a tenth of its largest term and by more than twice what the start
/// violates it by. (Starts off the constraints are legitimate where gains bring them back; drift and tolerances stay
/// far below.)
void check_start(Binding& binding, double t, const double* y, const char* init);

/// @param function  the right-hand side or residual of the library
/// @param init      the function of the integrator that takes it
/// @throws Error if the integrator solves or projects, but has never called `function`: it integrates other equations
void require_own_equations(const Binding& binding, const char* function, const char* init);

/// Returns the number that a function of the integrator gives for its memory.
template <class Number>
Number number_of(int (*get)(void*, Number*), void* memory) {
  Number number{};
  get(memory, &number);
  return number;
}

/// @throws Error e.g. "CVodeSetUserData returned -20" if flag < 0
void require_success(int flag, const char* function);

}  // namespace sunlagrange::internal
