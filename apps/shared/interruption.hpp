// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/base/status.hpp>

/// Ctrl-C and SIGTERM: the current run ends as `interrupted`, no other run begins, and the results up to then are
/// written.
namespace sunlagrange::program {

/// Catches the signals from now on. The second signal of a kind ends the program at once; ignored signals stay ignored.
void catch_interruptions();

bool interrupted();

/// Forgets an interruption that came after the last check of finished work.
void finish_uninterrupted();

/// Does a piece of work. @return false if it was interrupted; its result, or its exception, is then of no use
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
