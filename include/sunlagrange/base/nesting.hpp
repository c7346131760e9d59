// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace sunlagrange {

/// Refuses JSON documents with too many nested brackets, before they are parsed: the parser calls itself once for each
/// level, and 100 000 levels would end the stack.
/// @param source  begins the message @throws Error with the line, from a hundred levels on
void require_shallow(const std::string& text, const std::string& source);

}  // namespace sunlagrange
