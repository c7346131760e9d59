#pragma once

#include <Eigen/Core>

#include <sunlagrange/internal/pattern_matrix.hpp>

namespace sunlagrange::internal {

/// How far the rows of a matrix have turned or stretched since they were noted.
class TurnedRows {
 public:
  void note(const PatternMatrix& matrix) {
    noted_ = matrix.values;
    size_.setZero(matrix.pattern().rows);
    matrix.for_each_entry([&](int i, int, double entry) { size_[i] = std::max(size_[i], std::abs(entry)); });
  }

  /// True: an entry has changed by more than `share` of the largest of its row, or nothing was noted.
  bool beyond(double share, const PatternMatrix& matrix) const {
    if (noted_.size() != matrix.values.size()) return true;
    bool beyond = false;
    const double* before = noted_.data();
    const double* now = matrix.data();
    matrix.pattern().for_each_entry(
        [&](int i, int, int k) { beyond = beyond || !(std::abs(now[k] - before[k]) <= share * size_.data()[i]); });
    return beyond;
  }

  void forget() { noted_.resize(0); }

 private:
  Eigen::VectorXd noted_;
  Eigen::VectorXd size_;  // largest entry of each row
};

}  // namespace sunlagrange::internal
