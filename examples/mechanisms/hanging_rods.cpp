#include "mechanisms/hanging_rods.hpp"

#include <cmath>

#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

namespace sunlagrange::mechanisms {

HangingRods::HangingRods(Assembly& assembly, int size) : q(3 * size) {
  for (int k = 0; k < size; ++k) {
    const std::string name = std::to_string(k + 1);
    const Block body = assembly.add_coordinates("rod " + name, BlockKind::planar_body);
    assembly.add("inertia " + name, PlanarRigidBody{1.0, 1.0 / 12.0}, {body});
    assembly.add("weight " + name, UniformGravity{1.0, 0.0, -9.81}, {centre_of(body)});
    if (k == 0)
      assembly.add("pin 1", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {body});
    else
      assembly.add("pin " + name, Revolute{0.5, 0.0, -0.5, 0.0}, {last, body});
    const double angle = -0.9 + 2.4 * (k + 0.5) / size;
    q.segment<3>(3 * k) << end_x + 0.5 * std::cos(angle), end_y + 0.5 * std::sin(angle), angle;
    end_x += std::cos(angle);
    end_y += std::sin(angle);
    last = body;
  }
}

}  // namespace sunlagrange::mechanisms
