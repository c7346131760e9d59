#pragma once

#include <cstdio>

#include <arkode/arkode_butcher.h>

namespace sunlagrange::internal {

/// Verner's pair of orders 8 and 7 with 13 stages ("most robust" of those published with [Verner2010]), for the caller
/// to free; null without memory. SUNDIALS has it from 6.6 on, under a name that 6.4 does not know.
ARKodeButcherTable verner8();

}  // namespace sunlagrange::internal
