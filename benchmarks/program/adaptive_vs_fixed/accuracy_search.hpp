#pragma once

#include <map>
#include <string>

#include "shared/record.hpp"

namespace sunlagrange::program {

/// What two runs are made equal in.
enum class Measure {
  error,      ///< of q at the end of the run, largest component, against the reference
  violation,  ///< max |g| over the accepted steps, where the error is below SearchLimits::largest_error
};

struct SearchLimits {
  double loosest_rtol = 1e-2;
  double tightest_rtol = 1e-12;
  int fewest_steps = 16;        ///< of a fixed-step run
  long most_steps = 50000;      ///< of any run
  double largest_error = 1e-3;  ///< a small violation on the wrong motion does not count
};

/// The loosest tolerance, or the longest step, with which one formulation and one integrator reach a target: first by
/// factors (tolerance 10, step 2) until two neighbours in a row reach it, then by halving the logarithm of the last
/// factor three times. Runs are remembered, so that several targets share them.
class AccuracySearch {
 public:
  /// @param options    formulation and integrator chosen
  /// @param reference  q at the end of the run
  AccuracySearch(const Problem& problem, SimulationOptions options, Eigen::VectorXd reference,
                 const SearchLimits& limits);

  /// Null: not reached within the limits.
  const RunRecord* cheapest(Measure measure, double target);

 private:
  static constexpr int parts = 8;  // of a factor

  void set_accuracy(int level, SimulationOptions& options) const;
  const RunRecord& run_at(int level);
  bool reaches(int level, Measure measure, double target);
  int last_level() const;

  const Problem& problem_;
  SimulationOptions options_;
  Eigen::VectorXd reference_;
  SearchLimits limits_;
  bool fixed_ = false;
  std::map<int, RunRecord> runs_;  // by level: parts of a factor beyond the loosest
};

}  // namespace sunlagrange::program
