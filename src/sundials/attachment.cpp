#include <sunlagrange/sundials/attachment.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "formulation/options.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/required_system.hpp"
#include "model/motion_law.hpp"
#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

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
int solver_setup(SUNLinearSolver, SUNMatrix) {
  return 0;
}  // factorised when the blocks were evaluated

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

/// What a flag of an integrator is about.
struct FlagMeaning {
  enum class Of { step, call, function };  // of an attempted step, of what the application called or set, of a callback
  const char* word;                        // in the name of the flag
  Of of;
  const char* advice;
};

constexpr const char* too_much_work = "TOO_MUCH_WORK";

const FlagMeaning* meaning_of(const std::string& flag) {
  using Of = FlagMeaning::Of;
  static constexpr FlagMeaning all[] = {
      {"TOO_MUCH_ACC", Of::step, "rtol and atol ask for more than the digits of the solution hold: raise them"},
      {too_much_work, Of::call,
       "the largest number of steps of one call was taken and the time asked for not reached; what was reached is "
       "good: call again to go on, or raise the number (CVodeSetMaxNumSteps, IDASetMaxNumSteps, "
       "ARKStepSetMaxNumSteps); where steps are far too short, look at tolerances and units"},
      {"ERR_FAIL", Of::step,
       "the error test failed at the shortest step: forces or constraints may jump there (make that an event)"},
      {"CONV_FAIL", Of::step,
       "Newton's iteration failed at the shortest step: look at check_derivatives, and whether the model is smooth "
       "there"},
      {"ILL_INPUT", Of::call,
       "something is missing or does not fit, and the integrator has said on stderr what: tolerances "
       "(CVodeSStolerances, IDASStolerances), a linear solver (the library's was left out), error weights that are not "
       "positive (atol = 0), a time to go to that lies behind, a stop time that is past"},
      {"TOO_CLOSE", Of::call, "the time to go to is the start, to rounding: ask for a later one"},
      {"RTFUNC_FAIL", Of::function,
       "a root function of the application failed; since attaching its user_data is the library's: take your pointer "
       "from user_pointer(user_data) there"},
      {"RHSFUNC", Of::function, "the right-hand side that the integrator was given failed, and it is not the model's"},
      {"RES_", Of::function, "the residual that the integrator was given failed, and it is not the model's"},
      {"LSETUP_FAIL", Of::function,
       "the set-up of the linear solver failed; if it is the application's own, look there"},
      {"LSOLVE_FAIL", Of::function, "the linear solver failed; if it is the application's own, look there"},
      {"LINIT_FAIL", Of::call,
       "the linear solver could not be initialised; if it is the application's own, look there"},
      {"CONSTR_FAIL", Of::call,
       "the inequality constraints that the application has set (CVodeSetConstraints, IDASetConstraints) cannot be "
       "kept"},
      {"PROJFUNC", Of::function, "no positions nearby satisfy the constraints"},
      {"BAD_EWT", Of::call, "an error weight is not positive: raise atol"},
      {"NO_MALLOC", Of::call, "the memory is not initialised: call CVodeInit, IDAInit or ARKStepCreate first"},
      {"MEM_NULL", Of::call, "the integrator memory is null"},
      {"MEM_FAIL", Of::call, "no memory"},
  };
  for (const FlagMeaning& meaning : all) {
    if (flag.find(meaning.word) != std::string::npos) return &meaning;
  }
  return nullptr;
}

/// Empty, or what the steps fell to, where they no longer move the time t by more than some roundings: more of them
/// lead nowhere.
std::string collapse_of_steps(const Binding& binding, double t) {
  constexpr double roundings = 1e3 * std::numeric_limits<double>::epsilon();
  if (binding.last_step == nullptr) return "";
  const double h = std::abs(binding.last_step(binding.memory));
  return h > 0.0 && h <= roundings * std::abs(t) ? "the step size fell to " + text(h) : "";
}

/// What find_binding() has said last in this thread, unless it found one since: the callback failed of that.
struct Complaint {
  const char* function = nullptr;
  const char* reason = nullptr;
};
thread_local Complaint unheard;

