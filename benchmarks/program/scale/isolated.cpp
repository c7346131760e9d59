// SPDX-License-Identifier: BSD-3-Clause
#include "scale/isolated.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>

#include <sunlagrange/base/status.hpp>

#include "shared/interruption.hpp"

namespace sunlagrange::program {
namespace {

constexpr int done = 0, wrong = 1, failed = 2;  // exit codes of the child

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(file, text.data() + at, text.size() - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void be_the_child(int file, const std::function<std::string()>& work) {
  int code = failed;
  try {
    if (write_all(file, work())) code = done;
  } catch (const Error& error) {
    if (write_all(file, error.what())) code = wrong;
  } catch (...) {  // most likely no memory
  }
  _exit(code);  // does not flush the buffers of the parent
}

/// Reads until the other end is closed; passes an interruption on to the child.
std::string read_all(int file, pid_t child) {
  std::string text;
  std::array<char, 65536> buffer{};
  bool forwarded = false;
  for (;;) {
    if (interrupted() && !forwarded) {
      kill(child, SIGTERM);
      forwarded = true;
    }
    pollfd waiting{file, POLLIN, 0};
    constexpr int milliseconds = 100;
    if (poll(&waiting, 1, milliseconds) <= 0) continue;
    const ssize_t n = read(file, buffer.data(), buffer.size());
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

Isolated isolated(const std::function<std::string()>& work) {
  std::cout.flush();
  std::fflush(nullptr);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe to another process");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no other process can be started");
  if (child == 0) {
    close(ends[0]);
    be_the_child(ends[1], work);
  }
  close(ends[1]);
  Isolated result;
  result.text = read_all(ends[0], child);
  close(ends[0]);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (WIFEXITED(status) && WEXITSTATUS(status) == wrong) throw Error(result.text);
  result.complete = WIFEXITED(status) && WEXITSTATUS(status) == done;
  result.peak_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  return result;
}

}  // namespace sunlagrange::program
