#pragma once

#include <sunlagrange/base/status.hpp>

/// Ctrl-C and SIGTERM: the run under way ends as `interrupted`, no other begins, and what there is by then is written.
namespace sunlagrange::program {

/// From now on. The second signal of a kind ends the program at once; signals that are ignored stay so.
void catch_interruptions();

bool interrupted();

/// The work is done: an interruption since its last question changes nothing, and is forgotten.
void finish_uninterrupted();

/// Does a piece of work. @return false: it was interrupted, and what it may have done, or thrown, is of no use
template <class Work>
bool completed(Work&& work) {
  if (interrupted()) return false;
  try {
    work();
  } catch (const Error&) {
    if (!interrupted()) throw;
  }
  return !interrupted();
}

}  // namespace sunlagrange::program
