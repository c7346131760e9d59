#pragma once

#include <string>
#include <vector>

namespace sunlagrange::internal {

/// "a", "b", "c" with the quotes, for messages.
inline std::string quoted(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return list;
}

}  // namespace sunlagrange::internal
