#pragma once

#include <chrono>
#include <cstddef>
#include <string>

/// What is under way, on stderr, once it has lasted two seconds: at a terminal one line that is gone afterwards, with
/// --progress elsewhere as well, a line every two seconds.
namespace sunlagrange::program {

/// --progress was given.
void always_show_progress();

/// One run.
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
  std::string what_;
  double t_start_, t_end_;
  std::chrono::steady_clock::time_point begin_;
};

/// Work in parts: "[ 37/158] ggl, ida 1e-8; 12 s, about 40 s left". A Progress inside it stands in its line. One at a
/// time.
class Tally {
 public:
  explicit Tally(std::size_t count);
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally();

  /// The next part begins.
  void next(const std::string& what);
};

}  // namespace sunlagrange::program