Status explained(const std::string& head, const Binding& binding, EvaluationResult result,
                 const std::string& flag = "") {
  const auto counted = [&binding](EvaluationResult of) {
    return std::string(failure_reason(of).what) + " (" + std::to_string(binding.failures[of]) + " times)";
  };
  const FlagMeaning* meaning = meaning_of(flag);
  const auto is = [&](FlagMeaning::Of of) { return meaning != nullptr && meaning->of == of; };
  if (is(FlagMeaning::Of::call)) {
    const bool on_the_way = std::string(meaning->word) == too_much_work && result != EvaluationResult::ok;
    return {Outcome::integrator_failure, head + ": " + meaning->advice + (on_the_way ? "; " + counted(result) : "")};
  }
  if (is(FlagMeaning::Of::function) && unheard.function != nullptr)
    return {Outcome::integrator_failure, head + ": " + unheard.function + ": " + unheard.reason};
  if (is(FlagMeaning::Of::function) && result == EvaluationResult::ok)
    return {Outcome::integrator_failure, head + ": " + meaning->advice};
  const FailureReason& reason = failure_reason(result);
  const std::string advice =
      (result == EvaluationResult::ok && meaning != nullptr ? std::string(meaning->advice) + "; or " : "") +
      reason.advice_for({binding.formulation_name, binding.linear_options.rank_policy == RankPolicy::strict,
                         !motion_law(*binding.system).has_forces(),
                         find_formulation(binding.formulation_name).feedback_of(*binding.system)});
  if (result == EvaluationResult::ok) return {reason.outcome, head + "; " + advice};
  return {reason.outcome, head + ": " + counted(result) + "; " + advice};
}

/// Does the memory at `p` begin with the tag? Byte by byte: an object of the application may be shorter than a tag.
bool begins_with(const void* p, Binding::Tag tag) {
  unsigned char wanted[sizeof tag];
  std::memcpy(wanted, &tag, sizeof tag);
  const auto* bytes = static_cast<const unsigned char*>(p);
  for (std::size_t i = 0; i < sizeof tag; ++i) {
    if (bytes[i] != wanted[i]) return false;
  }
  return true;
}

std::string what(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

/// The living bindings, so that user data can be told from pointers of the application without following them.
class LivingBindings {
 public:
  static LivingBindings& all() {
    static LivingBindings& bindings = *new LivingBindings;  // outlives every static Attachment
    return bindings;
  }
  void enter(Binding* binding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bindings_.insert(binding);
  }
  void leave(Binding* binding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bindings_.erase(binding);
  }
  /// The binding at `pointer`, or null.
  Binding* find(void* pointer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = bindings_.find(static_cast<Binding*>(pointer));
    return found != bindings_.end() ? *found : nullptr;
  }

 private:
  std::mutex mutex_;
  std::set<Binding*> bindings_;
};

/// Integrator memory that outlives its Attachment still points to the binding and its linear solver, so the remains of
/// the last ones stay where they are: 1 kB each.
void keep_remains(std::unique_ptr<Binding> binding) noexcept {
  static std::mutex mutex;
  static std::array<std::unique_ptr<Binding>, 64> remains;
  static std::size_t next = 0;
  if (binding == nullptr) return;
  binding->end();
  const std::lock_guard<std::mutex> lock(mutex);
  remains[next++ % remains.size()] = std::move(binding);
}

}  // namespace

Binding::Binding() {
  LivingBindings::all().enter(this);
}

Binding::~Binding() {
  LivingBindings::all().leave(this);
  SUNLinSolFreeEmpty(linear_solver);
  SUNMatFreeEmpty(matrix);
}

void Binding::keep_user_pointer(void* earlier) {
  if (earlier == nullptr) return;
  const Binding* before = LivingBindings::all().find(earlier);
  user_pointer = before != nullptr ? before->user_pointer : earlier;
  if (user_pointer != nullptr)
    facts.own.push_back({"user pointer", "the user data of before; callbacks get it from user_pointer(user_data)", {}});
}

