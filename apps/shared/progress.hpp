// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

/// Progress of the work on stderr, from its third second on: at a terminal one line, which disappears at the end;
/// elsewhere, with --progress, a line every two seconds.
namespace sunlagrange::program {

/// Shows progress also if stderr is no terminal, as --progress asks.
void always_show_progress();

/// Progress of one run.
class Progress {
 public:
  /// @param what  name of the run
  Progress(std::string what, double t_start, double t_end);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Shows the time that the run has reached. Calls cost little and may be frequent.
  void show(double t);

 private:
  std::string what_;
  double t_start_, t_end_;
  std::chrono::steady_clock::time_point begin_;
};

/// Progress of work in parts: "[ 37/158] ggl, ida 1e-8; 12 s, about 40 s left". The line also shows a Progress that
/// exists at the same time. There is at most one Tally at a time.
class Tally {
 public:
  explicit Tally(std::size_t count);
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally();

  /// Announces the next part.
  void next(const std::string& what);
};

}  // namespace sunlagrange::program
