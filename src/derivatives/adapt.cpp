#include <sunlagrange/derivatives/adapt.hpp>

#include "model/element_limits.hpp"

namespace sunlagrange::internal {

std::vector<Block> add_positions(Assembly& assembly, int n, const std::vector<std::string>& names) {
  if (n > most_positions_of_an_element) {  // before each gets a name
    throw Error("model: num_positions = " + std::to_string(n) + ", must be at most " +
                std::to_string(most_positions_of_an_element) + "; make it an Assembly of smaller elements");
  }
  std::vector<Block> blocks;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    blocks.push_back(assembly.add_coordinates(k < names.size() ? names[k] : "q" + std::to_string(i), 1));
  }
  return blocks;
}

}  // namespace sunlagrange::internal
