// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/shared/differentiated_run.hpp"

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange::internal {

Status too_many_steps(const SimulationOptions& options, const std::string& when) {
  return {Outcome::step_limit, "max_steps = " + std::to_string(options.max_steps) + " steps were taken" + when +
                                   "; raise max_steps, or rtol and atol"};
}

bool may_go_on(const SimulationOptions& options, double t, long steps, Status& status) {
  const std::string when = " at t = " + text(t);
  if (options.keep_going && !options.keep_going(t))
    status = {Outcome::interrupted, "the application ended the run" + when};
  else if (steps >= options.max_steps)
    status = too_many_steps(options, when);
  else
    return true;
  return false;
}

}  // namespace sunlagrange::internal
