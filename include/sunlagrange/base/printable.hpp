// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace sunlagrange {

/// Returns the text with control characters written out, e.g. "\x1b" for escape, so that names from a file cannot
/// command a terminal. Line ends and tabs stay, and so does UTF-8 but for its control characters U+0080 to U+009F.
std::string printable(const std::string& text);

}  // namespace sunlagrange
