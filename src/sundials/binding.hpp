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

#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "sundials/return_values.hpp"

namespace sunlagrange::internal {

/// Of the last call of arkode_rhs: a stage, until ARKODE has ended the step.
struct LastRates {
  double t = 0.0;
  N_Vector vector = nullptr;   // of ARKODE
  std::vector<double> values;  // that it was given
  double projected_at = 0.0;   // t of the last projection
};

/// What the integrator's user_data and the content of its linear solver point to.
struct Binding {
  /// First of all members, where callback() looks whether a pointer that came back is one to a living binding.
  enum class Tag : std::uint64_t { alive = 0x73756e6c61677261, ended = 0x73756e6c656e6465 };
  Tag tag = Tag::alive;

  std::shared_ptr<const MechanicalSystem> system;
  AnyFormulation made;
  void* user_pointer = nullptr;
  FormulationFacts facts;
  FailureCounts failures;  // of the formulation's evaluations
  std::string formulation_name;
  std::optional<ErrorTolerances> tolerances;  // of the options, for error_weights()
  LinearSolverOptions linear_options;
  std::vector<double> correction;                // of a projection after a step, length of y
  LastRates last_rates;                          // of ARKODE
  std::unique_ptr<SaddlePointSystem> reactions;  // for Attachment::motion, made at its first use

  std::optional<MotionState> start;  // the application's, until the memory's state was compared with it

  void* memory = nullptr;                        // of the integrator
  const char* function = "the integrator";       // that takes its steps, e.g. "CVode"
  std::string (*flag_name)(int flag) = nullptr;  // null: nobody knows names of flags
  double (*last_step)(void* memory) = nullptr;   // that was accepted [s]; null: nobody knows it
  /// The integrator is in its first call since it was initialised, or one after a failure. What was thrown before that
  /// belongs to another run.
  bool (*starts_anew)(void* memory) = nullptr;

  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear_solver = nullptr;
  bool factorised = false;  // a Newton system, once at least
  double gamma = 0.0;       // of an ODE form, as factorised last
  bool transposed = false;  // the linear solver is that of adjoint equations

  /// Where the tangents of products with the Jacobian stand; a time that is no number: another evaluation spoiled them.
  struct {
    double t = NAN;
    std::vector<double> y, yp;
  } tangents;

  std::exception_ptr error;  // what the model threw; rethrown after the C call returned
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;

  Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  ~Binding();

  /// The user data that the memory had before is the application's pointer, or that of the Attachment before.
  void keep_user_pointer(void* earlier);

  /// Gives up everything but the tag and what SUNDIALS may still hold pointers to.
  void end();

  Formulation& formulation() const {
    return std::visit([](const auto& f) -> Formulation& { return *f; }, made);
  }

  /// The formulation if it is of that kind; std::bad_variant_access if not: make_binding() has looked.
  OdeFormulation& ode() const { return *std::get<std::unique_ptr<OdeFormulation>>(made); }
  DaeFormulation& dae() const { return *std::get<std::unique_ptr<DaeFormulation>>(made); }
  OneStepFormulation& one_step() const { return *std::get<std::unique_ptr<OneStepFormulation>>(made); }
  NewtonSystem& newton() const { return *formulation().provides().newton; }
  bool is_ode() const { return std::holds_alternative<std::unique_ptr<OdeFormulation>>(made); }

  /// Tangents at (t, y, yp), yp null for ODE forms, for products with the Jacobian.
  EvaluationResult linearize_product(double t, const double* y, const double* yp);

  /// The product with the Jacobian there, see JacobianProduct.
  EvaluationResult jacobian_times(double c, const double* x, double* Jx);

  /// A matrix without content and a direct solver that hands right-hand sides to the formulation: CVODE and IDA keep
  /// their logic of when to evaluate and factorise, the blocks never leave the formulation.
  void make_linear_solver(SUNContext context);
};

/// The living binding that `user_data` points to. Null: it is no such pointer; `function` has said so on stderr, for
/// there is nobody else to tell.
Binding* find_binding(const char* function, void* user_data) noexcept;

/// True: the library can use the entries of `v`, and there are `size` of them.
bool fits(N_Vector v, long size);

/// What fits() objects to, with the next thing to try; empty: nothing. @param name  what `v` is called
std::string objection_to(N_Vector v, const char* name, const Binding& binding);

inline constexpr bool keep_tangents = true;  // of callback()

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

/// The library's own way in and out of an Attachment.
struct AttachmentAccess {
  static Attachment make(std::unique_ptr<Binding> binding) { return Attachment(std::move(binding)); }
  static Binding& binding(const Attachment& attachment) { return attachment.binding(); }
};

/// The formulation the options name, checked against the system, the start and the kind of equations `integrator`
/// takes.
std::unique_ptr<Binding> make_binding(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                      const AttachOptions& options, Equations equations, const char* integrator);

/// The attach functions for a binding that exists already. If one throws, the memory is as it was.
Attachment install_cvode(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                         bool linear_solver);
Attachment install_ida(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                       bool linear_solver, bool error_weights);
Attachment install_arkode(void* memory, std::unique_ptr<Binding> binding);

/// Throws Error if y does not fit the formulation.
void check_vector(N_Vector y, const char* name, const Binding& binding);

/// Throws Error if the memory was not initialised, or with vectors that do not fit. @param own  a vector of the memory,
/// null before `init` was called
void check_initialised(N_Vector own, const char* init, const Binding& binding);

/// Compares the state that the memory was given with the start, once. Throws Error if it is plainly none: a row
/// violated by more than a tenth of what it is made of, and by more than twice what the start itself violates it by
/// (starts off the constraints are legitimate where gains take them back; drift and tolerances stay far below). @param
/// init  the function that was given it
void check_start(Binding& binding, double t, const double* y, const char* init);

/// Throws Error if no right-hand side (residual) of the library was evaluated although the integrator solves or
/// projects already. @param function  the library's own, which belongs into `init`
void require_own_equations(const Binding& binding, const char* function, const char* init);

/// Throws Error("CVodeSetUserData returned -20") if flag < 0.
void require_success(int flag, const char* function);

}  // namespace sunlagrange::internal
