#include "mechanisms/n_four_bar_motion.hpp"

#include <cmath>

#include "mechanisms/elliptic.hpp"

namespace sunlagrange::mechanisms {

VerticalBars vertical_bars(int loops, double t) {
  const long double n = loops;
  const long double k = 9.81L * ((n + 1.0L) / 2.0L + n) / ((n + 1.0L) / 3.0L + n);
  const long double m = 4.0L * k / (1.0L + 4.0L * k);
  const long double w = 0.5L * std::sqrt(1.0L + 4.0L * k);
  const long double amplitude = jacobi_amplitude(complete_elliptic_integral(m) - w * t, m);
  const long double sine = std::sin(amplitude);
  return {static_cast<double>(k), static_cast<double>(2.0L * amplitude),
          static_cast<double>(-2.0L * w * std::sqrt(1.0L - m * sine * sine))};
}

}  // namespace sunlagrange::mechanisms
