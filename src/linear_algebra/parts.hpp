// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Connected components of n things (union-find).
class Parts {
 public:
  explicit Parts(Eigen::Index n) : next_(static_cast<std::size_t>(n)) { std::iota(next_.begin(), next_.end(), 0); }

  /// Returns the representative of the component of i.
  int of(int i) const {
    while (next_[static_cast<std::size_t>(i)] != i) i = next_[static_cast<std::size_t>(i)];
    return i;
  }
  void unite(int i, int k) { next_[static_cast<std::size_t>(of(i))] = of(k); }

  /// Connects row + i with column + k for each entry (i, k) of A that is not zero.
  void unite(const Eigen::MatrixXd& A, Eigen::Index row, Eigen::Index column) {
    for (Eigen::Index k = 0; k < A.cols(); ++k) {
      for (Eigen::Index i = 0; i < A.rows(); ++i) {
        if (A(i, k) != 0.0) unite(static_cast<int>(row + i), static_cast<int>(column + k));
      }
    }
  }

  /// Returns the members of each component, ascending.
  std::vector<std::vector<int>> members() const {
    std::vector<std::vector<int>> all;
    std::vector<std::size_t> number(next_.size());
    for (std::size_t i = 0; i < next_.size(); ++i) {
      // the representative need not be the first member
      std::size_t& of_part = number[static_cast<std::size_t>(of(static_cast<int>(i)))];
      if (of_part == 0) {
        all.emplace_back();
        of_part = all.size();
      }
      all[of_part - 1].push_back(static_cast<int>(i));
    }
    return all;
  }

 private:
  std::vector<int> next_;
};

}  // namespace sunlagrange::internal
