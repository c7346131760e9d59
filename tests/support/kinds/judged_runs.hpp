// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinds/motion.hpp"

namespace sunlagrange::test::kinds {

/// Sums over the runs of one kind in one formulation at one tolerance.
struct Counts {
  int runs = 0;
  int right = 0;
  int wrong_without_doubt = 0;
  int right_but_doubted = 0;
  int stopped = 0;                         ///< ended before the end, although the motion goes on
  int refused = 0;                         ///< simulate() threw Error
  std::vector<std::string> findings = {};  ///< a sentence for each run that is not right without doubts

  Counts& operator+=(const Counts& other);
};

/// Returns the case `seed` of a kind. Kinds have different mechanisms for one seed.
Motion drawn_motion(const Kind& kind, std::uint64_t seed);

/// Runs the cases `seeds` of a kind. A run is right if its end differs by at most 1000 tolerances times the
/// amplification of disturbances; where branches lie apart, by at most 0.1. A right run counts as doubted without cause
/// if 1000 tolerances times the amplification are below 0.1 (branches: if it ends within 0.02).
Counts judged_runs(const Kind& kind, const std::vector<std::uint64_t>& seeds, const std::string& formulation,
                   double tolerance);

/// Returns `count` seeds from `first` on.
std::vector<std::uint64_t> seeds(int count, std::uint64_t first = 1);

/// Returns "parallelogram  baumgarte  1e-06  10 runs, 9 right, ...".
std::string summary(const std::string& kind, const std::string& formulation, double tolerance, const Counts& counts);

}  // namespace sunlagrange::test::kinds
