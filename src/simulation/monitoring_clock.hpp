// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::internal {

/// Measures the time that the checks take. The first steps are timed, and all steps if they take so long that reading
/// the clock does not matter; otherwise every eighth step is timed and counts for eight.
class MonitoringClock {
 public:
  /// Calls work() and adds its time to Report::monitoring_seconds.
  template <class Work>
  auto time(Report& report, Work&& work) {
    const long share = report.steps < 2 * every || longest_lap_ > clock_is_free ? 1 : every;
    if (report.steps % share != 0) return work();
    if (report.steps % every == 0) longest_lap_ *= 0.5;
    const Lap lap{report.monitoring_seconds, longest_lap_, static_cast<double>(share)};
    return work();
  }

 private:
  static constexpr long every = 8;
  static constexpr double clock_is_free = 2e-6;  // s

  struct Lap {
    double& seconds;
    double& longest;
    double weight;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Lap() {
      const double lap = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      seconds += lap > clock_is_free ? lap : weight * lap;
      if (lap > longest) longest = lap;
    }
  };

  double longest_lap_ = 0.0;  // of the last ones, s
};

}  // namespace sunlagrange::internal
