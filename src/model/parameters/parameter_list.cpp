// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/parameter_list.hpp>

#include <sunlagrange/base/setting.hpp>

#include "base/words.hpp"

namespace sunlagrange {

std::string text(const ParameterInfo& p) {
  using internal::joined;
  if (p.part) {
    const std::string inside = joined(p.parts, [](const ParameterInfo& part) { return text(part); });
    return p.name + " = " + (p.type.empty() ? "function" : p.type) + " {" + inside + "}: " + p.meaning +
           (p.unit.empty() ? "" : " [" + p.unit + "]");
  }
  std::string value = joined(p.value, [](double x) { return text(x); });
  if (p.list) value = "[" + value + "]";
  return p.name + " = " + value + (p.unit.empty() || p.unit == "1" ? "" : " " + p.unit) + ": " + p.meaning +
         (p.range == Range::finite     ? ""
          : p.range == Range::positive ? ", positive"
                                       : ", not negative");
}

namespace internal {

void ParameterList::number(const Parameter& about, double& value) {
  levels_.back().push_back({about.name, about.unit, about.meaning, about.range, {value}, false, false, "", {}, {}});
}

void ParameterList::numbers(const Parameter& about, double* values, std::size_t count) {
  levels_.back().push_back(
      {about.name, about.unit, about.meaning, about.range, {values, values + count}, true, false, "", {}, {}});
}

void ParameterList::enter(const ParameterPart& about) {
  open_.push_back({about.name, about.unit, about.meaning, Range::finite, {}, false, true, about.type, {}, {}});
  levels_.emplace_back();
}

std::size_t ParameterList::choose(const std::vector<const char*>& types, std::size_t current) {
  open_.back().choices.assign(types.begin(), types.end());
  return current;
}

void ParameterList::leave() {
  open_.back().parts = std::move(levels_.back());
  levels_.pop_back();
  levels_.back().push_back(std::move(open_.back()));
  open_.pop_back();
}

void ParameterList::function(const ParameterPart& about) {
  enter(about);
  leave();
}

}  // namespace internal
}  // namespace sunlagrange
