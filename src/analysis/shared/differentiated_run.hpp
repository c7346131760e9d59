// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// Returns the status of a run that took max_steps. @param when  " at t = 1"
Status too_many_steps(const SimulationOptions& options, const std::string& when);

/// Call before each step of a run that is differentiated. Returns false, with `status` set, if the application ended
/// the run or max_steps were taken.
bool may_go_on(const SimulationOptions& options, double t, long steps, Status& status);

/// Calls `work`. An exception of the model ends it as model_error; an Error (misuse) passes through.
template <class Work>
void guarded(Status& status, Work&& work) {
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    status = {Outcome::model_error, std::string("the model threw: ") + error.what()};
  }
}

}  // namespace sunlagrange::internal
