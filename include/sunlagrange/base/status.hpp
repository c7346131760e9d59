// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

class Figures;

/// Exception for misuse, thrown before the integration starts: wrong sizes, unknown names, invalid options. The text
/// lists every problem with field, value, violated relation and what to try next.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The end of a run. Everything computed up to `Report::t_reached` is kept in every case.
enum class Outcome {
  finished,          ///< reached t_end, or an event stopped the run (the message says so)
  uncertain_branch,  ///< reached t_end, but behind a singular pose the motion may be on a wrong branch, or is
  infeasible,        ///< no configuration (or velocity) was found that satisfies the constraints: Gauss-Newton stalled
  rank_loss,         ///< stopped by the rank policy (strict), or the whole saddle-point matrix became singular
  integrator_failure,  ///< the integrator gave up; the message names function, flag and what to try next
  model_error,         ///< the model is wrong (see consistent_state), threw, or is not finite at every step size
  step_limit,          ///< max_steps accepted steps before t_end, or events that accumulate
  interrupted,         ///< the application ended the run: SimulationOptions::keep_going
  out_of_memory,       ///< no memory for a further step; everything recorded before is complete
};

constexpr auto names_of(Outcome) {
  return enum_names("finished", "uncertain_branch", "infeasible", "rank_loss", "integrator_failure", "model_error",
                    "step_limit", "interrupted", "out_of_memory");
}

/// Outcome of a run, with a message and doubts.
struct Status {
  Outcome outcome = Outcome::finished;  ///< the reason why the run ended
  std::string message;                  ///< empty if the run finished without remarks
  std::vector<Doubt> doubts = {};       ///< warnings about a run that finished

  /// True if the run got to its end, with or without doubts.
  bool finished() const { return outcome == Outcome::finished; }

  /// True if the run finished and no figure is beyond its threshold.
  bool has_no_doubts() const { return finished() && doubts.empty(); }

  void describe(Figures& f);
};

}  // namespace sunlagrange
