// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange::internal {

/// Step of a central difference relative to the scale on which its argument changes: (machine epsilon)^(1/3), where
/// truncation and rounding are of one size; relative error about 1e-10.
inline constexpr double difference_step = 6e-6;

}  // namespace sunlagrange::internal
