// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/sundials/attach_ida.hpp>

#include <cmath>

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"
#include "sundials/dense_jacobian.hpp"
#include "sundials/sparse_jacobian.hpp"

namespace sunlagrange {

using namespace internal;

/// As only_in_cvodes.
namespace internal {
extern decltype(&IDASensFree) const only_in_idas;
decltype(&IDASensFree) const only_in_idas = IDASensFree;
}  // namespace internal

namespace {

int ida_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual, SUNMatrix, void* user_data,
                 N_Vector, N_Vector, N_Vector) {
  return ida_preconditioner_setup(t, y, yp, residual, c, user_data);
}

int ida_weights(N_Vector y, N_Vector weight, void* user_data) {
  return callback<FinalReturn>("error weights of IDA", user_data, {y, weight}, [&](Binding& binding) {
    const double h = std::abs(number_of(IDAGetCurrentStep, binding.memory));
    return binding.dae().multistep_weights(h, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
  });
}

/// Newton's iteration has converged if its error, by the rate of the corrections in this very step, is below the
/// tolerance; before a second correction shows the rate, it counts as the slowest one that is accepted. IDA would take
/// the rate of an earlier step. Where the Newton matrix ages along the motion, that accepts first corrections whose
/// error is as large as themselves. In index 1 the rate follows the step size alone, and IDA's own test serves.
int ida_has_converged(SUNNonlinearSolver solver, N_Vector, N_Vector correction, sunrealtype tolerance, N_Vector weight,
                      void* data) {
  constexpr double slowest = 0.9;  // that of IDA
  double& first = static_cast<Binding*>(data)->first_correction;
  const double now = N_VWrmsNorm(correction, weight);
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  if (iteration == 0) first = now;
  const double rate = iteration == 0 ? slowest : now > 0.0 ? std::pow(now / first, 1.0 / iteration) : 0.0;
  if (rate > slowest) return SUN_NLS_CONV_RECVR;
  constexpr int converged = 0;  // its name depends on the version of SUNDIALS
  return rate / (1.0 - rate) * now <= tolerance ? converged : SUN_NLS_CONTINUE;
}

}  // namespace

int ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data) {
  return callback<EquationReturn>("ida_residual", user_data, {y, yp, r}, [&](Binding& binding) {
    binding.require_forward();
    ++binding.rhs_evaluations;
    return binding.failures.count(
        binding.dae().residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r)));
  });
}

int ida_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector yp, N_Vector, sunrealtype c, void* user_data) {
  return callback<EquationReturn>("Jacobian of IDA", user_data, {y, yp}, [&](Binding& binding) {
    require_own_equations(binding, "ida_residual", "IDAInit");
    ++binding.jacobian_evaluations;
    const EvaluationResult result =
        binding.failures.count(binding.newton().factorize_newton(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), c));
    if (result == EvaluationResult::ok) binding.factorised = true;
    return result;
  });
}

int ida_preconditioner_solve(sunrealtype, N_Vector, N_Vector, N_Vector, N_Vector r, N_Vector z, sunrealtype c,
                             sunrealtype, void* user_data) {
  return callback<EquationReturn>(
      "preconditioner of IDA", user_data, {r, z},
      [&](Binding& binding) {
        N_VScale(SUN_RCONST(1.0), r, z);
        return binding.failures.count(binding.newton().solve_newton(c, N_VGetArrayPointer(z)));
      },
      keep_tangents);
}

int ida_jacobian_times(sunrealtype t, N_Vector y, N_Vector yp, N_Vector, N_Vector x, N_Vector Jx, sunrealtype c,
                       void* user_data, N_Vector, N_Vector) {
  return callback<EquationReturn>(
      "product with the Jacobian", user_data, {y, yp, x, Jx},
      [&](Binding& binding) {
        require_own_equations(binding, "ida_residual", "IDAInit");
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
        return result == EvaluationResult::ok ? binding.jacobian_times(c, N_VGetArrayPointer(x), N_VGetArrayPointer(Jx))
                                              : result;
      },
      keep_tangents);
}

int ida_dense_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* user_data,
                       N_Vector scratch, N_Vector, N_Vector) {
  return callback<EquationReturn>(
      "ida_dense_jacobian", user_data, {y, yp, scratch},
      [&](Binding& binding) {
        require_own_equations(binding, "ida_residual", "IDAInit");
        require_dense("ida_dense_jacobian", J, binding.dae().size());
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
        if (result != EvaluationResult::ok) return result;
        return fill_columns(J, scratch, [&](const double* x, double* Jx) { return binding.jacobian_times(c, x, Jx); });
      },
      keep_tangents);
}

