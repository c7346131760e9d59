// SPDX-License-Identifier: BSD-3-Clause
#include "shared/number.hpp"

#include <cmath>
#include <cstdlib>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::program {

bool read_number(const std::string& typed, double& value) {
  char* end = nullptr;
  value = std::strtod(typed.c_str(), &end);
  return end != typed.c_str() &&
         typed.find_first_not_of(" \t", static_cast<std::size_t>(end - typed.c_str())) == std::string::npos;
}

std::pair<std::string, std::string> named_text(const std::string& typed, const std::string& option, const char* form) {
  const std::size_t equals = typed.rfind('=');
  if (equals == std::string::npos || equals == 0) throw Error(option + " " + typed + ": must be " + form);
  return {typed.substr(0, equals), typed.substr(equals + 1)};
}

double without_rounding(double x, double largest) {
  constexpr double rounding = 1e-13;
  return std::abs(x) <= rounding * largest ? 0.0 : x;
}

}  // namespace sunlagrange::program
