// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parts/run_choice.hpp"
#include "ranking/ranking.hpp"

namespace sunlagrange::program {

/// A mechanism of the set that `compare` takes if none is named.
struct SetEntry {
  const char* kind;
  const char* mechanism;
  const char* title;
  int size = 0;           ///< 0: its own
  double t_end = 0.0;     ///< [s]; 0: its own
  long max_steps = 2000;  ///< runs that take more count as failed
  bool first = false;     ///< part of the preliminary ranking
};

/// Returns the set, those of the preliminary ranking first.
const std::vector<SetEntry>& comparison_set();

/// Returns the entries whose mechanisms this program has.
std::vector<SetEntry> available_entries();

/// Runs the chosen formulations and integrators on a mechanism of the set. Options of `arguments` that are given take
/// the place of those of the entry. Without --max-step a step may be as long as the run: the automatic longest step
/// would decide the work of short runs at loose tolerances, and errors are known here.
/// @param threads  runs at the same time
RankedMechanism measured_entry(const SetEntry& entry, RunChoice choice, ProblemArguments arguments, unsigned threads);

}  // namespace sunlagrange::program
