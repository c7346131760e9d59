// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace sunlagrange {

/// Returns the largest Report::relative_violation and Report::relative_velocity_violation of a fixed-step run in this
/// formulation without the doubts DoubtKind::position_violation and DoubtKind::velocity_violation, "the constraints are
/// violated": the violation up to which a run counts as keeping its constraints. It is relative to the size of the
/// mechanism, or to its largest velocity.
/// @throws Error if the formulation is not known
double fixed_step_violation_bound(std::string_view formulation);

}  // namespace sunlagrange
