#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/rank/jacobian_scales.hpp"
#include "linear_solver/rank/ritz_directions.hpp"

namespace sunlagrange::internal {

/// How weak given directions of G are by its geometry alone: eigendirections, within their span, of
///
///     N = R G D (R G D)^T,     R, D = JacobianScales of the largest |G_ij| met so far.
///
/// N knows neither units nor masses: masses that differ by 1e8 make G M^-1 G^T as small in some direction as a singular
/// pose does, N tells the two apart. What G^T takes to nothing it takes to nothing in any metric, so the span of the
/// directions that are weak with the masses holds all that the geometry can have lost. R and D come from the largest
/// entries so far: a row whose gradient shrinks to nothing is seen as lost.
class GeometricRank {
 public:
  /// When the scales are computed anew: as soon as an entry has doubled, for decisions at one point; or not until it
  /// weighs something, to compare points along a path. What is zero but for drift doubles all the time, and scales that
  /// follow it make weak directions strong from one point to the next.
  enum class Renewal { eager, steady };

  /// @param most  directions, at most
  GeometricRank(const SparsePattern& jacobian, int most, Renewal renewal = Renewal::eager);

  /// Remembers the largest entries. Entries that are not finite do not count.
  void update_largest_entries(const double* G);

  /// @param metric      see JacobianScales
  /// @param directions  k directions of length m (multipliers)
  void measure(const double* G, const Eigen::VectorXd& metric, int k, const double* directions);

  /// Rayleigh quotient of one direction relative to the largest eigenvalue, which is taken from the point where the
  /// scales were computed: comparable along a path, and cheap.
  double quotient(const double* G, const Eigen::VectorXd& metric, const double* direction);

  /// Least squared length of a row of R G D, relative to that of its largest entries so far. After quotient().
  double shortest_row(const double* G);

  const RitzDirections& directions() const { return ritz_; }

  /// Largest eigenvalue of N, which those of the directions are to be compared with.
  double largest() const { return largest_eigenvalue_; }

 private:
  bool scales_outdated() const;
  void balance(const double* G, const Eigen::VectorXd& metric);
  double find_largest(const double* G, int steps, double tolerance);

  SparsePattern pattern_;
  Renewal renewal_;
  JacobianScales scales_;
  RitzDirections ritz_;
  bool balanced_ = false;
  double largest_eigenvalue_ = 1.0, largest_when_balanced_ = 1.0;
  SignedVector<double> largest_, balanced_at_;  // |G_ij|: most so far, and when the scales were computed
  SignedVector<int> has_scale_;                 // columns with an entry when the scales were computed
  SignedVector<double> weight_, image_, form_, u_;
};

}  // namespace sunlagrange::internal
