#include "prediction/gain_search.hpp"

#include <limits>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange::bench {

double stability_boundary(const std::function<bool(double)>& stable, const GainSearch& search) {
  double low = 0.0;
  double high = search.first;
  while (high <= search.end && stable(high)) {
    low = high;
    high *= search.factor;
  }
  if (low == 0.0 || high > search.end) return std::numeric_limits<double>::quiet_NaN();
  const Bracket edge = bisect(stable, {low, high}, search.relative_width * low);
  return 0.5 * (edge.in + edge.out);
}

}  // namespace sunlagrange::bench
