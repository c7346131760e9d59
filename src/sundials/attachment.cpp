#include <sunlagrange/sundials/attachment.hpp>

#include <cmath>

#include "linear_solver/motion_law.hpp"
#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

Binding& binding_of(SUNLinearSolver solver) {
  return *static_cast<Binding*>(solver->content);
}

SUNLinearSolver_Type solver_type(SUNLinearSolver) {
  return SUNLINEARSOLVER_DIRECT;
}
SUNLinearSolver_ID solver_id(SUNLinearSolver) {
  return SUNLINEARSOLVER_CUSTOM;
}
int solver_initialize(SUNLinearSolver) {
  return 0;
}
int solver_setup(SUNLinearSolver, SUNMatrix) {
  return 0;
}  // factorised when the blocks were evaluated

int solver_solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
  Binding& binding = binding_of(solver);
  if (x != b) N_VScale(SUN_RCONST(1.0), b, x);
  double* values = N_VGetArrayPointer(x);
  return binding.guarded([&] {
    if (binding.is_ode()) return binding.ode().solve_newton(values);
    sunrealtype c = 0.0;
    IDAGetCurrentCj(binding.ida_memory, &c);
    return binding.dae().solve_newton(c, values);
  });
}

int solver_free(SUNLinearSolver solver) {
  SUNLinSolFreeEmpty(solver);
  return 0;
}

SUNMatrix_ID matrix_id(SUNMatrix) {
  return SUNMATRIX_CUSTOM;
}
int matrix_zero(SUNMatrix) {
  return 0;
}
void matrix_destroy(SUNMatrix matrix) {
  SUNMatFreeEmpty(matrix);
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

std::string names_of(Equations equations) {
  std::string names;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.equations == equations) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

Status explained(const std::string& head, const FailureCounts& failures, EvaluationResult result) {
  const FailureReason& reason = failure_reason(result);
  if (result == EvaluationResult::ok) return {reason.outcome, head + "; " + reason.advice};
  return {reason.outcome,
          head + ": " + reason.what + " (" + std::to_string(failures[result]) + " times); " + reason.advice};
}

}  // namespace

Binding::~Binding() {
  if (linear_solver != nullptr) SUNLinSolFree(linear_solver);
  if (matrix != nullptr) SUNMatDestroy(matrix);
}

void Binding::make_linear_solver(SUNContext context) {
  matrix = SUNMatNewEmpty(context);
  linear_solver = SUNLinSolNewEmpty(context);
  if (matrix == nullptr || linear_solver == nullptr) throw Error("SUNDIALS could not create a matrix or linear solver");
  matrix->ops->getid = matrix_id;
  matrix->ops->zero = matrix_zero;
  matrix->ops->destroy = matrix_destroy;
  linear_solver->ops->gettype = solver_type;
  linear_solver->ops->getid = solver_id;
  linear_solver->ops->initialize = solver_initialize;
  linear_solver->ops->setup = solver_setup;
  linear_solver->ops->solve = solver_solve;
  linear_solver->ops->free = solver_free;
  linear_solver->content = this;
}

std::unique_ptr<Binding> internal::make_binding(const std::shared_ptr<const MechanicalSystem>& system,
                                                const MotionState& start, const AttachOptions& options,
                                                Equations equations, const char* integrator) {
  const FormulationEntry& entry = find_formulation(options.formulation);
  if (entry.equations != equations) {
    throw Error("formulation \"" + options.formulation + "\" is " + describe(entry.equations) + "; " + integrator +
                " takes " + describe(equations) + ": use one of " + names_of(equations));
  }
  FormulationInput input{options, system, start};
  if (equations == Equations::dae && input.integrator.kind == IntegratorKind::unknown)
    input.integrator.kind = IntegratorKind::bdf;  // IDA knows nothing else
  require_usable(entry, input);
  auto binding = std::make_unique<Binding>();
  binding->system = system;
  binding->formulation_name = options.formulation;
  binding->linear_options = options.linear_solver;
  binding->made = entry.make(input);
  binding->facts = binding->formulation().facts();
  if (equations == Equations::dae) {
    binding->facts.dae = binding->dae().dae_facts();
    binding->facts.dae->take(options.ida);
  }
  return binding;
}

