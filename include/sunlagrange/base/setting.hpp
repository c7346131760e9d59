#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

class Figures;

/// One line of the report: what was asked, what was used.
struct Setting {
  std::string name;
  std::string asked;
  std::string used;

  void describe(Figures& f);
};

using Settings = std::vector<Setting>;

/// Shortest text that shows six digits, e.g. "1e-06".
std::string text(double value);

}  // namespace sunlagrange
