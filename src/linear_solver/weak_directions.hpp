#pragma once

#include <vector>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Eigenvalues and directions of a small symmetric matrix A = R S R, S a Schur complement of the constraints, by cyclic
/// Jacobi; and those directions that count as lost or weak:
///
///     lost: eigenvalue below threshold x the largest;     weak: below ten times that.
///
/// What a weak direction contributes is multiplied by w(x), x = eigenvalue / (10 threshold x the largest), so that
/// nothing jumps where a direction is lost.
class WeakDirections {
 public:
  explicit WeakDirections(int m);

  /// @param a  m x m column-major, lower triangle
  void decompose(const double* a);

  double relative(int k) const;  ///< k-th smallest eigenvalue over the largest
  int count_below(double relative_value) const;

  /// Sets up what follows. @param row_scale  diagonal of R
  void choose(double threshold, const double* row_scale);
  int lost() const { return lost_; }
  int weak() const { return weak_; }                                           ///< lost ones included, which come first
  double weight(int k) const { return weight_[static_cast<std::size_t>(k)]; }  ///< w of weak direction k
  const double* basis(int k) const { return basis_.data() + k * m_; }          ///< of R u, orthonormal

  /// The weakest direction beyond the `lost` weakest.
  WeakestMode weakest_mode(int lost) const;

  /// w(x) = x^3 (4 - 3 x) for x < 1, else 1: continuously differentiable, and w(x) / x is quadratic at 0.
  static double taper(double x) { return x < 1.0 ? x * x * x * (4.0 - 3.0 * x) : 1.0; }

 private:
  bool sweep();
  void rotate(int p, int q);

  int m_;
  int lost_ = 0, weak_ = 0;
  std::vector<double> a_, vectors_, values_, basis_, weight_;
  std::vector<int> order_;
};

}  // namespace sunlagrange::internal
