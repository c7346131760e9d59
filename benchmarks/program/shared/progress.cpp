#include "shared/progress.hpp"

#include <iostream>

#include <unistd.h>

#include <fmt/core.h>

namespace sunlagrange::bench {
namespace {

constexpr std::chrono::seconds silent_at_first{3};
constexpr std::chrono::milliseconds between_lines{500};

}  // namespace

Progress::Progress(std::string what, double t_start, double t_end)
    : what_(std::move(what)),
      t_start_(t_start),
      t_end_(t_end),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      next_(begin_ + silent_at_first) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::show(double t) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + between_lines;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  std::cerr << fmt::format("\r\033[K{}: t = {:g} of {:g} s, {:.0f} %, {:.0f} s", what_, t, t_end_,
                           100.0 * (t - t_start_) / (t_end_ - t_start_), seconds)
            << std::flush;
}

}  // namespace sunlagrange::bench
