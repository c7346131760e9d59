#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

/// For programs that alternate in one process.
namespace sunlagrange {

/// Processor time of this process.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x.empty() ? 0.0 : x[x.size() / 2];
}

}  // namespace sunlagrange
