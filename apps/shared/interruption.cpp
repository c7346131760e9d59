// SPDX-License-Identifier: BSD-3-Clause
#include "shared/interruption.hpp"

#include <atomic>
#include <csignal>

namespace sunlagrange::program {
namespace {

std::atomic<bool> interruption_asked{false};
std::atomic<bool> work_done{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void ask_for_interruption(int) {
  interruption_asked = true;
}

}  // namespace

void catch_interruptions() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = ask_for_interruption;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(signal, &action, nullptr);
  }
}

bool interrupted() {
  return interruption_asked && !work_done;
}

void finish_uninterrupted() {
  work_done = true;
}

}  // namespace sunlagrange::program