long num_unknowns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                  const AttachOptions& options) {
  return make_binding(system, start, options, find_formulation(options.formulation).equations, "")
      ->formulation()
      .size();
}

void initial_values(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const AttachOptions& options, N_Vector y, N_Vector yp) {
  const auto binding = make_binding(system, start, options, find_formulation(options.formulation).equations, "");
  check_length(y, *binding);
  binding->formulation().pack(start, N_VGetArrayPointer(y), yp != nullptr ? N_VGetArrayPointer(yp) : nullptr);
}

void internal::check_length(N_Vector y, const Binding& binding) {
  const int size = binding.formulation().size();
  if (N_VGetLength(y) == size) return;
  throw Error("y has " + std::to_string(N_VGetLength(y)) + " entries, formulation " + binding.formulation_name +
              " has " + std::to_string(size) + " unknowns: see num_unknowns()");
}

void internal::require_success(int flag, const char* function) {
  if (flag < 0) throw Error(std::string(function) + " returned " + std::to_string(flag));
}

void* user_pointer(void* user_data) {
  return static_cast<Binding*>(user_data)->user_pointer;
}

Attachment::Attachment(std::unique_ptr<Binding> binding) : binding_(std::move(binding)) {}
Attachment::Attachment(Attachment&&) noexcept = default;
Attachment& Attachment::operator=(Attachment&&) noexcept = default;
Attachment::~Attachment() = default;

void Attachment::set_user_pointer(void* pointer) {
  binding_->user_pointer = pointer;
}
const FormulationFacts& Attachment::facts() const {
  return binding_->facts;
}

std::string Attachment::linear_solver_description() const {
  return binding_->formulation().linear_solver_description();
}

AttachmentCounts Attachment::counts() const {
  const Formulation& f = binding_->formulation();
  const LinearCounts linear = f.counts();
  return {binding_->rhs_evaluations, binding_->jacobian_evaluations,
          linear.factorizations,     linear.pivot_refreshes,
          linear.rank_events,        f.failures};
}

void Attachment::rethrow() {
  if (binding_->error == nullptr) return;
  const std::exception_ptr error = binding_->error;
  binding_->error = nullptr;
  std::rethrow_exception(error);
}

bool Attachment::motion(double t, N_Vector y, MotionState& state) {
  const MechanicalSystem& system = *binding_->system;
  const int n = system.num_positions();
  const int m = system.num_constraints();
  state.t = t;
  for (Eigen::VectorXd* x : {&state.q, &state.v, &state.a}) x->resize(n);
  state.lambda.resize(m);
  Formulation& formulation = binding_->formulation();
  const MotionLaw& law = motion_law(system);
  if (formulation.unpack(t, N_VGetArrayPointer(y), nullptr, state.q.data(), state.v.data(),
                         law.has_forces() ? nullptr : state.a.data()) != EvaluationResult::ok) {
    return false;
  }
  if (binding_->reactions == nullptr) {
    binding_->reactions =
        std::make_unique<SaddlePointSystem>(binding_->system, resolve_linear_solver(binding_->linear_options, n, m));
  }
  if (binding_->reactions->factorize(t, state.q.data(), state.v.data()) != EvaluationResult::ok) return false;
  return law.complete(*binding_->reactions, state.v.data(), state.a.data(), state.lambda.data()) ==
         EvaluationResult::ok;
}

bool Attachment::change_variables(double t, N_Vector y) {
  return binding_->is_ode() && binding_->ode().change_variables(t, N_VGetArrayPointer(y));
}

std::vector<Fact> Attachment::statistics() const {
  return binding_->formulation().statistics();
}

Status Attachment::explain(const std::string& function, int flag, const std::string& flag_name, double t) const {
  const FailureCounts& f = binding_->formulation().failures;
  return explained(function + " returned " + flag_name + " (" + std::to_string(flag) + ") at t = " + text(t), f,
                   f.last_of_step());
}

Status Attachment::explain(const std::string& what_happened) const {
  const FailureCounts& f = binding_->formulation().failures;
  return explained(what_happened, f, f.last_of_run());
}

}  // namespace sunlagrange
