#include "mechanisms/pendulum_motion.hpp"

#include <cmath>

#include "mechanisms/elliptic.hpp"

namespace sunlagrange::mechanisms {

ReferenceState pendulum_motion(long double gravity, double t) {
  constexpr long double k2 = 0.5L;  // modulus squared, sin^2 of half the start angle
  const long double w = std::sqrt(gravity);
  const long double amplitude = jacobi_amplitude(complete_elliptic_integral(k2) - w * t, k2);
  const long double psi = 2.0L * std::asin(std::sqrt(k2) * std::sin(amplitude));
  const long double rate = -2.0L * std::sqrt(k2) * w * std::cos(amplitude);
  const long double x = std::sin(psi);
  const long double y = -std::cos(psi);
  ReferenceState s{Eigen::VectorXd(2), Eigen::VectorXd(2), Eigen::VectorXd(1)};
  s.q << static_cast<double>(x), static_cast<double>(y);
  s.v << static_cast<double>(-y * rate), static_cast<double>(x * rate);
  s.lambda << static_cast<double>(-3.0L * gravity * y);
  return s;
}

}  // namespace sunlagrange::mechanisms
