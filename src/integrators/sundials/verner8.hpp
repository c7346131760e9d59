#pragma once

#include <cstdio>

#include <arkode/arkode_butcher.h>

namespace sunlagrange::internal {

/// Verner's pair of orders 8 and 7 with 13 stages [Verner2010], for the caller to free; null without memory.
/// SUNDIALS 6.4 does not have it: its one pair of this order is Fehlberg's, whose error estimate is zero for y' = f(t).
ARKodeButcherTable verner8();

}  // namespace sunlagrange::internal
