// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/analysis/sensitivities.hpp>

namespace sunlagrange {

/// Returns what the tolerances of the run resolve, in the place of the derivatives. A derivative below it is zero as
/// far as the run can tell, such as that of a motion that a drive prescribes: even the whole parameter changes the
/// quantity by less than the error that the run may have,
///
///     |dx/dp| |p| <= sqrt(steps) (rtol max |x| + atol),
///
/// because the error of each step is at most a tolerance, and errors of either sign add up as their root. The tolerances
/// hold for each coordinate, so x is one entry of q or v. v' and lambda are solved for together: x is then the largest
/// entry, and atol, which has the units of q and v, is left out. |p| is 1 for p = 0. The state of the result is empty.
SensitivityPoint resolution_of(const Sensitivities& found);

}  // namespace sunlagrange
