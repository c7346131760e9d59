#include <sunlagrange/elements/planar/revolute.hpp>

#include "mechanisms/hanging_rods.hpp"
#include "mechanisms/mechanism.hpp"

/// Closed loop of N rods in maximal coordinates: a chain that hangs between two fixed pins.
///
///     ground O                       O ground     rod k: uniform, 1 m, 1 kg, I = 1/12 kg m^2
///             \                     /             coordinates: centre of mass and angle from the x axis
///              o                   o              gravity 9.81 m/s^2 along -y
///               \                 /
///                `o--o-- ... --o-'
///
/// Start: at rest on a curve that first falls and then rises, angle of rod k = -0.9 + 2.4 (k - 1/2) / N rad; the far
/// end is pinned where it then is. n = 3 N, m = 2 N + 2, N - 2 degrees of freedom: N = 3 is a four-bar, N = 2 a truss.
/// The standard case for loops in sparse linear algebra. No reference; energy is conserved.
namespace sunlagrange::mechanisms {
namespace {

Mechanism make(int size) {
  if (size < 3) throw Error("closed_chain: size = " + std::to_string(size) + ", needs at least 3 rods to move");
  Assembly assembly;
  Mechanism mechanism;
  const HangingRods rods(assembly, size);
  mechanism.start.q = rods.q;
  assembly.add("far pin", RevoluteToGround{0.5, 0.0, rods.end_x, rods.end_y}, {rods.last});
  mechanism.system = assembly.build();
  mechanism.t_end = 1.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_closed_chain() {
  return {make, 10};
}

}  // namespace sunlagrange::mechanisms
