// SPDX-License-Identifier: BSD-3-Clause
#include "sundials/binding.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <sunlagrange/sundials/attach_ida.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "formulation/options.hpp"
#include "model/checks/required_system.hpp"
#include "sundials/compatibility.hpp"
#include "sundials/sparse_jacobian.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

SUNLinearSolver_Type solver_type(SUNLinearSolver) {
  return SUNLINEARSOLVER_DIRECT;
}
SUNLinearSolver_ID solver_id(SUNLinearSolver) {
  return SUNLINEARSOLVER_CUSTOM;
}
int solver_initialize(SUNLinearSolver) {
  return 0;
}
/// The formulation factorises when it evaluates the matrix.
int solver_setup(SUNLinearSolver, SUNMatrix) {
  return 0;
}

int solver_solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
  return callback<LinearSolverReturn>("solve of the linear solver", solver->content, {x, b}, [&](Binding& binding) {
    if (!binding.factorised)
      return EvaluationResult::declined;  // attached in mid-run: SUNDIALS then evaluates a matrix
    if (x != b) N_VScale(SUN_RCONST(1.0), b, x);
    double* values = N_VGetArrayPointer(x);
    FailureCounts& failures = binding.failures;
    if (binding.transposed) return failures.count(binding.ode().provides().adjoint_newton->solve_adjoint(values));
    if (binding.is_ode()) return failures.count(binding.newton().solve_newton(binding.gamma, values));
    sunrealtype c = 0.0;
    IDAGetCurrentCj(binding.memory, &c);
    const EvaluationResult result = binding.newton().solve_newton(c, values);
    return failures.count(result == EvaluationResult::ok ? binding.dae().complete_correction(values) : result);
  });
}

SUNMatrix_ID matrix_id(SUNMatrix) {
  return SUNMATRIX_CUSTOM;
}
int matrix_zero(SUNMatrix) {
  return 0;
}

const char* describe(Equations equations) {
  switch (equations) {
    case Equations::ode:
      return "an ODE form";
    case Equations::dae:
      return "a DAE form";
    case Equations::one_step:
      return "a one-step method of its own";
  }
  return "";
}

std::string formulations_with(Equations equations) {
  std::string names;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.equations == equations) append_word(names, entry.name);
  }
  return names;
}

/// All bindings that exist, so that a pointer that comes back from SUNDIALS is recognised without being followed.
class LivingBindings {
 public:
  static LivingBindings& all() {
    static LivingBindings& bindings = *new LivingBindings;  // outlives every static Attachment
    return bindings;
  }
  void add(Binding* binding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bindings_.insert(binding);
  }
  void remove(Binding* binding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bindings_.erase(binding);
    ++removals_;
  }
  /// Returns the binding at `pointer`, or null. The last one that this thread asked for is found without a lock.
  Binding* find(void* pointer) {
    thread_local Binding* last = nullptr;
    thread_local unsigned long removals_before = 0;
    if (last != nullptr && last == pointer && removals_.load(std::memory_order_acquire) == removals_before) return last;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = bindings_.find(static_cast<Binding*>(pointer));
    last = found != bindings_.end() ? *found : nullptr;
    removals_before = removals_;
    return last;
  }

 private:
  std::mutex mutex_;
  std::set<Binding*> bindings_;
  std::atomic<unsigned long> removals_{0};
};

/// Solves nothing: the residual says that the attachment has ended.
int solve_without_attachment(SUNNonlinearSolver, N_Vector y, N_Vector, N_Vector, sunrealtype, sunbooleantype,
                             void* ida_memory) {
  N_Vector predicted = nullptr, predicted_rate = nullptr, present = nullptr, rate = nullptr, residual = nullptr;
  sunrealtype t = 0.0, c = 0.0;
  void* user_data = nullptr;
  IDAGetNonlinearSystemData(ida_memory, &t, &predicted, &predicted_rate, &present, &rate, &residual, &c, &user_data);
  ida_residual(t, y, y, y, user_data);
  return IDA_RES_FAIL;
}

/// Newton solvers of ended attachments, to which the integrator of an application still points. They solve nothing, and
/// their shells stay until the program ends.
class EndedNewtonSolvers {
 public:
  EndedNewtonSolvers() = default;
  EndedNewtonSolvers(const EndedNewtonSolvers&) = delete;
  EndedNewtonSolvers& operator=(const EndedNewtonSolvers&) = delete;
  ~EndedNewtonSolvers() {
    for (SUNNonlinearSolver solver : solvers_) SUNNonlinSolFreeEmpty(solver);
  }

  void add(SUNNonlinearSolver solver) {
    N_VDestroy(static_cast<SUNNonlinearSolverContent_Newton>(solver->content)->delta);
    std::free(solver->content);
    solver->content = nullptr;
    const auto type = solver->ops->gettype;
    *solver->ops = {};
    solver->ops->gettype = type;
    solver->ops->solve = solve_without_attachment;
    const std::lock_guard<std::mutex> lock(mutex_);
    solvers_.push_back(solver);
  }

 private:
  std::mutex mutex_;
  std::vector<SUNNonlinearSolver> solvers_;
};

EndedNewtonSolvers& ended_newton_solvers() {
  static EndedNewtonSolvers solvers;
  return solvers;
}

}  // namespace

Binding::Binding() {
  LivingBindings::all().add(this);
}

Binding::~Binding() {
  LivingBindings::all().remove(this);
  if (nonlinear_solver != nullptr && of_application)
    ended_newton_solvers().add(nonlinear_solver);
  else if (nonlinear_solver != nullptr)
    SUNNonlinSolFree(nonlinear_solver);
  SUNLinSolFreeEmpty(linear_solver);
  SUNMatFreeEmpty(matrix);
}

