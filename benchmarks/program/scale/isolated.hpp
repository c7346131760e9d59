#pragma once

#include <functional>
#include <string>

namespace sunlagrange::program {

/// What a piece of work in a process of its own gave back.
struct Isolated {
  bool complete = false;  ///< false: it ended early: killed for want of memory, or by itself
  std::string text;
  double peak_bytes = 0.0;  ///< largest resident memory, of this piece of work alone
};

/// Does the work in a child process, so that its memory can be told, and nothing is left of it. Exceptions of type
/// Error are thrown here again. Ctrl-C and SIGTERM reach the child as well. Not with other threads running.
Isolated isolated(const std::function<std::string()>& work);

}  // namespace sunlagrange::program
