// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>

#include <arkode/arkode_butcher.h>

namespace sunlagrange::internal {

/// Returns Verner's pair of orders 8 and 7 with 13 stages [Verner2010]; the caller frees it. Null if there is no
/// memory. SUNDIALS 6.4 does not have it: its only pair of this order is Fehlberg's, whose error estimate is zero for
/// y' = f(t).
ARKodeButcherTable verner8();

}  // namespace sunlagrange::internal
