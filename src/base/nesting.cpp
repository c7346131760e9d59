// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/nesting.hpp>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

void require_shallow(const std::string& text, const std::string& source) {
  constexpr int most = 100;  // brackets, one in the other
  int depth = 0, line = 1;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '}' || c == ']') --depth;
    if ((c == '{' || c == '[') && ++depth > most)
      throw Error(source + ":" + std::to_string(line) + ": more than " + std::to_string(most) +
                  " nested brackets; check that this is the right file");
  }
}

}  // namespace sunlagrange
