// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace sunlagrange::internal::json {

std::string text(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {  // no </script> in a name
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.7g", value);
  return digits;
}

std::string exact(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  for (int count = 15; count <= 17; ++count) {
    std::snprintf(digits, sizeof digits, "%.*g", count, value);
    if (std::strtod(digits, nullptr) == value) break;
  }
  const std::string found = digits;
  return found.find_first_of(".e") == std::string::npos ? found + ".0" : found;
}

std::string list(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) out += (out.size() > 1 ? "," : "") + value;
  return out + "]";
}

std::string texts(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(text(value));
  return list(quoted);
}

std::string numbers(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values) out += (out.size() > 1 ? "," : "") + number(value);
  return out + "]";
}

}  // namespace sunlagrange::internal::json
