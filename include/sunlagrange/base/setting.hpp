// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

class Figures;

/// One line of the report: a setting as the user asked for it, and as it was used.
struct Setting {
  std::string name;
  std::string asked;
  std::string used;

  void describe(Figures& f);
};

/// A list of settings, in the order in which reports show them.
using Settings = std::vector<Setting>;

/// Returns the shortest text that shows six digits, e.g. "1e-06".
std::string text(double value);

}  // namespace sunlagrange
