// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Finds degenerate constraints: rows that touch zero without crossing it, such as f^2, 1 - cos(f), or the distance 0
/// of two points. Their gradient (of g in q, of psi in v) vanishes wherever they are satisfied, so that no multiplier
/// can hold the motion there.
///
/// A row is degenerate if at (t, q, v) its value and its gradient are small beside those of a point some way off, and
/// if its sign is the same at all of a set of points nearby, in q (or v) and t, at distances down to 1e-7 of the size
/// of the coordinates. Rows that cross zero change their sign there: at singular poses, off the constraints, where
/// lengths are small beside the coordinates, and where a drive stands at a dead centre. Values that may be rounding have
/// no sign: a square that is written out as a polynomial may round to a negative number.
///
/// Costs two evaluations, or three with velocity rows; up to about 75 more if there are rows with a small gradient, and
/// two for each coordinate of a row that is named. At most 64 rows are examined so and named. Allocates.
/// @return finished, or model_error with the names of the rows. A point that the model declines gives no answer
/// @throws whatever the model throws at (t, q, v)
Status check_degenerate_constraints(const MechanicalSystem& system, double t, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v);

}  // namespace sunlagrange::internal
