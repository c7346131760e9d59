// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/analysis/sensitivities.hpp>

namespace sunlagrange {

/// Returns bounds in the place of the derivatives: (16 + steps) roundings of the largest entry of q (of v, a, lambda)
/// over |p|, or over 1 for p = 0. A derivative below its bound is zero, such as that of a motion that a drive
/// prescribes. The state of the result is empty.
SensitivityPoint rounding_of(const Sensitivities& found);

}  // namespace sunlagrange
