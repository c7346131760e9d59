// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/signed_vector.hpp"

namespace sunlagrange::internal {

/// Eigenvalues, ascending, and eigenvectors of a small symmetric matrix by the cyclic Jacobi method. No allocation
/// after construction.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(int most);

  /// @param a  k x k column-major, lower triangle; k at most `most`
  void decompose(int k, const double* a);

  double value(int l) const { return values_[order_[l]]; }
  const double* vector(int l) const { return vectors_.data() + order_[l] * k_; }  ///< length k, orthonormal

 private:
  bool sweep();
  void rotate(int p, int q);

  int k_ = 0;
  SignedVector<double> a_, vectors_, values_;
  SignedVector<int> order_;
};

}  // namespace sunlagrange::internal
