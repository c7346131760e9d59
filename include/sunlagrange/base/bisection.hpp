// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace sunlagrange {

/// Two values between which a condition changes.
struct Bracket {
  double in = 0.0;   ///< the condition holds here
  double out = 0.0;  ///< the condition does not hold here
};

/// Bisection of the bracket [in, out], in either order, until it is at most `width` wide or down to neighbouring
/// numbers. The condition is not evaluated at the ends.
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
