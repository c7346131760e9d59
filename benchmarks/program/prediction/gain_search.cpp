#include "prediction/gain_search.hpp"

#include <limits>

namespace sunlagrange::bench {

double stability_boundary(const std::function<bool(double)>& stable, const GainSearch& search) {
  double low = 0.0;
  double high = search.first;
  while (high <= search.end && stable(high)) {
    low = high;
    high *= search.factor;
  }
  if (low == 0.0 || high > search.end) return std::numeric_limits<double>::quiet_NaN();
  while (high - low > search.relative_width * high) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace sunlagrange::bench
