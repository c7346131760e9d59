// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange::internal {

/// Returns a unit divided by the second: "m/s^2" for "m/s", "m/s" for "m". Returns "" for "", an unknown unit.
std::string per_second(const std::string& unit);

/// Units of the parameters of laws. They are those of the value of the law, over a power of the second. The description
/// of the law states that unit, or that the law prescribes a coordinate or its rate. A visitor of parameters tells what
/// it enters, leaves and chooses.
class LawUnits {
 public:
  /// @param coordinate, rate  units of the first coordinate of the element; empty: unknown
  explicit LawUnits(std::string coordinate = "", std::string rate = "")
      : coordinate_(std::move(coordinate)), rate_(std::move(rate)) {}

  void enter(const ParameterPart& about);
  void leave() { units_.pop_back(); }
  void choose(const std::string& law) { law_ = law; }

  /// @param power  of the second, of a coefficient in a list
  std::string of(const Parameter& about, std::size_t power) const;

 private:
  std::string coordinate_, rate_;
  std::vector<std::string> units_{""};  // of the values of the laws that are open, the outermost first
  std::string law_;                     // type of the law that was chosen last
};

}  // namespace sunlagrange::internal
