// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analysis/geometry/constraint_curve.hpp"

namespace sunlagrange::internal {

/// Width of the interpolation about a crossing, in scaled coordinates. Its error is of sixth order in the width.
constexpr double crossing_width = 0.03;

/// Distance from a singular pose in scaled coordinates below which points are rounding.
constexpr double crossing_resolution = 1e-6;

/// A point where another branch crosses the curve. G and [G; driven row] lose rank there, so no equations give the
/// points nearby to full accuracy. These points are interpolated by a polynomial of degree 5 in s through three points
/// on either side.
struct CurveCrossing {
  double arc = 0.0;  ///< length from the start of the arc to the crossing, in scaled coordinates
  Eigen::VectorXd x;
  CurvePoint before, behind;   ///< outermost points of the interpolation
  bool monotone = false;       ///< true if s is monotone between them; the polynomial exists only then
  double s = 0.0;              ///< value of s at the crossing
  double unit = 1.0;           ///< unit of the polynomial in s
  Eigen::MatrixXd polynomial;  ///< rows: coefficients of x, lowest degree first

  /// Returns q and its derivatives at a value of s between `before` and `behind`.
  KinematicPoint at(const ConstraintCurve& curve, double s) const;
};

enum class Arc {
  regular,
  crossing,  ///< another branch crosses
  jump,      ///< the step changed the branch, or was too long: a shorter one is needed
};

/// Classifies the arc of length h from `from` to `to`. At a crossing one singular value of G passes zero, so the polar
/// factor of [G; tangent^T] turns by half a turn at once; this also holds with redundant rows, and if several branches
/// cross. A step near a singular pose that changes over to another branch turns the polar factor, too; bisection then
/// ends with a gap that does not close, and the arc is a jump. A steady turn of more than a quarter is a jump as well.
/// Two crossings on one arc are not detected.
/// @param crossing  set if there is one
Arc classify_arc(ConstraintCurve& curve, const CurvePoint& from, const CurvePoint& to, double h, double max_turn,
                 CurveCrossing& crossing);

}  // namespace sunlagrange::internal
