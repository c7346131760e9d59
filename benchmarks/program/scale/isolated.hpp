// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace sunlagrange::program {

/// Result of work in a process of its own.
struct Isolated {
  bool complete = false;  ///< false if the process ended early, for example for lack of memory
  std::string text;
  double peak_bytes = 0.0;  ///< largest resident memory of this work alone
};

/// Does the work in a child process, so that its memory can be measured and is released. Rethrows exceptions of type
/// Error. Ctrl-C and SIGTERM reach the child as well.
/// @pre no other threads are running
Isolated isolated(const std::function<std::string()>& work);

}  // namespace sunlagrange::program
