#include <cmath>

#include <sunlagrange/model/elements/revolute.hpp>
#include <sunlagrange/model/elements/rigid_body.hpp>
#include <sunlagrange/model/elements/uniform_gravity.hpp>

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
  mechanism.start.q.resize(3 * size);
  double x = 0.0;  // of the pin at the near end of the rod
  double y = 0.0;
  Block previous;
  for (int k = 0; k < size; ++k) {
    const std::string name = std::to_string(k + 1);
    const Block body = assembly.add_coordinates("rod " + name, 3);
    assembly.add("inertia " + name, PlanarRigidBody{1.0, 1.0 / 12.0}, {body});
    assembly.add("weight " + name, UniformGravity{1.0, 0.0, -9.81}, {centre_of(body)});
    if (k == 0)
      assembly.add("pin 1", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {body});
    else
      assembly.add("pin " + name, Revolute{0.5, 0.0, -0.5, 0.0}, {previous, body});
    const double angle = -0.9 + 2.4 * (k + 0.5) / size;
    mechanism.start.q.segment<3>(3 * k) << x + 0.5 * std::cos(angle), y + 0.5 * std::sin(angle), angle;
    x += std::cos(angle);
    y += std::sin(angle);
    previous = body;
  }
  mechanism.system = assembly.build();
  mechanism.t_end = 1.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_chain() {
  return {"", "", true, 10, make};
}

}  // namespace sunlagrange::mechanisms
