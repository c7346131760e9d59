// SPDX-License-Identifier: BSD-3-Clause
#include "model/parameters/law_units.hpp"

#include <algorithm>
#include <utility>

namespace sunlagrange::internal {

std::string per_second(const std::string& unit) {
  if (unit.empty()) return "";
  const std::size_t power = unit.rfind("/s^"), first = unit.size() - std::min<std::size_t>(unit.size(), 2);
  if (power != std::string::npos)
    return unit.substr(0, power + 3) + std::to_string(std::stoi(unit.substr(power + 3)) + 1);
  return unit.compare(first, 2, "/s") == 0 ? unit + "^2" : unit + "/s";
}

void LawUnits::enter(const ParameterPart& about) {
  std::string unit = about.prescribed == Prescribed::coordinate ? coordinate_
                     : about.prescribed == Prescribed::rate     ? rate_
                                                                : about.unit;
  units_.push_back(unit.empty() ? units_.back() : std::move(unit));
  law_ = about.type;
}

std::string LawUnits::of(const Parameter& about, std::size_t power) const {
  if (!about.unit.empty()) return about.unit;
  std::string unit = units_.back();
  const bool over_second = law_ == "Uniform" && std::string(about.name) == "rate";
  if (law_ == "Polynomial" || over_second) {
    for (std::size_t k = 0; k < (over_second ? 1 : power); ++k) unit = per_second(unit);
  }
  return unit;
}

}  // namespace sunlagrange::internal
