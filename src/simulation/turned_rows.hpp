// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include <sunlagrange/internal/pattern_matrix.hpp>

namespace sunlagrange::internal {

/// Detects that rows of a matrix have turned or changed their length since they were noted.
class TurnedRows {
 public:
  /// @param share  of the largest entry of a row, by which an entry may change
  void note(const PatternMatrix& matrix, double share) {
    noted_ = matrix.values;
    largest_.setZero(matrix.pattern().rows);
    matrix.for_each_entry([&](int i, int, double entry) { largest_[i] = std::max(largest_[i], std::abs(entry)); });
    allowed_.resize(noted_.size());
    matrix.pattern().for_each_entry([&](int i, int, int k) { allowed_[k] = share * largest_[i]; });
  }

  /// Returns true if an entry has changed by more than its share, or if nothing was noted.
  bool beyond(const PatternMatrix& matrix) const {
    if (noted_.size() != matrix.values.size()) return true;
    return !((matrix.values - noted_).array().abs() <= allowed_.array()).all();
  }

  void forget() { noted_.resize(0); }

 private:
  Eigen::VectorXd noted_, allowed_;  // of each entry
  Eigen::VectorXd largest_;          // entry of each row
};

}  // namespace sunlagrange::internal
