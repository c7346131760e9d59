// SPDX-License-Identifier: BSD-3-Clause
#include "model/parameters/law_units.hpp"

#include <algorithm>

namespace sunlagrange::internal {
namespace {

/// Returns the bracket at the end or in the middle of a meaning: "rad" of "angle as a function of t [rad]".
std::string bracket_of(const std::string& meaning) {
  const std::size_t begin = meaning.find('['), end = meaning.find(']');
  return begin == std::string::npos || end == std::string::npos ? "" : meaning.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::string per_second(const std::string& unit) {
  if (unit.empty()) return "";
  const std::size_t power = unit.rfind("/s^"), first = unit.size() - std::min<std::size_t>(unit.size(), 2);
  if (power != std::string::npos)
    return unit.substr(0, power + 3) + std::to_string(std::stoi(unit.substr(power + 3)) + 1);
  return unit.compare(first, 2, "/s") == 0 ? unit + "^2" : unit + "/s";
}

void LawUnits::enter(const std::string& type, const std::string& meaning) {
  std::string unit = bracket_of(meaning);
  // the words of the elements that prescribe any kind of coordinate (elements/coordinate/prescribed.hpp)
  if (meaning == "the coordinate as a function of t" || meaning == "the difference as a function of t")
    unit = coordinate_;
  else if (meaning == "the rate as a function of t")
    unit = rate_;
  units_.push_back(unit.empty() ? units_.back() : unit);
  law_ = type;
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
