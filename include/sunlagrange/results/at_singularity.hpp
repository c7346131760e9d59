// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Treatment of singular poses by simulate(). In a singular pose the constraints lose rank for an instant and branches
/// of the motion cross. The report lists each with time and constraint, see RankEvent and Passage. Rows that are always
/// redundant do not count.
enum class AtSingularity {
  /// `project` for the formulation `projected` of a mechanical system with the dense linear solver, else `filter`.
  automatic,
  /// Integrates through the pose; RankPolicy decides about the lost direction. A check judges the passage afterwards.
  filter,
  /// Ends the run with Outcome::rank_loss when the pose has been found, up to two steps later.
  stop,
  /// Leaves out the neighbourhood of the pose: extrapolates the motion to a regular pose, projects it onto the
  /// constraints and restarts the integrator. If the steps are longer than the neighbourhood, it does the same as
  /// `filter`. When not: forces change within the neighbourhood, which is 10 to 1000 times shorter than the time scale.
  project,
};

constexpr auto names_of(AtSingularity) {
  return enum_names("automatic", "filter", "stop", "project");
}

}  // namespace sunlagrange
