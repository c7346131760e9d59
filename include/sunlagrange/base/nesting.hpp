#pragma once

#include <string>

namespace sunlagrange {

/// Files hold few brackets one in the other; parsers go down one call for each, and what 100000 of them say about
/// themselves (copies, comparisons) ends the stack. Asked of every JSON document before it is parsed, whether it is
/// well-formed or not. @param source  what the message begins with @throws Error with the line, from a hundred on
void require_shallow(const std::string& text, const std::string& source);

}  // namespace sunlagrange
