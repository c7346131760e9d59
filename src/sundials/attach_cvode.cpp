// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/sundials/attach_cvode.hpp>

#include <algorithm>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"
#include "sundials/dense_jacobian.hpp"
#include "sundials/sparse_jacobian.hpp"

namespace sunlagrange {

using namespace internal;

/// Refers to a name that CVODE does not have. An application that links a static CVODE before the library then gets
/// duplicate symbols, which the linker refuses, instead of parts of both libraries, which would crash. (Of shared
/// libraries the first one is used.)
namespace internal {
extern decltype(&CVodeSensFree) const only_in_cvodes;
decltype(&CVodeSensFree) const only_in_cvodes = CVodeSensFree;
}  // namespace internal

namespace {

/// Evaluates (unless jok) and factorises I - gamma J; the matrix of CVODE is a placeholder.
int cvode_linear_system(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix, sunbooleantype jok, sunbooleantype* jcur,
                        sunrealtype gamma, void* user_data, N_Vector, N_Vector, N_Vector) {
  return cvode_preconditioner_setup(t, y, fy, jok, jcur, gamma, user_data);
}

/// Computes a correction such that y + correction satisfies the constraints, and projects the error estimate unless it
/// is null. The tolerance is not needed, for the formulation iterates to rounding level.
int cvode_project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype, N_Vector error, void* user_data) {
  return callback<EquationReturn>(
      "projection of CVODE", user_data, {y, correction, error != nullptr ? error : y}, [&](Binding& binding) {
        require_own_equations(binding, "cvode_rhs", "CVodeInit");
        double* values = N_VGetArrayPointer(correction);
        Projection* projection = binding.ode().provides().projection;
        if (projection == nullptr) {  // a formulation that was attached before has installed this function
          std::fill_n(values, binding.ode().size(), 0.0);
          return EvaluationResult::ok;
        }
        return binding.failures.count(projection->project(t, N_VGetArrayPointer(y), values,
                                                          error != nullptr ? N_VGetArrayPointer(error) : nullptr));
      });
}

}  // namespace

int cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  return callback<EquationReturn>("cvode_rhs", user_data, {y, ydot}, [&](Binding& binding) {
    binding.require_forward();
    ++binding.rhs_evaluations;
    return binding.failures.count(binding.ode().rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)));
  });
}

int cvode_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector, int jok, int* jcur, sunrealtype gamma,
                               void* user_data) {
  return callback<EquationReturn>("linear system of CVODE", user_data, {y}, [&](Binding& binding) {
    require_own_equations(binding, "cvode_rhs", "CVodeInit");
    const bool reuse = jok != 0 && binding.factorised;
    *jcur = reuse ? SUNFALSE : SUNTRUE;
    if (!reuse) ++binding.jacobian_evaluations;
    binding.gamma = gamma;
    const EvaluationResult result =
        binding.failures.count(binding.newton().factorize_newton(t, N_VGetArrayPointer(y), nullptr, gamma, reuse));
    if (result == EvaluationResult::ok) binding.factorised = true;
    return result;
  });
}

int cvode_preconditioner_solve(sunrealtype, N_Vector, N_Vector, N_Vector r, N_Vector z, sunrealtype, sunrealtype, int,
                               void* user_data) {
  return callback<EquationReturn>(
      "preconditioner of CVODE", user_data, {r, z},
      [&](Binding& binding) {
        N_VScale(SUN_RCONST(1.0), r, z);
        return binding.failures.count(binding.newton().solve_newton(binding.gamma, N_VGetArrayPointer(z)));
      },
      keep_tangents);
}

int cvode_jacobian_times(N_Vector x, N_Vector Jx, sunrealtype t, N_Vector y, N_Vector, void* user_data, N_Vector) {
  return callback<EquationReturn>(
      "product with the Jacobian", user_data, {x, Jx, y},
      [&](Binding& binding) {
        require_own_equations(binding, "cvode_rhs", "CVodeInit");
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), nullptr);
        return result == EvaluationResult::ok
                   ? binding.jacobian_times(0.0, N_VGetArrayPointer(x), N_VGetArrayPointer(Jx))
                   : result;
      },
      keep_tangents);
}

