// SPDX-License-Identifier: BSD-3-Clause
#include "results/motion_output.hpp"

#include <string_view>
#include <vector>

#include <sunlagrange/base/registry.hpp>

#include "model/coordinate_unit.hpp"

namespace sunlagrange::internal {

MotionOutput motion_output(const MechanicalSystem& system, const std::string& name) {
  using Part = MotionOutput::Part;
  const int n = system.num_positions();
  std::vector<std::string> names;
  for (const char* primes : {"", "'", "''"}) {
    for (int i = 0; i < n; ++i) names.push_back(system.position_name(i) + primes);
  }
  for (int i = 0; i < system.num_constraints(); ++i) names.push_back("lambda:" + system.constraint_name(i));
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != name) continue;
    const int i = static_cast<int>(k);
    return i < 3 * n ? MotionOutput{static_cast<Part>(i / n), i % n} : MotionOutput{Part::multiplier, i - 3 * n};
  }
  throw_unknown("output of the motion", name, std::vector<std::string_view>(names.begin(), names.end()));
}

std::string unit_of(const MotionOutput& output, const MechanicalSystem& system) {
  if (output.part == MotionOutput::Part::multiplier) return "";
  return coordinate_unit(system, output.index, static_cast<int>(output.part));
}

}  // namespace sunlagrange::internal
