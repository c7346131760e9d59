// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

/// @throws Error naming element, field and count if n x n matrices do not fit into memory
inline void refuse_beyond_memory(const std::string& element, const char* field, int count) {
  constexpr int most = 10000;
  if (count <= most) return;
  throw Error(element + ": " + field + " = " + std::to_string(count) + ", must be at most " + std::to_string(most) +
              "; make it an Assembly of smaller elements");
}

}  // namespace sunlagrange::internal
