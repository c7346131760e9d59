#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/pendulum_motion.hpp"

/// Simple pendulum, problem A01 of the IFToMM library of computational benchmark problems.
///
///        O---------------o  start: (1, 0), at rest          y
///      pivot     L       m                                  |        gravity g along -y
///                                                           +-- x
///
/// m = 1 kg, L = 1 m, massless rod, g = 9.81 m/s^2. Coordinates (x, y) of the mass; one constraint
/// (x^2 + y^2 - L^2) / 2 = 0, whose multiplier is the tension divided by L (here lambda = -3 g y).
/// Period 2.36784194757623745 s. The original problem compares x, y over 2000 s = 845 periods: any artificial damping
/// shows as a phase error. Reference: exact, pendulum_motion.hpp.
namespace sunlagrange::mechanisms {
namespace {

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
  mechanism.reference = [](double t) { return std::optional(pendulum_motion(9.81L, t)); };
  mechanism.reference_source = "exact, Jacobi elliptic functions";
  return mechanism;
}

}  // namespace

MechanismEntry make_pendulum() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
