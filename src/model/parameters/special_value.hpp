// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange::internal {

/// Returns what a value stands for that is no quantity; empty: it is a quantity. The meaning of such a parameter ends
/// with "; VALUE: WORDS", as in "...; -1: mean moment of inertia".
inline std::string words_for_value(const std::string& meaning, double value) {
  const std::string head = "; " + text(value) + ": ";
  const std::size_t at = meaning.rfind(head);
  return at == std::string::npos ? "" : meaning.substr(at + head.size());
}

}  // namespace sunlagrange::internal
