#pragma once

#include <exception>
#include <string>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// max_steps were taken. @param when  " at t = 1"
Status too_many_steps(const SimulationOptions& options, const std::string& when);

/// Before a step of a run that is differentiated. False: the application ended it, or max_steps were taken.
bool may_go_on(const SimulationOptions& options, double t, long steps, Status& status);

/// Does the work; what the model throws there ends as model_error, misuse (Error) goes on to the caller.
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
