#pragma once

#include <cstddef>
#include <functional>

namespace sunlagrange::program {

/// Calls job(0) ... job(count - 1) from several threads, each number once, and then done(k) in the order of the
/// numbers, one at a time; no more of them once the program is interrupted, or go_on() says no. What a job throws is
/// thrown here.
/// @return how many are done
std::size_t in_parallel(
    std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
    const std::function<void(std::size_t)>& done, const std::function<bool()>& go_on = [] { return true; });

/// Calls work() on so many threads at once, this one among them. What one of them throws is thrown here.
void on_threads(unsigned threads, const std::function<void()>& work);

/// As an option --jobs says it; 0: one for each core.
unsigned threads_of(int jobs);

}  // namespace sunlagrange::program
