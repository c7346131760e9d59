#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/pendulum_motion.hpp"

/// The pendulum of SUNDIALS' example cvPendulum_dns, where CVODE projects: gravity makes the period exactly 2 s.
///
///        O---------------o  start: (1, 0), at rest          y
///      pivot    1 m     1 kg                                |        gravity 13.75037163604074565498... along -y
///                                                           +-- x
///
/// q = (x, y) [m]; n = 2, m = 1: (x^2 + y^2 - 1) / 2 = 0, half of the example's row; lambda is the tension [N per m].
/// After 30 s = 15 periods the mass is back at (1, 0), at rest, with lambda = 0: the example prints its errors there,
/// e.g. 1.8e-6 in y at 1e-9 with projection and 1.7e-3 without. Energy 0 J, conserved.
/// Reference: exact at any time, pendulum_motion.hpp.
namespace sunlagrange::mechanisms {
namespace {

constexpr long double gravity = 13.750371636040745654980191559621114395801712L;  // [m/s^2]

Mechanism make(int) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0, 0.0, -static_cast<double>(gravity)}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = Eigen::Vector2d(1.0, 0.0);
  mechanism.t_end = 30.0;
  mechanism.reference = [](double t) { return std::optional(pendulum_motion(gravity, t)); };
  mechanism.reference_source = "exact, Jacobi elliptic functions";
  return mechanism;
}

}  // namespace

MechanismEntry make_cv_pendulum() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
