// SPDX-License-Identifier: BSD-3-Clause
#include "results/weights.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {
namespace {

/// The masses of a block, by inertia and by weight.
struct Masses {
  double inertia = 0.0, weight = 0.0;
  std::string inertias, weights;  // names of the elements
  bool others = false;            // true: elements of other types give inertia, or may do so
};

template <class E>
const E* as(const ElementGroup& group, int position) {
  return group.type() == typeid(E) ? static_cast<const E*>(group.object(position)) : nullptr;
}

template <class Body>
double weight_of(const Body& body) {
  double field = std::abs(body.gx) + std::abs(body.gy);
  if constexpr (size_of(Body::blocks[0]) == 7 || Body::blocks[0] == BlockKind::spatial_point)
    field += std::abs(body.gz);
  return field * body.m;
}

/// The mass of a body is its inertia, and its weight as well where there is a field.
template <class... Bodies>
bool take_body(const ElementGroup& group, int position, const std::string& name, Masses& at) {
  const auto take = [&](const auto* body) {
    if (body == nullptr) return false;
    at.inertia += body->m;
    append_word(at.inertias, name);
    if (weight_of(*body) != 0.0) {
      at.weight += body->m;
      append_word(at.weights, name);
    }
    return true;
  };
  return (take(as<Bodies>(group, position)) || ...);
}

template <class... Types>
bool take_mass(const ElementGroup& group, int position, double& sum) {
  const auto take = [&](auto* element) {
    if (element != nullptr) sum += element->m;
    return element != nullptr;
  };
  return (take(as<Types>(group, position)) || ...);
}

}  // namespace

std::vector<WeightMismatch> mismatched_weights(const MechanicalSystem& system) {
  constexpr double rounding = 1e-12;
  constexpr unsigned gives_inertia = requirements::bit_of("mass_matrix") | requirements::bit_of("kinetic_energy");
  std::map<int, Masses> blocks;  // by the first coordinate
  for (int k = 0; k < system.num_elements(); ++k) {
    const auto [group, position] = system.element(k);
    const std::vector<int> coordinates = group->coordinates_of(position);
    Masses& at = blocks[coordinates.front()];
    if (take_body<PlanarBody, PlanarSolid, PlanarParticle, SpatialBody, SpatialSolid, SpatialParticle>(
            *group, position, system.element_name(k), at))
      continue;
    if (take_mass<PlanarRigidBody, PointMass, SpatialRigidBody, SpatialPointMass>(*group, position, at.inertia))
      append_word(at.inertias, system.element_name(k));
    else if (take_mass<UniformGravity, SpatialGravity>(*group, position, at.weight))
      append_word(at.weights, system.element_name(k));
    else if ((group->members() & gives_inertia) != 0 || group->members() == 0 || group->type() == typeid(BodyGravity)) {
      for (const int i : coordinates) blocks[i].others = true;
    }
  }
  std::vector<WeightMismatch> found;
  for (const auto& [first, at] : blocks) {
    if (at.weights.empty() || at.others) continue;
    const double difference =
        std::abs(at.weight - at.inertia) / std::max({std::abs(at.weight), std::abs(at.inertia), 1e-300});
    if (difference <= rounding) continue;
    found.push_back({"the weight of " + at.weights + " is that of " + text(at.weight) + " kg, " +
                         (at.inertias.empty() ? "but no inertia acts on its block"
                                              : "the inertia of " + at.inertias + " is " + text(at.inertia) + " kg"),
                     difference});
  }
  return found;
}

}  // namespace sunlagrange::internal
