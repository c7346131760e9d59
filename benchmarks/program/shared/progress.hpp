#pragma once

#include <chrono>
#include <string>

namespace sunlagrange::bench {

/// One line on stderr, if that is a terminal, while a run lasts longer than a few seconds; gone afterwards.
class Progress {
 public:
  /// @param what  is running
  Progress(std::string what, double t_start, double t_end);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// As often as you like.
  void show(double t);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  double t_start_, t_end_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_, next_;
};

}  // namespace sunlagrange::bench
