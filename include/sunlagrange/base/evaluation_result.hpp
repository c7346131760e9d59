// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

/// The result of an evaluation. Every value but `ok` is recoverable: the integrator tries a shorter step. The reason is
/// counted and, if the run ends on it, decides the Outcome. To add a reason, add a name here and a row to the table of
/// failure_reason().
enum class EvaluationResult {
  ok,
  declined,
  rank_loss,
  singular,
  not_finite,
  indefinite,     ///< a matrix that must be positive (semi)definite is not so at this point
  not_converged,  ///< an iteration inside the formulation did not converge
};

/// Number of enumerators.
constexpr std::size_t num_evaluation_results = static_cast<std::size_t>(EvaluationResult::not_converged) + 1;

/// The settings of a run that the advice after a failure depends on.
struct InUse {
  std::string_view formulation;  ///< its name; empty: none
  bool strict = false;           ///< rank policy strict
  bool program = false;          ///< the system is a kinematic program
  std::string_view gain = "";    ///< name of the feedback of a program, e.g. "K_N"; empty: there is none
};

/// Message and advice for a result. Those of `ok` are for runs that ended for another reason, e.g. the error test.
struct FailureReason {
  const char* name;                      ///< name in reports and JSON, e.g. "rank_loss"
  Outcome outcome;                       ///< outcome of a run that ends for this reason
  const char* what;                      ///< the cause, e.g. "the constraints lost rank"
  const char* advice;                    ///< what to try next
  const char* program_advice = advice;   ///< the same for kinematic programs, which have formulations of their own
  const char* strict_advice = "";        ///< what to try first under rank policy strict
  const char* formulation = "";          ///< the formulation to try last, unless it is in use
  const char* program_formulation = "";  ///< the same for kinematic programs
  bool gain_matters = false;             ///< a gain that is too large for the step may be the cause

  /// Returns one phrase that says what to try. It never names what is in use.
  std::string advice_for(const InUse& used) const;
};

/// Returns name and advice of a result that is a failure.
const FailureReason& failure_reason(EvaluationResult result);

/// Counts of the reasons for failed evaluations, and the last reason in the current integrator step and in the run.
class FailureCounts {
 public:
  /// Counts a result unless it is ok. Returns it.
  EvaluationResult count(EvaluationResult result) {
    if (result == EvaluationResult::ok) return result;
    ++counts_[static_cast<std::size_t>(result)];
    last_of_step_ = last_of_run_ = result;
    return result;
  }
  /// Forgets the last reason of the step before.
  void begin_step() { last_of_step_ = EvaluationResult::ok; }

  /// Number of failures for this reason.
  long operator[](EvaluationResult reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  /// Number of failures for all reasons.
  long total() const { return std::accumulate(counts_.begin(), counts_.end(), 0L); }
  /// The last reason since begin_step(); ok if there is none.
  EvaluationResult last_of_step() const { return last_of_step_; }
  /// The last reason of all; ok if there is none.
  EvaluationResult last_of_run() const { return last_of_run_; }

 private:
  std::array<long, num_evaluation_results> counts_{};
  EvaluationResult last_of_step_ = EvaluationResult::ok;
  EvaluationResult last_of_run_ = EvaluationResult::ok;
};

}  // namespace sunlagrange
