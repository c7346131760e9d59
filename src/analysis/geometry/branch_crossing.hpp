#pragma once

#include <optional>

#include "analysis/geometry/constraint_curve.hpp"

namespace sunlagrange::internal {

/// Where another branch crosses the curve: the rank of G is lost, and of [G; driven row] too, so no equations give the
/// points nearby to full accuracy. They are interpolated: of degree 5 in s, through three points on either side.
struct CurveCrossing {
  double arc = 0.0;  ///< from the point of the search to where the rank is lost before it, in scaled coordinates
  Eigen::VectorXd x;
  CurvePoint before, behind;  ///< outermost points of the interpolation; of use only if s is monotone between them
  bool monotone = false;
  double s = 0.0, unit = 1.0;  ///< of the crossing; unit of the polynomial
  Eigen::MatrixXd polynomial;  ///< coefficients of x in rows, lowest degree first

  /// q and its derivatives between `before` and `behind`.
  KinematicPoint at(const ConstraintCurve& curve, double s) const;
};

/// What lies on an arc.
enum class Within { nothing, crossing, jump };

/// Looks at the arc h from `from` to `to`. At a crossing a singular value of G passes zero, so what was seen from one
/// side is seen from the other afterwards: the polar factor of [G; tangent^T] turns by half a turn at once. Rows may be
/// redundant, and branches may cross several at a time. Beside a singular pose a step can change over to the other way
/// of assembling, where the polar factor lies as it does behind a crossing: but then the ends of the bisection stay
/// apart, and it is a jump (as is more than a quarter turn that is steady: shorter steps tell). Two crossings on one
/// arc look like nothing.
/// @param crossing  set where there is one
Within crossing_between(ConstraintCurve& curve, const CurvePoint& from, const CurvePoint& to, double h, double max_turn,
                        CurveCrossing& crossing);

}  // namespace sunlagrange::internal
