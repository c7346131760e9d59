#include <sunlagrange/base/fact.hpp>

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange {
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

}  // namespace sunlagrange
