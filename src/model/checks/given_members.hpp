// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Returns the members that contradict the functions of their element, one a line; empty if all agree. Compared are
/// constraint_jacobian, constraint_rows, constraint_acceleration_bias, force_jacobians, inertia_jacobian,
/// constraint_force_jacobian, the entries that sparsity() leaves out, and constant_mass_matrix beside sparsity().
///
/// Each derivative is compared with differences along one direction at random points, about 15 evaluations for each
/// member and point. It is wrong if it differs at a point and at a second one beside it by more than ten times the
/// uncertainty of the differences and 1e-6 (rows) or 1e-4 (Newton matrices) of its row. Points that an element
/// declines, or where it throws or is not finite, do not count.
std::string wrong_members(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
