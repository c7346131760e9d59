#include <cmath>

#include <sunlagrange/model/elements/distance.hpp>
#include <sunlagrange/model/elements/point_mass.hpp>
#include <sunlagrange/model/elements/uniform_gravity.hpp>

#include "mechanisms/elliptic.hpp"
#include "mechanisms/mechanism.hpp"

/// Simple pendulum, problem A01 of the IFToMM library of computational benchmark problems.
///
///        O---------------o  start: (1, 0), at rest          y
///      pivot     L       m                                  |        gravity g along -y
///                                                           +-- x
///
/// m = 1 kg, L = 1 m, massless rod, g = 9.81 m/s^2. Coordinates (x, y) of the mass; one constraint
/// (x^2 + y^2 - L^2) / 2 = 0, whose multiplier is the tension divided by L (here lambda = -3 g y).
/// Period 2.36784194757623745 s. The original problem compares x, y over 2000 s = 845 periods: any artificial damping
/// shows as a phase error. Reference: exact, with psi the angle from the downward vertical,
/// sin(psi/2) = k sn(K - w t | k^2), k = sin(pi/4), w = sqrt(g/L).
namespace sunlagrange::mechanisms {
namespace {

constexpr long double gravity = 9.81L;
constexpr long double modulus_squared = 0.5L;

Eigen::VectorXd exact_position(double t) {
  const long double quarter = complete_elliptic_integral(modulus_squared);
  const long double amplitude = jacobi_amplitude(quarter - std::sqrt(gravity) * t, modulus_squared);
  const long double half = std::asin(std::sqrt(modulus_squared) * std::sin(amplitude));
  Eigen::VectorXd q(2);
  q << static_cast<double>(std::sin(2.0L * half)), static_cast<double>(-std::cos(2.0L * half));
  return q;
}

Mechanism make(int) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0, 0.0, -9.81}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = Eigen::Vector2d(1.0, 0.0);
  mechanism.t_end = 10.0;
  mechanism.reference = [](double t) { return std::optional(exact_position(t)); };
  mechanism.reference_source = "exact, Jacobi elliptic functions";
  return mechanism;
}

}  // namespace

MechanismEntry make_pendulum() {
  return {"", "", false, 0, make};
}

}  // namespace sunlagrange::mechanisms
