#pragma once

#include <cmath>

namespace sunlagrange {

/// Between which values a condition ends.
struct Bracket {
  double in = 0.0;   ///< it holds here
  double out = 0.0;  ///< and not here
};

/// Bisection of the bracket [in, out], in either order, until it is at most `width` wide or down to neighbouring
/// numbers. The ends are not tried again.
template <class Holds>
Bracket bisect(Holds&& holds, Bracket bracket, double width) {
  while (std::abs(bracket.out - bracket.in) > width) {
    const double middle = 0.5 * (bracket.in + bracket.out);
    if (middle == bracket.in || middle == bracket.out) break;
    (holds(middle) ? bracket.in : bracket.out) = middle;
  }
  return bracket;
}

}  // namespace sunlagrange
