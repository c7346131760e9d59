#pragma once

#include <vector>

#include "linear_solver/jacobian_scales.hpp"
#include "linear_solver/weak_directions.hpp"

namespace sunlagrange::internal {

/// Which directions G has lost by its geometry alone: those in which
///
///     N = R G D (R G D)^T,     R, D = JacobianScales of the largest |G_ij| met so far,
///
/// is small. N knows neither units nor masses: masses that differ by 1e8 make G M^-1 G^T as small in some direction as
/// a singular pose does, N tells the two apart. R and D come from the largest entries so far, so that a row whose
/// gradient shrinks to nothing is seen as lost.
class GeometricRank {
 public:
  GeometricRank(int m, int n);

  /// Remembers the largest entries: for every matrix of the path. Entries that are not finite do not count.
  void see(const double* G);

  /// Decomposes N. @param metric  see JacobianScales. No allocation.
  void set(const double* G, const Eigen::VectorXd& metric);

  /// k-th smallest eigenvalue over the largest.
  double relative(int k) const { return directions_.relative(k); }

  WeakDirections& choose(double threshold) {
    directions_.choose(threshold, scales_.rows().data());
    return directions_;
  }

 private:
  bool outgrown() const;

  int m_, n_;
  JacobianScales scales_;
  WeakDirections directions_;
  bool balanced_ = false;
  std::vector<double> largest_, balanced_at_;  // |G_ij|: most so far, and when the scales were computed
  std::vector<double> z_, matrix_, ones_;
};

}  // namespace sunlagrange::internal
