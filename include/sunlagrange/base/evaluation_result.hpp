#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

/// What an evaluation answers. Everything but `ok` is recoverable: the integrator tries a shorter step; the reason is
/// counted and, if the run ends on it, decides the Outcome. A further reason is a name here and a row of the table
/// behind failure_reason().
enum class EvaluationResult {
  ok,
  declined,
  rank_loss,
  singular,
  not_finite,
  indefinite,     ///< a matrix that the user promised to be positive (semi)definite is not, here
  not_converged,  ///< an iteration of the formulation's own
};

constexpr std::size_t num_evaluation_results = static_cast<std::size_t>(EvaluationResult::not_converged) + 1;

/// What is in use where advice is asked for.
struct InUse {
  std::string_view formulation;  ///< empty: none
  bool strict = false;           ///< the rank policy
  bool program = false;          ///< a kinematic program
  std::string_view gain = "";    ///< what draws the program back onto its rows, e.g. "K_N"; empty: nothing does
};

/// What there is to say about a result; of `ok`: about a run that ended for reasons of the integrator's own.
struct FailureReason {
  const char* name;
  Outcome outcome;                       ///< of a run that ends on it
  const char* what;                      ///< happened
  const char* advice;                    ///< the next thing to try
  const char* program_advice = advice;   ///< the same in a kinematic program, which other formulations do not take
  const char* strict_advice = "";        ///< what to try first under rank policy strict
  const char* formulation = "";          ///< the one to try last, if it is not in use
  const char* program_formulation = "";  ///< the same in a kinematic program
  bool gain_matters = false;             ///< a gain too large for the step may be behind it

  /// What to try, in one phrase; never what is in use.
  std::string advice_for(const InUse& used) const;
};

const FailureReason& failure_reason(EvaluationResult result);

/// How often each reason occurred, and the last one: of the current integrator step, and of the whole run.
class FailureCounts {
 public:
  EvaluationResult count(EvaluationResult result) {
    if (result == EvaluationResult::ok) return result;
    ++counts_[static_cast<std::size_t>(result)];
    last_of_step_ = last_of_run_ = result;
    return result;
  }
  void begin_step() { last_of_step_ = EvaluationResult::ok; }

  long operator[](EvaluationResult reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  long total() const { return std::accumulate(counts_.begin(), counts_.end(), 0L); }
  EvaluationResult last_of_step() const { return last_of_step_; }
  EvaluationResult last_of_run() const { return last_of_run_; }

 private:
  std::array<long, num_evaluation_results> counts_{};
  EvaluationResult last_of_step_ = EvaluationResult::ok;
  EvaluationResult last_of_run_ = EvaluationResult::ok;
};

}  // namespace sunlagrange