void Binding::keep_user_pointer(void* earlier) {
  if (earlier == nullptr) return;
  const Binding* before = living_binding(earlier);
  user_pointer = before != nullptr ? before->user_pointer : earlier;
  if (user_pointer != nullptr)
    facts.own.push_back({"user pointer", "the earlier user data; callbacks get it from user_pointer(user_data)", {}});
}

void Binding::require_forward() const {
  const bool feeds_back = facts.advice && facts.advice->fastest > 0.0;
  if (!feeds_back || transposed || last_step == nullptr || !(last_step(memory) < 0.0)) return;
  const bool program = !system->motion_law().has_forces;
  throw Error(
      std::string(function) + " goes backward in time, where the feedback of " + formulation_name +
      " lets constraint errors grow instead of decay; integrate forward, or attach a formulation without gains: " +
      (program ? "elimination" : "projected, coordinate_partitioning, ggl"));
}

Binding* internal::living_binding(void* user_data) noexcept {
  return LivingBindings::all().find(user_data);
}

RefusedCall& internal::last_refused_call() noexcept {
  thread_local RefusedCall call;
  return call;
}

Binding* internal::find_binding(const char* function, void* user_data) noexcept {
  if (Binding* binding = living_binding(user_data)) {
    last_refused_call() = {};
    return binding;
  }
  const char* reason =
      user_data == nullptr
          ? "the integrator has no user data: call attach_cvode, attach_ida or attach_arkode before it integrates, and "
            "do not set the user data to null"
          : "the user data belongs to no Attachment. Either the Attachment has ended: it must outlive the integrator "
            "memory. Or the user data was replaced: give your pointer to Attachment::set_user_pointer() instead of the "
            "integrator, and take it from user_pointer(user_data)";
  last_refused_call() = {function, reason};
  std::fprintf(stderr, "sunlagrange, %s: %s (in C these names begin with sunlagrange_)\n", function, reason);
  return nullptr;
}

std::string internal::message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

EvaluationResult Binding::linearize_product(double t, const double* y, const double* yp) {
  const auto same = [](const std::vector<double>& last, const double* x) {
    return x == nullptr || std::equal(last.begin(), last.end(), x);
  };
  if (t == tangents.t && same(tangents.y, y) && same(tangents.yp, yp)) return EvaluationResult::ok;
  tangents.t = NAN;
  ++jacobian_evaluations;
  const EvaluationResult result = failures.count(formulation().provides().product->linearize_product(t, y, yp));
  if (result != EvaluationResult::ok) return result;
  const int size = formulation().size();
  tangents.y.assign(y, y + size);
  if (yp != nullptr) tangents.yp.assign(yp, yp + size);
  tangents.t = t;
  return result;
}

EvaluationResult Binding::jacobian_times(double c, const double* x, double* Jx) {
  return failures.count(formulation().provides().product->jacobian_times(c, x, Jx));
}

SparseJacobian& Binding::sparse() {
  if (sparse_jacobian == nullptr) sparse_jacobian = std::make_unique<SparseJacobian>(formulation());
  return *sparse_jacobian;
}

void Binding::make_linear_solver(SUNContext context) {
  if (context == nullptr) throw Error("the SUNContext is null; give the one the integrator memory was created with");
  matrix = SUNMatNewEmpty(context);
  linear_solver = SUNLinSolNewEmpty(context);
  if (matrix == nullptr || linear_solver == nullptr) throw Error("SUNDIALS could not create a matrix or linear solver");
  matrix->ops->getid = matrix_id;
  matrix->ops->zero = matrix_zero;
  linear_solver->ops->gettype = solver_type;
  linear_solver->ops->getid = solver_id;
  linear_solver->ops->initialize = solver_initialize;
  linear_solver->ops->setup = solver_setup;
  linear_solver->ops->solve = solver_solve;
  linear_solver->content = this;
}

std::unique_ptr<Binding> internal::make_binding(const std::shared_ptr<const MechanicalSystem>& system,
                                                const MotionState& start, const AttachOptions& options,
                                                Equations equations, const char* integrator) {
  require_system(system, *integrator != 0 ? integrator : "attachment");
  const FormulationEntry& entry = find_formulation(options.formulation, *system);
  if (entry.equations != equations) {
    throw Error("formulation \"" + std::string(entry.name) + "\" is " + describe(entry.equations) + "; " + integrator +
                " takes " + describe(equations) + ": use one of " + formulations_with(equations));
  }
  FormulationInput input{options, system, start};
  if (equations == Equations::dae && input.integrator.kind == IntegratorKind::unknown)
    input.integrator.kind = IntegratorKind::bdf;  // IDA knows nothing else
  require_usable(entry, input);
  const std::string problems = objections(options.ida);
  throw_if_any(problems, "invalid options");
  auto binding = std::make_unique<Binding>();
  binding->system = system;
  binding->formulation_name = entry.name;
  binding->linear_options = options.linear_solver;
  binding->tolerances.emplace(*system, options);
  binding->made = entry.make(input);
  binding->facts = binding->formulation().facts();
  if (equations == Equations::dae) {
    binding->facts.dae->apply(options.ida);
    if (!options.install_error_weights) binding->facts.dae->error_weights = "the application's own";
  }
  return binding;
}

void internal::require_own_equations(const Binding& binding, const char* function, const char* init) {
  if (binding.rhs_evaluations > 0) return;
  throw Error(std::string("the integrator has not called ") + function + ", it integrates other equations: give " +
              function + " to " + init);
}

void internal::require_success(int flag, const char* function) {
  if (flag < 0) throw Error(std::string(function) + " returned " + std::to_string(flag));
}

}  // namespace sunlagrange
