// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <Eigen/Core>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// A pose near which the constraint set {g = 0} has two branches: a stationary point of |g| that need not be a zero,
///
///     g(q) = eps u,   G(q)^T u = 0,   |u| = 1.
///
/// Coordinates are compared as sqrt(M_jj) q_j, and rows have length 1 in them; if rows move, time is one more
/// coordinate. eps is the misfit of the lengths at the pose. On the kernel N of G the constraint set is eps + s^T H s /
/// 2 = 0 up to third order, with s = N^T (x - x_c) and H = N^T (sum u_i g_i'') N. If H is indefinite, its null lines
/// e_1, e_2 are the tangents of the branches of a mechanism that fits exactly, and with s = a e_1 + b e_2, B = e_1^T H
/// e_2 the set is the hyperbola
///
///     a b = -eps / B.
///
/// eps = 0: the branches cross, and a motion goes straight on. Otherwise it turns from one line onto the other.
/// Derivation: Lyapunov-Schmidt reduction; docs/decisions/0041.
class CriticalPose {
 public:
  /// Solves the equations from a sample nearby. @param regular  a sample where G has its full rank
  /// @return nothing if there is no such pose nearby, if several directions vanish, if H is definite or degenerate, or
  /// if the system has more than CriticalPose::largest unknowns
  static std::optional<CriticalPose> find(const MechanicalSystem& system, const PathSample& nearby,
                                          const PathSample& regular);

  /// Returns true if the system is of a kind and size for which find() searches.
  static bool can_be_found(const MechanicalSystem& system);

  static constexpr int largest = 100;  ///< a dense singular value decomposition of this size takes 10 ms

  /// Coordinates (a, b) of a state along the null lines, in units of the radius of curvature of the branches.
  Eigen::Vector2d along_lines(double t, const Eigen::Ref<const Eigen::VectorXd>& q) const;

  /// Returns u^T g for the g of a state, in the same units as misfit().
  double violation(const Eigen::VectorXd& g) const { return weights_.dot(g); }

  double misfit() const { return misfit_; }           ///< eps, scaled, without unit
  double product() const { return product_; }         ///< a b on the branches, in the units of along_lines()
  double curvature() const { return curvature_; }     ///< |B| times the unit of along_lines()
  bool exact() const { return exact_; }               ///< true if eps is rounding: the branches cross
  double largest_misfit() const { return in_rows_; }  ///< largest |eps u_i|, in the unit of its row
  double gap() const { return gap_; }                 ///< between the branches: largest coordinate, in its unit
  const Eigen::VectorXd& direction() const { return direction_; }  ///< u, of the position rows in the scale of length 1

 private:
  double t_ = 0.0, speed_ = 0.0;
  Eigen::VectorXd q_, columns_, weights_, direction_;
  Eigen::MatrixXd to_lines_;  // 2 x coordinates, scaled
  double misfit_ = 0.0, product_ = 0.0, curvature_ = 0.0, in_rows_ = 0.0, gap_ = 0.0;
  bool exact_ = false;
};

}  // namespace sunlagrange::internal
