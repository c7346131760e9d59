#pragma once

#include <vector>

namespace sunlagrange::internal {

/// Eigenvalues, ascending, and eigenvectors of a small symmetric matrix by cyclic Jacobi. No allocation after
/// construction.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(int most);

  /// @param a  k x k column-major, lower triangle; k at most `most`
  void decompose(int k, const double* a);

  double value(int l) const { return values_.data()[order_.data()[l]]; }
  const double* vector(int l) const { return vectors_.data() + order_.data()[l] * k_; }  ///< length k, orthonormal

 private:
  bool sweep();
  void rotate(int p, int q);

  int k_ = 0;
  std::vector<double> a_, vectors_, values_;
  std::vector<int> order_;
};

}  // namespace sunlagrange::internal
