#include "mechanisms/hanging_rods.hpp"
#include "mechanisms/mechanism.hpp"

/// Planar chain of N rods in maximal coordinates: three per rod, although N angles would do.
///
///     ground  O                                   rod k: uniform, 1 m, 1 kg, I = 1/12 kg m^2
///              \                      o  free end coordinates: centre of mass and angle from the x axis
///               o                    /            joints: pins, two rows each; rod 1 hangs on the ground at (0, 0)
///                 \                o              gravity 9.81 m/s^2 along -y
///                   o            /
///                      `o--o--'
///
/// Start: at rest on a curve that first falls and then rises, angle of rod k = -0.9 + 2.4 (k - 1/2) / N rad.
/// n = 3 N, m = 2 N: the standard case for sparse linear algebra. No reference: the motion of many links is chaotic
/// after a few seconds; judge by the energy and by comparing tolerances.
namespace sunlagrange::mechanisms {
namespace {

Mechanism make(int size) {
  if (size < 1) throw Error("chain: size = " + std::to_string(size) + ", needs at least 1 rod");
  Assembly assembly;
  Mechanism mechanism;
  const HangingRods rods(assembly, size);
  mechanism.start.q = rods.q;
  mechanism.system = assembly.build();
  mechanism.t_end = 1.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_chain() {
  return {make, 10};
}

}  // namespace sunlagrange::mechanisms
