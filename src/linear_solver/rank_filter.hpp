#pragma once

#include <vector>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Eigenvalues of the scaled Schur complement D S D, D = diag(row_scale)^-1/2, and its smoothly truncated inverse
///
///     phi(sigma) = w(sigma / (10 threshold sigma_max)) / sigma,   w(x) = x^3 (4 - 3 x) for x < 1, else 1.
///
/// phi is continuously differentiable, quadratic to zero, and equals 1/sigma above 10 threshold: a right-hand side that
/// uses it does not jump when a direction is lost, and it agrees with the plain Cholesky solve where that takes over.
class RankFilter {
 public:
  explicit RankFilter(int m);

  /// Cyclic Jacobi on D S D, D = diag(row_scale)^-1/2. @param s  m x m column-major, lower triangle
  void decompose(const double* s, const double* row_scale);

  /// Relative size of the smallest eigenvalue of the last decompose.
  double relative_smallest() const;
  WeakestMode weakest_mode(int lost) const;
  int rank(double threshold) const;

  /// w(x) above.
  static double taper(double x) { return x < 1.0 ? x * x * x * (4.0 - 3.0 * x) : 1.0; }

  /// Set up apply() and remove_null_part().
  void prepare(double threshold);

  /// x <- D V phi(sigma) V^T D x.
  void apply(double* x);

  /// Subtract the part of lambda that lies in the null space of S (eigenvalues at rounding level). What is left has
  /// the smallest Euclidean norm; S lambda does not change.
  void remove_null_part(double* lambda) const;

 private:
  bool sweep();
  void rotate(int p, int q);

  int m_;
  int nullity_ = 0;
  std::vector<double> a_, vectors_, scale_, values_, phi_, null_, work_;
};

}  // namespace sunlagrange::internal
