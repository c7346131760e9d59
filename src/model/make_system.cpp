// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/make_system.hpp>

#include "model/checks/element_limits.hpp"

namespace sunlagrange::internal {

std::vector<Block> add_positions(Assembly& assembly, int n, const std::vector<std::string>& names) {
  refuse_beyond_memory("model", "num_positions", n);  // before each gets a name
  std::vector<Block> blocks;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    blocks.push_back(assembly.add_coordinates(k < names.size() ? names[k] : "q" + std::to_string(i), 1));
  }
  return blocks;
}

}  // namespace sunlagrange::internal
