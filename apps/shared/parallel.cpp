// SPDX-License-Identifier: BSD-3-Clause
#include "shared/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "shared/interruption.hpp"

namespace sunlagrange::program {

std::size_t in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
                        const std::function<void(std::size_t)>& done, const std::function<bool()>& go_on) {
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::vector<bool> finished(count, false);
  std::size_t reported = 0;
  on_threads(threads, [&] {
    try {
      for (std::size_t k = next++; k < count && go_on(); k = next++) {
        if (!completed([&] { job(k); })) return;
        const std::lock_guard<std::mutex> lock(guard);
        finished[k] = true;
        for (; reported < count && finished[reported]; ++reported) done(reported);
      }
    } catch (...) {
      next = count;
      throw;
    }
  });
  return reported;
}

void on_threads(unsigned threads, const std::function<void()>& work) {
  std::mutex guard;
  std::exception_ptr failure;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  for (unsigned i = 1; i < threads; ++i) team.emplace_back(guarded);
  guarded();
  for (std::thread& thread : team) thread.join();
  if (failure) std::rethrow_exception(failure);
}

unsigned threads_of(int jobs) {
  return jobs > 0 ? static_cast<unsigned>(jobs) : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sunlagrange::program
