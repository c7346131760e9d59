// SPDX-License-Identifier: BSD-3-Clause
#include "base/columns.hpp"

#include <algorithm>

namespace sunlagrange::internal {

std::string columns(const std::string& alignment, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width(alignment.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string pad(width[k] - row[k].size(), ' ');
      line += (k == 0 ? "" : "  ") + (alignment[k] == 'r' ? pad + row[k] : row[k] + pad);
    }
    out += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace sunlagrange::internal
