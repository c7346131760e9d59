#include "mechanisms/elliptic.hpp"

#include <array>
#include <cmath>

namespace sunlagrange::mechanisms {
namespace {

constexpr long double half_pi = 1.570796326794896619231321691639751442L;

struct Means {
  std::array<long double, 32> a{};
  std::array<long double, 32> c{};
  std::size_t last = 0;
};

/// Arithmetic-geometric mean of 1 and sqrt(1 - m); convergence is quadratic.
Means arithmetic_geometric(long double m) {
  Means s;
  s.a[0] = 1.0L;
  s.c[0] = std::sqrt(m);
  long double b = std::sqrt(1.0L - m);
  for (std::size_t k = 0; k + 1 < s.a.size() && std::abs(s.c[k]) > 1e-19L * s.a[k]; ++k) {
    s.a[k + 1] = 0.5L * (s.a[k] + b);
    s.c[k + 1] = 0.5L * (s.a[k] - b);
    b = std::sqrt(s.a[k] * b);
    s.last = k + 1;
  }
  return s;
}

}  // namespace

long double jacobi_amplitude(long double u, long double m) {
  const Means s = arithmetic_geometric(m);
  long double phi = std::ldexp(s.a[s.last] * u, static_cast<int>(s.last));
  for (std::size_t k = s.last; k > 0; --k) phi = 0.5L * (phi + std::asin(s.c[k] / s.a[k] * std::sin(phi)));
  return phi;
}

long double complete_elliptic_integral(long double m) {
  const Means s = arithmetic_geometric(m);
  return half_pi / s.a[s.last];
}

}  // namespace sunlagrange::mechanisms
