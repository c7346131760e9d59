// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <sunlagrange/sundials/attachment.hpp>

#include "base/words.hpp"
#include "sundials/binding.hpp"

/// Flags of the integrators as sentences.
namespace sunlagrange {

using namespace internal;
namespace {

/// The meaning of a flag that an integrator returns.
struct FlagMeaning {
  /// Its cause: an attempted step failed, the application called or set something wrong, or a callback failed.
  enum class Cause { step, call, function };
  const char* word;  // part of the name of the flag
  Cause cause;
  const char* advice;
};

constexpr const char* too_much_work = "TOO_MUCH_WORK";

/// Returns null for an unknown flag.
const FlagMeaning* meaning_of(const std::string& flag) {
  using Cause = FlagMeaning::Cause;
  static constexpr FlagMeaning all[] = {
      {"TOO_MUCH_ACC", Cause::step, "rtol and atol are smaller than rounding allows: raise them"},
      {too_much_work, Cause::call,
       "the call took its largest number of steps before the requested time; the solution so far is valid: call again "
       "to continue, or raise the number (CVodeSetMaxNumSteps, IDASetMaxNumSteps, ARKStepSetMaxNumSteps); if the steps "
       "are far too short, check tolerances and units"},
      {"ERR_FAIL", Cause::step,
       "the error test failed at the shortest step: forces or constraints may jump there (make that an event)"},
      {"CONV_FAIL", Cause::step,
       "Newton's iteration failed at the shortest step: use check_derivatives, and check that the model is smooth "
       "there"},
      {"ILL_INPUT", Cause::call,
       "something is missing or does not fit, and the integrator has said on stderr what: tolerances "
       "(CVodeSStolerances, IDASStolerances), a linear solver (the library's was left out), error weights that are not "
       "positive (atol = 0), an end time or a stop time before the present time, a first step away from the end time "
       "(attach_ida sets one forward in time; backward call IDASetInitStep(memory, 0.0) after it)"},
      {"TOO_CLOSE", Cause::call, "the end time is the start time, to rounding: give a later one"},
      {"RTFUNC_FAIL", Cause::function,
       "a root function of the application failed; its user_data is the library's after attaching: take your pointer "
       "from user_pointer(user_data)"},
      {"RHSFUNC", Cause::function,
       "the right-hand side failed, and not in the model; if it is the application's own, check it"},
      {"RES_", Cause::function, "the residual failed, and not in the model; if it is the application's own, check it"},
      {"LSETUP_FAIL", Cause::function,
       "the set-up of the linear solver failed; if it is the application's own, check it"},
      {"LSOLVE_FAIL", Cause::function, "the linear solver failed; if it is the application's own, check it"},
      {"LINIT_FAIL", Cause::call,
       "the linear solver could not be initialised; if it is the application's own, check it"},
      {"CONSTR_FAIL", Cause::call,
       "the inequality constraints of the application (CVodeSetConstraints, IDASetConstraints) cannot be satisfied: "
       "the "
       "motion leaves them; set others, or find the place by a root function"},
      {"PROJFUNC", Cause::function, "no positions nearby satisfy the constraints"},
      {"BAD_EWT", Cause::call, "an error weight is not positive: raise atol"},
      {"NO_MALLOC", Cause::call, "the memory is not initialised: call CVodeInit, IDAInit or ARKStepCreate first"},
      {"MEM_NULL", Cause::call, "the integrator memory is null"},
      {"MEM_FAIL", Cause::call, "there is not enough memory"},
  };
  for (const FlagMeaning& meaning : all) {
    if (flag.find(meaning.word) != std::string::npos) return &meaning;
  }
  return nullptr;
}

/// Returns a sentence on the last step if it moved the time t by no more than some roundings; else an empty string.
std::string collapsed_step(const Binding& binding, double t) {
  constexpr double roundings = 1e3 * std::numeric_limits<double>::epsilon();
  if (binding.last_step == nullptr) return "";
  const double h = std::abs(binding.last_step(binding.memory));
  return h > 0.0 && h <= roundings * std::abs(t) ? "the step size fell to " + text(h) : "";
}

/// Returns the number of attempted steps that inequality constraints of the application ended.
long constraint_failures(const Binding& binding) {
  return binding.constraint_failures != nullptr && binding.memory != nullptr
             ? binding.constraint_failures(binding.memory)
             : 0;
}

/// Returns true if the flag may stand for steps that the inequality constraints of the application have cut to nothing:
/// CVODE reports them as failures of the iteration, and IDA tries ever shorter steps.
bool may_be_constraints(const std::string& flag) {
  return flag.find("CONV_FAIL") != std::string::npos || flag.find(too_much_work) != std::string::npos;
}

/// The status of a run that an integrator gave up. @param head  begins the message
/// @param result  the last failure of an evaluation; ok: there was none
Status explained(const std::string& head, const Binding& binding, EvaluationResult result,
                 const std::string& flag = "") {
  const auto counted = [&binding](EvaluationResult reason) {
    return std::string(failure_reason(reason).what) + " (" + std::to_string(binding.failures[reason]) + " times)";
  };
  const long cut = result == EvaluationResult::ok && may_be_constraints(flag) ? constraint_failures(binding) : 0;
  if (cut > 0)
    return {Outcome::integrator_failure,
            head + ", " + std::to_string(cut) +
                " attempted steps violated inequality constraints: " + meaning_of("CONSTR_FAIL")->advice};
  const FlagMeaning* meaning = meaning_of(flag);
  const RefusedCall& refused = last_refused_call();
  const auto has_cause = [&](FlagMeaning::Cause cause) { return meaning != nullptr && meaning->cause == cause; };
  if (has_cause(FlagMeaning::Cause::call)) {
    const bool declined_points = std::string(meaning->word) == too_much_work && result != EvaluationResult::ok;
    return {Outcome::integrator_failure,
            head + ": " + meaning->advice + (declined_points ? "; " + counted(result) : "")};
  }
  if (has_cause(FlagMeaning::Cause::function) && refused.function != nullptr)
    return {Outcome::integrator_failure, head + ": " + refused.function + ": " + refused.reason};
  if (has_cause(FlagMeaning::Cause::function) && result == EvaluationResult::ok)
    return {Outcome::integrator_failure, head + ": " + meaning->advice};
  const FailureReason& reason = failure_reason(result);
  const std::string advice =
      (result == EvaluationResult::ok && meaning != nullptr ? std::string(meaning->advice) + "; or " : "") +
      reason.advice_for({binding.formulation_name, binding.linear_options.rank_policy == RankPolicy::strict,
                         !binding.system->motion_law().has_forces,
                         find_formulation(binding.formulation_name).feedback_of(*binding.system)});
  if (result == EvaluationResult::ok) return {reason.outcome, head + "; " + advice};
  return {reason.outcome, head + ": " + counted(result) + "; " + advice};
}

}  // namespace

Status Attachment::explain(int flag, double t) const {
  return explain(binding().function, flag, "", t);
}

Status Attachment::explain(const std::string& function, int flag, const std::string& flag_name, double t) const {
  const auto name_of = binding().flag_name;
  const std::string name = !flag_name.empty() || name_of == nullptr ? flag_name : name_of(flag);
  const std::string head =
      function + " returned " + name + (name.empty() ? "" : " ") + "(" + std::to_string(flag) + ") at t = " + text(t);
  if (flag >= 0) return {Outcome::finished, head + ", which is no failure"};
  if (binding().error != nullptr)
    return {Outcome::model_error,
            head + ": a callback threw \"" + message_of(binding().error) + "\"; rethrow() passes it on"};
  const FailureCounts& failures = binding().failures;
  if (name.find(too_much_work) == std::string::npos) return explained(head, binding(), failures.last_of_step(), name);
  const std::string collapse = collapsed_step(binding(), t);
  if (collapse.empty() || constraint_failures(binding()) > 0)
    return explained(head, binding(), failures.last_of_run(), name);
  return explained(head + ", " + collapse, binding(), failures.last_of_run());
}

Status Attachment::explain(const std::string& what_happened) const {
  return explained(what_happened, binding(), binding().failures.last_of_run());
}

}  // namespace sunlagrange
