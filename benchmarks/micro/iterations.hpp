// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

namespace sunlagrange {

/// As many iterations as the environment variable SUNLAGRANGE_ITERATIONS says, where it is set, instead of as many as
/// fill a time: for those who count instructions (scripts/instruction_counts.sh).
inline benchmark::internal::Benchmark* with_iterations(benchmark::internal::Benchmark* loop) {
  if (const char* asked = std::getenv("SUNLAGRANGE_ITERATIONS")) loop->Iterations(std::atol(asked));
  return loop;
}

}  // namespace sunlagrange
