// SPDX-License-Identifier: BSD-3-Clause
#include "results/weights.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Core>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {
namespace {

/// The weights of a block along one direction.
struct Weight {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  double field = 0.0;    // largest acceleration of its elements
  std::string elements;  // names

  double mass() const { return force.norm() / field; }
};

/// The inertia of a block and its weights.
struct Masses {
  double inertia = 0.0;
  std::string inertias;  // names of the elements
  std::vector<Weight> weights;
  bool others = false;  // true: elements of other types give inertia, or may do so
};

/// Cosine of the angle between two vectors that are not zero.
double cosine(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return a.dot(b) / (a.norm() * b.norm());
}

constexpr double parallel = 1.0 - 1e-12;  // cosine of directions that are one to rounding

template <class E>
const E* as(const ElementGroup& group, int position) {
  return group.type() == typeid(E) ? static_cast<const E*>(group.object(position)) : nullptr;
}

template <class Element>
Eigen::Vector3d field_of(const Element& element) {
  if constexpr (size_of(Element::blocks[0]) == 7 || Element::blocks[0] == BlockKind::spatial_point)
    return {element.gx, element.gy, element.gz};
  else
    return {element.gx, element.gy, 0.0};
}

/// Adds m times the field to the weights along its direction. A mass without a field has no weight.
template <class Element>
void add_weight(const Element& element, const std::string& name, std::vector<Weight>& weights) {
  const Eigen::Vector3d field = field_of(element), force = element.m * field;
  if (!(force.norm() > 0.0)) return;
  auto along = std::find_if(weights.begin(), weights.end(),
                            [&](const Weight& weight) { return cosine(weight.force, force) > parallel; });
  if (along == weights.end()) along = weights.emplace(along);
  along->force += force;
  along->field = std::max(along->field, field.norm());
  append_word(along->elements, name);
}

/// The mass of a body is its inertia, and its weight as well where there is a field.
template <class... Bodies>
bool take_body(const ElementGroup& group, int position, const std::string& name, Masses& at) {
  const auto take = [&](const auto* body) {
    if (body == nullptr) return false;
    at.inertia += body->m;
    append_word(at.inertias, name);
    add_weight(*body, name, at.weights);
    return true;
  };
  return (take(as<Bodies>(group, position)) || ...);
}

template <class... Types>
bool take_weight(const ElementGroup& group, int position, const std::string& name, Masses& at) {
  const auto take = [&](const auto* element) {
    if (element != nullptr) add_weight(*element, name, at.weights);
    return element != nullptr;
  };
  return (take(as<Types>(group, position)) || ...);
}

template <class... Types>
bool take_mass(const ElementGroup& group, int position, double& sum) {
  const auto take = [&](auto* element) {
    if (element != nullptr) sum += element->m;
    return element != nullptr;
  };
  return (take(as<Types>(group, position)) || ...);
}

/// True if a larger weight acts against this one: this is buoyancy, a force of its own.
bool is_buoyancy(const Weight& weight, const std::vector<Weight>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Weight& other) {
    return cosine(weight.force, other.force) < -parallel && other.force.norm() > weight.force.norm();
  });
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
    else if (!take_weight<UniformGravity, SpatialGravity>(*group, position, system.element_name(k), at) &&
             ((group->members() & gives_inertia) != 0 || group->members() == 0 ||
              group->type() == typeid(BodyGravity))) {
      for (const int i : coordinates) blocks[i].others = true;
    }
  }
  std::vector<WeightMismatch> found;
  for (const auto& [first, at] : blocks) {
    if (at.others) continue;
    for (const Weight& weight : at.weights) {
      const double mass = weight.mass();
      const double difference = std::abs(mass - at.inertia) / std::max({mass, std::abs(at.inertia), 1e-300});
      if (difference <= rounding || is_buoyancy(weight, at.weights)) continue;
      found.push_back({"the weight of " + weight.elements + " is that of " + text(mass) + " kg, " +
                           (at.inertias.empty() ? "but no inertia acts on its block"
                                                : "the inertia of " + at.inertias + " is " + text(at.inertia) + " kg"),
                       difference});
    }
  }
  return found;
}

}  // namespace sunlagrange::internal
