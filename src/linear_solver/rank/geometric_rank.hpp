// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/rank/jacobian_scales.hpp"
#include "linear_solver/rank/lanczos.hpp"
#include "linear_solver/rank/ritz_directions.hpp"

namespace sunlagrange::internal {

/// Measures how weak given directions of G are by the geometry of the constraints alone: by the eigendirections, within
/// their span, of
///
///     N = R G D (R G D)^T,     R, D = JacobianScales of the largest |G_ij| so far.
///
/// N depends neither on units nor on masses. Masses that differ by 1e8 make G M^-1 G^T as small in some direction as a
/// singular pose does; N distinguishes the two. A null direction of G^T is one in every metric, so the directions that
/// are weak with the masses contain all that the geometry can have lost. R and D come from the largest entries so far,
/// so that a row whose gradient vanishes counts as lost.
class GeometricRank {
 public:
  /// When the scales are renewed. `eager`: as soon as an entry has doubled, for decisions at one point. `steady`: only
  /// if such an entry is a noticeable part of its row, to compare points along a path. An entry that is zero but for
  /// drift doubles often, and scales that follow it would change the measure from one point to the next.
  enum class Renewal { eager, steady };

  /// @param most  largest number of directions
  GeometricRank(const SparsePattern& jacobian, int most, Renewal renewal = Renewal::eager);

  /// Updates the largest |G_ij| so far. Entries that are not finite do not count.
  void update_largest_entries(const double* G);

  /// Finds the eigendirections within the span of the given directions.
  /// @param metric      see JacobianScales
  /// @param G           used again by largest()
  /// @param directions  k directions of length m (multipliers)
  void measure(const double* G, const Eigen::VectorXd& metric, int k, const double* directions);

  /// Returns the Rayleigh quotient of one direction relative to the largest eigenvalue at the point where the scales
  /// were computed. It is comparable along a path, and cheap.
  double quotient(const double* G, const Eigen::VectorXd& metric, const double* direction);

  /// Returns the least squared length of a row of R G D, relative to its length with the largest entries so far. Call
  /// it after quotient().
  double shortest_row(const double* G);

  const RitzDirections& directions() const { return ritz_; }

  /// Returns the largest eigenvalue of N at the matrix of the last measure(), which the quotients of directions() are
  /// relative to. It is the costly part.
  double largest();

  /// Returns the mean eigenvalue of N at the matrix of the last measure(), at most largest().
  double mean() const { return mean_eigenvalue_; }

 private:
  bool scales_outdated() const;
  void balance(const double* G, const Eigen::VectorXd& metric);
  void apply_form(const double* G, double* u);

  SparsePattern pattern_;
  Renewal renewal_;
  JacobianScales scales_;
  RitzDirections ritz_;
  Lanczos lanczos_;
  bool balanced_ = false;
  const double* measured_ = nullptr;  // the matrix of the last measure()
  double mean_eigenvalue_ = 1.0, largest_when_balanced_ = 1.0;
  SignedVector<double> largest_, balanced_at_;  // |G_ij|: largest so far, and when the scales were computed
  SignedVector<int> has_scale_;                 // columns that had an entry when the scales were computed
  SignedVector<double> weight_, image_, form_, u_;
};

}  // namespace sunlagrange::internal
