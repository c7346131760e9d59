// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <utility>

#include <Eigen/Core>

#include <sunlagrange/stability/step_map.hpp>

namespace sunlagrange::internal {

/// Follows changes of state and their errors over the steps of a run, scaled against overflow.
class GrowthRecord {
 public:
  /// @param start  changes whose weighted errors are orthonormal, size(y) x (at least 1)
  GrowthRecord(Eigen::MatrixXd start, int steps) : steps_(steps), states_(std::move(start)) {}

  /// Returns the changes before the next step, up to a factor.
  const Eigen::MatrixXd& states() const { return states_; }

  /// Adds a step. Returns false if the errors have overflown or vanished, so that further steps change nothing.
  /// @param states  the changes after the step
  /// @param errors  their weighted errors
  bool add(const Eigen::MatrixXd& states, const Eigen::MatrixXd& errors);

  /// Returns true if the last error is below what differences resolve of the first one, so that it has died out.
  bool died_out() const { return taken_ > 0 && last_ < unresolved; }

  ErrorGrowth growth() const;

 private:
  static constexpr double unresolved = -20.7;  // log(1e-9)

  int steps_, taken_ = 0;
  Eigen::MatrixXd states_;
  double log_scale_ = 0.0;  // logarithm of the factor by which states_ was divided
  double last_ = 0.0;       // logarithm of the norm of the last errors
  double first_ = 0.0;      // logarithms of the largest norms of both halves
  double second_ = -std::numeric_limits<double>::infinity();
  bool overflow_ = false;
};

}  // namespace sunlagrange::internal
