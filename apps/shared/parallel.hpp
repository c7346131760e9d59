// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace sunlagrange::program {

/// Calls job(0) ... job(count - 1) on several threads, each number once, and done(k) in the order of the numbers, one
/// at a time. Starts no further job once the program is interrupted or go_on() returns false. Rethrows the exception of
/// a job.
/// @return the number of finished jobs
std::size_t in_parallel(
    std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
    const std::function<void(std::size_t)>& done, const std::function<bool()>& go_on = [] { return true; });

/// Calls work() on that many threads at once, the calling thread included. Rethrows the exception of a thread.
void on_threads(unsigned threads, const std::function<void()>& work);

/// Returns the number of threads that an option --jobs asks for; 0 asks for one for each core.
unsigned threads_of(int jobs);

}  // namespace sunlagrange::program
