#include "mechanisms/nikravesh_pendulum.hpp"

#include <cmath>

#include <sunlagrange/model/make_system.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
#include <sunlagrange/elements/planar/linear_damper.hpp>
#include <sunlagrange/elements/planar/linear_spring.hpp>
#include <sunlagrange/elements/planar/prismatic.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

namespace sunlagrange::mechanisms {

std::shared_ptr<const MechanicalSystem> nikravesh_pendulum() {
  const double pi = std::acos(-1.0);
  Assembly assembly;
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  const Block block = assembly.add_coordinates("block", BlockKind::planar_body);
  assembly.add("rod inertia", PlanarRigidBody{2.0, 0.04}, {rod});
  assembly.add("block inertia", PlanarRigidBody{1.0, 0.1}, {block});
  assembly.add("rod weight", UniformGravity{2.0, 0.0, -9.81}, {centre_of(rod)});
  assembly.add("block weight", UniformGravity{1.0, 0.0, -9.81}, {centre_of(block)});
  assembly.add("torsion spring", TorsionSpringToGround{6.0, 0.0}, {angle_of(rod)});
  assembly.add("spring", LinearSpring{20.0, 0.7, OnBody{}, OnGround{}}, {block});
  assembly.add("damper", LinearDamper{5.0, OnBody{}, OnGround{}}, {block});
  assembly.add("hinge", RevoluteToGround{0.0, 0.5, 0.0, 0.0}, {rod});
  // the guide points down the rod, where phi = 0 is straight down
  assembly.add("guide", Prismatic{0.0, 0.0, -0.5 * pi, 0.0, 0.0, 0.0}, {rod, block});
  return assembly.build();
}

}  // namespace sunlagrange::mechanisms
