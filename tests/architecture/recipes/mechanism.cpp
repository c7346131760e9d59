// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <sunlagrange/elements/coordinate/recipe_element.hpp>
#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "mechanisms/mechanism.hpp"

/// Template of a mechanism: a point mass on a circle with a spring in x.
///
///          o bob, 1 kg        gravity none; spring 4 N/m along x, rest at x = 0
///         /  1 m
///        O
namespace sunlagrange::mechanisms {
namespace {

Mechanism make(int) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("spring", RecipeElement{4.0, 0.0}, {coordinate_of(bob, 0)});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = Eigen::Vector2d(0.6, 0.8);
  mechanism.t_end = 1.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_recipe_mechanism() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
