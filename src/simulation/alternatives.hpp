// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace sunlagrange::internal {

/// Returns the advised names without the one in use, as "a or b or c".
inline std::string alternatives(std::initializer_list<std::string_view> advised, std::string_view used) {
  std::string list;
  for (const std::string_view name : advised) {
    if (name != used) list += (list.empty() ? "" : " or ") + std::string(name);
  }
  return list;
}

}  // namespace sunlagrange::internal
