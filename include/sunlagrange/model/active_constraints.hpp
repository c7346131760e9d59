// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// Returns the same system with some constraints switched off, e.g. a broken joint, an open contact, a released brake.
/// Coordinates, M, f, energy and power are the same; the rows are missing from g, psi, G, gamma, lambda, their names
/// and patterns, and the remaining rows keep their order. `system` is not changed and may be used at the same time; a
/// run with events has one system for each combination of active constraints.
///
/// An evaluation costs as much as that of the full system, for the rows are computed and left out. Sparse tangent
/// patterns keep the entries of the missing rows, as zeros. If a constraint is never needed, build the Assembly without
/// it.
///
/// @param names  a row's name, or the name of an element for all its rows: MechanicalSystem::constraint_rows
/// @throws Error listing every name that is not known, and the known ones; Error if the system is null or a kinematic
/// program
std::shared_ptr<const MechanicalSystem> without_constraints(const std::shared_ptr<const MechanicalSystem>& system,
                                                            const std::vector<std::string>& names);

/// The same by row numbers of `system`, in any order; repeated numbers count once.
/// @throws Error listing every number that is not a row; Error if the system is null or a kinematic program
std::shared_ptr<const MechanicalSystem> without_constraint_rows(const std::shared_ptr<const MechanicalSystem>& system,
                                                                const std::vector<int>& rows);

/// Returns the rows of all named constraints, ascending, each once.
/// @param asking  begins the message, e.g. "without_constraints"
/// @throws Error listing every name that is not known, and the known ones
std::vector<int> find_constraint_rows(const MechanicalSystem& system, const std::vector<std::string>& names,
                                      const std::string& asking);

}  // namespace sunlagrange
