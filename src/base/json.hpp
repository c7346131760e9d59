// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace sunlagrange::internal {

/// Just enough JSON for a page: values are texts that stand in the document as they are.
namespace json {

std::string text(const std::string& value);  ///< quoted, safe inside <script>
/// Seven significant digits, null if it is not finite.
std::string number(double value);
/// The digits that give the same double, null if it is not finite.
std::string exact(double value);
std::string list(const std::vector<std::string>& values);
std::string texts(const std::vector<std::string>& values);
std::string numbers(const std::vector<double>& values);

class Object {
 public:
  Object& add(const std::string& name, const std::string& json) {
    body_ += (body_.empty() ? "" : ",\n") + text(name) + ":" + json;
    return *this;
  }
  std::string str() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

}  // namespace json
}  // namespace sunlagrange::internal
