// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "shared/record.hpp"

namespace sunlagrange::program {

/// The quantity in which two runs are made equal.
enum class Measure {
  error,      ///< largest component of the error of q at the end of the run
  violation,  ///< max |g| over the accepted steps; the error must be below SearchLimits::largest_error
};

struct SearchLimits {
  double loosest_rtol = 1e-2;
  double tightest_rtol = 1e-12;
  int fewest_steps = 1;         ///< fewest steps of a fixed-step run; an adaptive run may take as few
  long most_steps = 50000;      ///< most steps of any run
  double largest_error = 1e-3;  ///< a small violation on the wrong motion does not count
};

/// Finds the loosest tolerance, or the longest step, with which one formulation and one integrator reach a target. It
/// tightens by factors (tolerance 10, step 2) until two successive runs reach the target, and then halves the logarithm
/// of the last factor three times. Several targets share the runs.
class AccuracySearch {
 public:
  static constexpr int parts = 8;  ///< levels for each factor

  /// @param options    with formulation and integrator
  /// @param reference  q at the end of the run
  AccuracySearch(const Problem& problem, SimulationOptions options, Eigen::VectorXd reference,
                 const SearchLimits& limits);

  /// Returns the run, or null if the target is not reached within the limits.
  const RunRecord* cheapest(Measure measure, double target);

 private:
  void set_accuracy(int level, SimulationOptions& options) const;
  const RunRecord& run_at(int level);
  bool reaches(int level, Measure measure, double target);
  int last_level() const;

  const Problem& problem_;
  SimulationOptions options_;
  Eigen::VectorXd reference_;
  SearchLimits limits_;
  bool fixed_ = false;
  std::map<int, RunRecord> runs_;  // by level; level 0 is the loosest
};

}  // namespace sunlagrange::program
