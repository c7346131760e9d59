// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace sunlagrange::program {

/// Processor time of this process [s], all threads.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace sunlagrange::program
