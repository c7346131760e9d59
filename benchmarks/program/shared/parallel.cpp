#include "shared/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "shared/interruption.hpp"

namespace sunlagrange::bench {

std::size_t in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
                        const std::function<void(std::size_t)>& done, const std::function<bool()>& go_on) {
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::vector<bool> finished(count, false);
  std::size_t reported = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t k = next++; k < count && go_on(); k = next++) {
      try {
        if (!completed([&] { job(k); })) return;
        const std::lock_guard<std::mutex> lock(guard);
        finished[k] = true;
        for (; reported < count && finished[reported]; ++reported) done(reported);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(guard);
        failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> team;
  for (unsigned i = 1; i < threads; ++i) team.emplace_back(work);
  work();
  for (std::thread& thread : team) thread.join();
  if (failure) std::rethrow_exception(failure);
  return reported;
}

unsigned threads_of(int jobs) {
  return jobs > 0 ? static_cast<unsigned>(jobs) : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sunlagrange::bench