void Binding::end() {
  tag = Tag::ended;
  reactions.reset();
  made = AnyFormulation();
  system.reset();
  facts = {};
  correction = {};
  error = nullptr;
}

Binding* internal::find_binding(const char* function, void* user_data) noexcept {
  const char* reason =
      "the integrator has no user data: call attach_cvode, attach_ida or attach_arkode before it integrates, and do "
      "not "
      "set the user data to null";
  if (user_data != nullptr) {
    if (begins_with(user_data, Binding::Tag::alive)) {
      unheard = {};
      return static_cast<Binding*>(user_data);
    }
    reason = begins_with(user_data, Binding::Tag::ended)
                 ? "the Attachment has ended: it must outlive the integrator memory"
                 : "the user data is not the library's: give your pointer to Attachment::set_user_pointer() instead of "
                   "the integrator, and take it from user_pointer(user_data)";
  }
  unheard = {function, reason};
  std::fprintf(stderr, "sunlagrange, %s: %s (in C these names begin with sunlagrange_)\n", function, reason);
  return nullptr;
}

EvaluationResult Binding::linearize_product(double t, const double* y, const double* yp) {
  const auto same = [](const std::vector<double>& kept, const double* x) {
    return x == nullptr || std::equal(kept.begin(), kept.end(), x);
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
  const FormulationEntry& entry = find_formulation(options.formulation);
  if (entry.equations != equations) {
    throw Error("formulation \"" + options.formulation + "\" is " + describe(entry.equations) + "; " + integrator +
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
  binding->formulation_name = options.formulation;
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

long num_unknowns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                  const AttachOptions& options) {
  return make_binding(system, start, options, find_formulation(options.formulation).equations, "")
      ->formulation()
      .size();
}

void initial_values(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const AttachOptions& options, N_Vector y, N_Vector yp) {
  const auto binding = make_binding(system, start, options, find_formulation(options.formulation).equations, "");
  check_vector(y, "y", *binding);
  if (yp != nullptr) check_vector(yp, "yp", *binding);
  binding->formulation().pack(start, N_VGetArrayPointer(y), yp != nullptr ? N_VGetArrayPointer(yp) : nullptr);
}

UnknownsLayout layout(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options) {
  return make_binding(system, start, options, find_formulation(options.formulation).equations, "")
      ->formulation()
      .unknowns();
}

void internal::require_own_equations(const Binding& binding, const char* function, const char* init) {
  if (binding.rhs_evaluations > 0) return;
  throw Error(std::string("the integrator has not called ") + function + ", it integrates other equations: give " +
              function + " to " + init);
}

void internal::require_success(int flag, const char* function) {
  if (flag < 0) throw Error(std::string(function) + " returned " + std::to_string(flag));
}

int error_weights(N_Vector y, N_Vector weight, void* user_data) {
  return callback<FinalReturn>("error_weights", user_data, {y, weight}, [&](Binding& binding) {
    binding.ode().weights(*binding.tolerances, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return EvaluationResult::ok;
  });
}

void* user_pointer(void* user_data) {
  const Binding* binding = find_binding("user_pointer", user_data);
  return binding != nullptr ? binding->user_pointer : nullptr;
}

std::string failure_of(void* user_data) {
  if (unheard.function != nullptr) return std::string(unheard.function) + ": " + unheard.reason;
  const Binding* binding = LivingBindings::all().find(user_data);
  if (binding == nullptr) return "";
  if (binding->error != nullptr) return what(binding->error);
  const EvaluationResult result = binding->failures.last_of_step();
  return result != EvaluationResult::ok ? failure_reason(result).what : "";
}

Attachment::Attachment(std::unique_ptr<Binding> binding) : binding_(std::move(binding)) {
  keep_remains(nullptr);  // so that what is static in there is destroyed after a static Attachment
}
Attachment::Attachment(Attachment&&) noexcept = default;
Attachment& Attachment::operator=(Attachment&& other) noexcept {
  if (this != &other) {
    keep_remains(std::move(binding_));
    binding_ = std::move(other.binding_);
  }
  return *this;
}
Attachment::~Attachment() {
  keep_remains(std::move(binding_));
}

Binding& Attachment::binding() const {
  if (binding_ == nullptr) throw Error("this Attachment was moved from; use the one it was moved to");
  return *binding_;
}

void Attachment::set_user_pointer(void* pointer) {
  binding().user_pointer = pointer;
}
const FormulationFacts& Attachment::facts() const {
  return binding().facts;
}

std::string Attachment::linear_solver_description() const {
  return binding().formulation().linear_solver_description();
}

AttachmentCounts Attachment::counts() const {
  const Formulation& f = binding().formulation();
  const FormulationCounts linear = f.counts();
  return {binding().rhs_evaluations, binding().jacobian_evaluations,
          linear.factorizations,     linear.pivot_refreshes,
          linear.rank_events,        linear.unconverged,
          binding().failures};
}

UnknownsLayout Attachment::layout() const {
  return binding().formulation().unknowns();
}

void Attachment::rethrow() {
  if (binding().error == nullptr) return;
  const std::exception_ptr error = binding().error;
  binding().error = nullptr;
  std::rethrow_exception(error);
}

bool Attachment::motion(double t, N_Vector y, MotionState& state) {
  Binding& binding = this->binding();
  check_vector(y, "y", binding);
  binding.tangents.t = NAN;
  const MechanicalSystem& system = *binding.system;
  const int n = system.num_positions();
  const int m = system.num_constraints();
  state.t = t;
  for (Eigen::VectorXd* x : {&state.q, &state.v, &state.a}) x->resize(n);
  state.lambda.resize(m);
  Formulation& formulation = binding.formulation();
  const MotionLaw& law = motion_law(system);
  if (formulation.unpack(t, N_VGetArrayPointer(y), nullptr, state.q.data(), state.v.data(),
                         law.has_forces() ? nullptr : state.a.data()) != EvaluationResult::ok) {
    return false;
  }
  if (binding.reactions == nullptr) {
    binding.reactions = std::make_unique<SaddlePointSystem>(
        binding.system, resolve_linear_solver(binding.linear_options, *binding.system));
  }
  if (binding.reactions->factorize(t, state.q.data(), state.v.data()) != EvaluationResult::ok) return false;
  return binding.reactions->complete(state.v.data(), state.a.data(), state.lambda.data()) == EvaluationResult::ok;
}

bool Attachment::change_variables(double t, N_Vector y) {
  check_vector(y, "y", binding());
  binding().tangents.t = NAN;
  return binding().is_ode() && binding().ode().change_variables(t, N_VGetArrayPointer(y));
}

std::vector<Fact> Attachment::statistics() const {
  return binding().formulation().statistics();
}

Status Attachment::explain(int flag, double t) const {
  return explain(binding().function, flag, "", t);
}

Status Attachment::explain(const std::string& function, int flag, const std::string& flag_name, double t) const {
  const auto look_up = binding().flag_name;
  const std::string name = !flag_name.empty() || look_up == nullptr ? flag_name : look_up(flag);
  const std::string head =
      function + " returned " + name + (name.empty() ? "" : " ") + "(" + std::to_string(flag) + ") at t = " + text(t);
  if (flag >= 0) return {Outcome::finished, head + ", which is no failure"};
  if (binding().error != nullptr)
    return {Outcome::model_error,
            head + ": a callback threw \"" + what(binding().error) + "\"; rethrow() passes it on"};
  const FailureCounts& failures = binding().failures;
  if (name.find(too_much_work) == std::string::npos) return explained(head, binding(), failures.last_of_step(), name);
  const std::string collapse = collapse_of_steps(binding(), t);
  if (collapse.empty()) return explained(head, binding(), failures.last_of_run(), name);
  return explained(head + ", " + collapse, binding(), failures.last_of_run());
}

Status Attachment::explain(const std::string& what_happened) const {
  return explained(what_happened, binding(), binding().failures.last_of_run());
}

}  // namespace sunlagrange
