#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

class Figures;

/// Misuse, found before the integration starts: wrong sizes, unknown names, invalid options. The text lists every
/// problem found, each with field, value, violated relation and the next thing to try.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a run ended. Everything computed up to `Report::t_reached` is kept in every case.
enum class Outcome {
  finished,          ///< reached t_end, or an event stopped the run (the message says so)
  uncertain_branch,  ///< reached t_end, but past a singular configuration it may be on a wrong branch, or surely is
  infeasible,        ///< no configuration (or velocity) was found that satisfies the constraints: Gauss-Newton stalled
  rank_loss,         ///< stopped by the rank policy (strict), or the whole saddle-point matrix became singular
  integrator_failure,  ///< SUNDIALS gave up; the message names function, flag and the next thing to try
  model_error,         ///< the model is wrong (see consistent_state), threw, or is not finite at every step size
  step_limit,          ///< max_steps accepted steps before t_end, or events that accumulate
  interrupted,         ///< the application asked for the end: SimulationOptions::keep_going
  out_of_memory,       ///< no memory for a further step; what was recorded is whole
};

constexpr auto names_of(Outcome) {
  return enum_names("finished", "uncertain_branch", "infeasible", "rank_loss", "integrator_failure", "model_error",
                    "step_limit", "interrupted", "out_of_memory");
}

/// Numerical outcome with the story behind it.
struct Status {
  Outcome outcome = Outcome::finished;
  std::string message;             ///< empty if finished without remarks
  std::vector<Doubt> doubts = {};  ///< of a run that finished: why it may still be wrong

  bool finished() const { return outcome == Outcome::finished; }

  /// Finished, and nothing in its figures speaks against it.
  bool beyond_doubt() const { return finished() && doubts.empty(); }

  void describe(Figures& f);
};

}  // namespace sunlagrange
