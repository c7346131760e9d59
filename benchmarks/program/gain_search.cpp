#include "gain_search.hpp"

#include <limits>

namespace sunlagrange::bench {

double stability_boundary(const std::function<bool(double)>& stable, const GainSearch& search) {
  double low = 0.0;
  double high = search.stride;
  while (stable(high)) {
    low = high;
    high += search.stride;
    if (high > search.end) return std::numeric_limits<double>::quiet_NaN();
  }
  if (low == 0.0) return std::numeric_limits<double>::quiet_NaN();
  while (high - low > search.relative_width * high) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace sunlagrange::bench
