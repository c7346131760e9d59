#include "consistency/manifold.hpp"

namespace sunlagrange {

Violation largest_violation(const std::vector<double>& values, const std::vector<double>& terms) {
  Violation worst;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double relative = std::abs(values[i]) / (terms[i] > 0.0 ? terms[i] : 1.0);
    if (!std::isfinite(relative)) return {relative, static_cast<int>(i)};
    if (relative > worst.relative) worst = {relative, static_cast<int>(i)};
  }
  return worst;
}

}  // namespace sunlagrange
