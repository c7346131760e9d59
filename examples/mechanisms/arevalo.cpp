#include <cmath>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "mechanisms/mechanism.hpp"

/// Particle driven round a circle ever faster, benchmark "arevalo" of the solve_dae collection: the multiplier grows
/// with the square of time.
///
///              y
///              |  . o  1 kg       force (2 y, -2 x) [N, x and y in m]: along the circle, clockwise, 2 N
///              | /  1 m           start at t = 1 s on the exact motion
///              O ------ x
///
/// q = (x, y) [m]; n = 2, m = 1: (x^2 + y^2 - 1) / 2 = 0, half of the benchmark's row; lambda is the pull towards the
/// centre [N per m]. The benchmark's unknown is minus lambda, for it adds +q lambda to the forces.
/// Energy: kinetic, 2 t^2 J; power 2 (y x' - x y') = 4 t W. Default run: from 1 s to 5 s.
/// Reference: closed form at any time, x = sin t^2, y = cos t^2, lambda = 4 t^2.
namespace sunlagrange::mechanisms {
namespace {

/// The force (2 y, -2 x) on the point (x, y).
struct Whirl {
  static constexpr int num_positions = 2;

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = 2.0 * q[1];
    f[1] = -2.0 * q[0];
  }
};

ReferenceState exact_state(double t) {
  const double s = std::sin(t * t);
  const double c = std::cos(t * t);
  return {Eigen::Vector2d(s, c), Eigen::Vector2d(2.0 * t * c, -2.0 * t * s), Eigen::VectorXd::Constant(1, 4.0 * t * t)};
}

Mechanism make(int) {
  Assembly assembly;
  const Block particle = assembly.add_coordinates("particle", 2);
  assembly.add("mass", PointMass{1.0}, {particle});
  assembly.add("drive", Whirl{}, {particle});
  assembly.add("circle", DistanceToGround{0.0, 0.0, 1.0}, {particle});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start = {1.0, exact_state(1.0).q, exact_state(1.0).v};
  mechanism.t_end = 5.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "closed form at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_arevalo() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