int cvode_dense_jacobian(sunrealtype t, N_Vector y, N_Vector, SUNMatrix J, void* user_data, N_Vector scratch, N_Vector,
                         N_Vector) {
  return callback<EquationReturn>(
      "cvode_dense_jacobian", user_data, {y, scratch},
      [&](Binding& binding) {
        require_own_equations(binding, "cvode_rhs", "CVodeInit");
        require_dense("cvode_dense_jacobian", J, binding.ode().size());
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), nullptr);
        if (result != EvaluationResult::ok) return result;
        return fill_columns(J, scratch,
                            [&](const double* x, double* Jx) { return binding.jacobian_times(0.0, x, Jx); });
      },
      keep_tangents);
}

int cvode_sparse_jacobian(sunrealtype t, N_Vector y, N_Vector, SUNMatrix J, void* user_data, N_Vector, N_Vector,
                          N_Vector) {
  return callback<EquationReturn>(
      "cvode_sparse_jacobian", user_data, {y},
      [&](Binding& binding) {
        require_own_equations(binding, "cvode_rhs", "CVodeInit");
        require_sparse("cvode_sparse_jacobian", J, binding.sparse().pattern);
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), nullptr);
        if (result != EvaluationResult::ok) return result;
        return fill_groups(J, binding.sparse(),
                           [&](const double* x, double* Jx) { return binding.jacobian_times(0.0, x, Jx); });
      },
      keep_tangents);
}

Attachment internal::install_cvode(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                                   bool linear_solver) {
  if (memory == nullptr) throw Error("attach_cvode: cvode_memory is null; create it with CVodeCreate");
  check_vector(y, "y", *binding);
  N_Vector predicted = nullptr, present = nullptr, rhs = nullptr, derivative = nullptr;
  sunrealtype t = 0.0, gamma = 0.0, factor = 0.0;
  void* user_data = nullptr;
  require_success(
      CVodeGetNonlinearSystemData(memory, &t, &predicted, &present, &rhs, &gamma, &factor, &derivative, &user_data),
      "CVodeGetNonlinearSystemData");
  check_initialised(predicted, "CVodeInit", *binding);
  if (number_of(CVodeGetNumSteps, memory) == 0) check_start(*binding, t, N_VGetArrayPointer(predicted), "CVodeInit");
  if (linear_solver) binding->make_linear_solver(context);
  const bool projects = binding->ode().provides().projection != nullptr;
  if (projects && CVodeSetProjFn(memory, cvode_project) != CV_SUCCESS) {
    throw Error("CVodeSetProjFn refused the projection of formulation " + binding->formulation_name +
                ": CVODE projects with CV_BDF only; create the memory with CV_BDF, or use ARKODE");
  }
  // CVODE chooses the order by estimates that it does not project. With a projected estimate in its error test only,
  // the order stays too low, and all steps err in the same direction. CVODES also replaces that of the sensitivities by
  // it.
  if (projects) require_success(CVodeSetProjErrEst(memory, SUNFALSE), "CVodeSetProjErrEst");
  binding->memory = memory;
  binding->function = "CVode";
  binding->flag_name = [](int flag) { return owned_name(CVodeGetReturnFlagName(flag)); };
  binding->last_step = [](void* m) { return number_of(CVodeGetLastStep, m); };
  binding->constraint_failures = [](void* m) {  // those of steps that no iteration explains
    return number_of(CVodeGetNumStepSolveFails, m) - number_of(CVodeGetNumNonlinSolvConvFails, m);
  };
  binding->keep_user_pointer(user_data);
  binding->starts_anew = [](void* m) { return number_of(CVodeGetNumRhsEvals, m) == 0; };
  require_success(CVodeSetUserData(memory, binding.get()), "CVodeSetUserData");
  if (linear_solver) {
    const int flag = CVodeSetLinearSolver(memory, binding->linear_solver, binding->matrix);
    if (flag != CV_SUCCESS) CVodeSetUserData(memory, user_data);
    require_success(flag, "CVodeSetLinearSolver");
    require_success(CVodeSetLinSysFn(memory, cvode_linear_system), "CVodeSetLinSysFn");
  }
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_cvode(void* cvode_memory, SUNContext context, N_Vector y,
                        const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const AttachOptions& options) {
  AttachOptions known = options;
  if (known.integrator.kind == IntegratorKind::unknown && options.install_linear_solver)
    known.integrator.kind = IntegratorKind::bdf;
  auto binding = make_binding(system, start, known, Equations::ode, "CVODE");
  binding->start = start;
  return install_cvode(cvode_memory, context, y, std::move(binding), options.install_linear_solver);
}

}  // namespace sunlagrange