int ida_sparse_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* user_data,
                        N_Vector, N_Vector, N_Vector) {
  return callback<EquationReturn>(
      "ida_sparse_jacobian", user_data, {y, yp},
      [&](Binding& binding) {
        require_own_equations(binding, "ida_residual", "IDAInit");
        require_sparse("ida_sparse_jacobian", J, binding.sparse().pattern);
        const EvaluationResult result = binding.linearize_product(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
        if (result != EvaluationResult::ok) return result;
        return fill_groups(J, binding.sparse(),
                           [&](const double* x, double* Jx) { return binding.jacobian_times(c, x, Jx); });
      },
      keep_tangents);
}

Attachment internal::install_ida(void* ida_memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                                 bool linear_solver, bool error_weights) {
  if (ida_memory == nullptr) throw Error("attach_ida: ida_memory is null; create it with IDACreate");
  check_vector(y, "y", *binding);
  N_Vector predicted = nullptr, predicted_rate = nullptr, present = nullptr, rate = nullptr, residual = nullptr;
  sunrealtype t = 0.0, c = 0.0;
  void* user_data = nullptr;
  require_success(IDAGetNonlinearSystemData(ida_memory, &t, &predicted, &predicted_rate, &present, &rate, &residual, &c,
                                            &user_data),
                  "IDAGetNonlinearSystemData");
  check_initialised(predicted, "IDAInit", *binding);
  if (number_of(IDAGetLastOrder, ida_memory) == 0 && binding->start) {  // before the first step
    const std::unique_ptr<_generic_N_Vector, void (*)(N_Vector)> given(N_VClone(y), N_VDestroy);
    require_success(IDAGetConsistentIC(ida_memory, given.get(), nullptr), "IDAGetConsistentIC");
    check_start(*binding, t, N_VGetArrayPointer(given.get()), "IDAInit");
  }
  if (linear_solver) binding->make_linear_solver(context);
  binding->memory = ida_memory;
  binding->function = "IDASolve";
  binding->flag_name = [](int flag) { return owned_name(IDAGetReturnFlagName(flag)); };
  binding->last_step = [](void* m) { return number_of(IDAGetLastStep, m); };
  binding->constraint_failures = [](void* m) {  // those of steps that no iteration explains
    return number_of(IDAGetNumStepSolveFails, m) - number_of(IDAGetNumNonlinSolvConvFails, m);
  };
  binding->keep_user_pointer(user_data);
  binding->starts_anew = [](void* m) { return number_of(IDAGetNumResEvals, m) == 0; };
  DaeFormulation& dae = binding->dae();
  const DaeSettings& s = binding->facts.dae->settings;
  require_success(IDASetUserData(ida_memory, binding.get()), "IDASetUserData");
  if (linear_solver) {
    const int flag = IDASetLinearSolver(ida_memory, binding->linear_solver, binding->matrix);
    if (flag != IDA_SUCCESS) IDASetUserData(ida_memory, user_data);
    require_success(flag, "IDASetLinearSolver");
    require_success(IDASetJacFn(ida_memory, ida_jacobian), "IDASetJacFn");
    if (binding->dae().acceleration() == Formulation::Acceleration::ideal) {  // index 2 and 3
      binding->nonlinear_solver = SUNNonlinSol_Newton(y, context);
      require_success(IDASetNonlinearSolver(ida_memory, binding->nonlinear_solver), "IDASetNonlinearSolver");
      require_success(SUNNonlinSolSetConvTestFn(binding->nonlinear_solver, ida_has_converged, binding.get()),
                      "SUNNonlinSolSetConvTestFn");
    }
    // IDA would scale all components alike to correct for an old c; the formulation scales each by its power of c.
    require_success(IDASetLinearSolutionScaling(ida_memory, SUNFALSE), "IDASetLinearSolutionScaling");
  }
  if (error_weights) require_success(IDAWFtolerances(ida_memory, ida_weights), "IDAWFtolerances");
  N_Vector id = N_VClone(y);
  dae.ids(N_VGetArrayPointer(id));
  const int id_flag = IDASetId(ida_memory, id);
  N_VDestroy(id);
  require_success(id_flag, "IDASetId");
  require_success(IDASetSuppressAlg(ida_memory, s.suppress_algebraic ? SUNTRUE : SUNFALSE), "IDASetSuppressAlg");
  require_success(IDASetNonlinConvCoef(ida_memory, s.nonlinear_coefficient), "IDASetNonlinConvCoef");
  require_success(IDASetMaxNonlinIters(ida_memory, s.max_nonlinear_iterations), "IDASetMaxNonlinIters");
  if (s.initial_step > 0.0) require_success(IDASetInitStep(ida_memory, s.initial_step), "IDASetInitStep");
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_ida(void* ida_memory, SUNContext context, N_Vector y,
                      const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options) {
  auto binding = make_binding(system, start, options, Equations::dae, "IDA");
  binding->start = start;
  binding->of_application = true;
  return install_ida(ida_memory, context, y, std::move(binding), options.install_linear_solver,
                     options.install_error_weights);
}

}  // namespace sunlagrange
