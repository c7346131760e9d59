// SPDX-License-Identifier: BSD-3-Clause
#include "shared/progress.hpp"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/core.h>

#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The progress line on stderr, which all threads share.
class Line {
 public:
  void begin() {
    const std::lock_guard<std::mutex> lock(guard_);
    if (!begin_) begin_ = Clock::now();
  }

  /// Replaces the line by the text that `text` returns; does nothing if the last change is too recent.
  template <class Text>
  void show(Text&& text) {
    const std::lock_guard<std::mutex> lock(guard_);
    if ((!terminal_ && !always_) || !begin_) return;
    if (seconds_since(*begin_) < silent_at_first || (shown_ && seconds_since(*shown_) < (terminal_ ? 0.2 : 2.0)))
      return;
    shown_ = Clock::now();
    const std::string words = text();
    if (!terminal_) {
      std::cerr << words << std::endl;
      return;
    }
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    std::cerr << "\r\033[K" << wrapped(words, known ? size.ws_col - 1U : 79U).front() << std::flush;
  }

  void end() {
    const std::lock_guard<std::mutex> lock(guard_);
    if (shown_ && terminal_) std::cerr << "\r\033[K" << std::flush;
    begin_.reset();
    shown_.reset();
  }

  /// Changes the data of the texts under the lock of the line.
  template <class Change>
  void change(Change&& what) {
    const std::lock_guard<std::mutex> lock(guard_);
    what();
  }

  void always() { always_ = true; }

 private:
  static constexpr double silent_at_first = 2.0;  // [s]

  std::mutex guard_;
  bool terminal_ = isatty(STDERR_FILENO) != 0, always_ = false;
  std::optional<Clock::time_point> begin_, shown_;
};

Line& line() {
  static Line the_line;
  return the_line;
}

/// The parts of the work; count 0: no parts are counted.
struct Parts {
  std::size_t count = 0, begun = 0;
  std::string what;
  Clock::time_point begin;

  std::string text() const {
    const double spent = seconds_since(begin);
    const std::string total = std::to_string(count);
    std::string words = fmt::format("[{:>{}}/{}] {}; {:.0f} s", begun, total.size(), total, what, spent);
    if (begun > 1) {
      const auto done = static_cast<double>(begun - 1);
      words += fmt::format(", about {:.0f} s left", spent / done * static_cast<double>(count - begun + 1));
    }
    return words;
  }
};

Parts counted;  // count is constant while runs go on; the other members change in Line::change

}  // namespace

void always_show_progress() {
  line().always();
}

Progress::Progress(std::string what, double t_start, double t_end)
    : what_(std::move(what)), t_start_(t_start), t_end_(t_end), begin_(Clock::now()) {
  line().begin();
}

Progress::~Progress() {
  if (counted.count == 0) line().end();
}

void Progress::show(double t) {
  const int percent = static_cast<int>(100.0 * (t - t_start_) / (t_end_ - t_start_));
  line().show([&] {
    if (counted.count > 0) return fmt::format("{}; this one {} %", counted.text(), percent);
    const double spent = seconds_since(begin_);
    return fmt::format("{}: t = {:g} of {:g} s, {} %; {:.0f} s{}", what_, t, t_end_, percent, spent,
                       percent > 0 ? fmt::format(", about {:.0f} s left", spent * (100.0 - percent) / percent) : "");
  });
}

Tally::Tally(std::size_t count) {
  counted = {count, 0, "", Clock::now()};
  line().begin();
}

Tally::~Tally() {
  counted = {};
  line().end();
}

void Tally::next(const std::string& what) {
  line().change([&] {
    counted.begun = std::min(counted.begun + 1, counted.count);
    counted.what = what;
  });
  line().show([] { return counted.text(); });
}

}  // namespace sunlagrange::program
