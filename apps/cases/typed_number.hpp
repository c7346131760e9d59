// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace sunlagrange::program {

/// Returns what somebody typed as a number in a unit; it may have a unit behind it, "30deg". @throws Error naming the
/// option
double typed_number(const std::string& typed, const std::string& option, const std::string& unit);

}  // namespace sunlagrange::program
