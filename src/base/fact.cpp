// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/fact.hpp>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

struct ValueText {
  std::string operator()(long value) const { return std::to_string(value); }
  std::string operator()(double value) const { return sunlagrange::text(value); }
  std::string operator()(const std::string& value) const { return value; }
};

}  // namespace

std::string Fact::text() const {
  std::string filled;
  std::size_t from = 0;
  for (const auto& value : values) {
    const std::size_t place = sentence.find("{}", from);
    if (place == std::string::npos) break;
    filled += sentence.substr(from, place - from) + std::visit(ValueText{}, value);
    from = place + 2;
  }
  return filled + sentence.substr(from);
}

double number(const std::vector<Fact>& facts, const std::string& name, std::size_t place) {
  for (const Fact& fact : facts) {
    if (fact.name != name || place >= fact.values.size()) continue;
    if (const long* count = std::get_if<long>(&fact.values[place])) return static_cast<double>(*count);
    if (const double* value = std::get_if<double>(&fact.values[place])) return *value;
  }
  throw Error("no fact \"" + name + "\" with a number in place " + std::to_string(place));
}

}  // namespace sunlagrange
