#include "files/notes_on_weights.hpp"

#include <cmath>
#include <map>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {
namespace {

/// The masses of a block, by inertia and by weight.
struct Masses {
  double inertia = 0.0, weight = 0.0;
  std::string inertias, weights;  // names of the elements
  bool others = false;            // true: elements of other types give inertia as well
};

template <class E>
const E* as(const ElementGroup& group, int position) {
  return group.type() == typeid(E) ? static_cast<const E*>(group.object(position)) : nullptr;
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

std::vector<std::string> notes_on_weights(const MechanicalSystem& system) {
  constexpr double rounding = 1e-12;
  std::map<int, Masses> blocks;  // by the first coordinate
  for (int k = 0; k < system.num_elements(); ++k) {
    const auto [group, position] = system.element(k);
    Masses& at = blocks[group->coordinates_of(position).front()];
    if (take_mass<PlanarRigidBody, PointMass, SpatialRigidBody, SpatialPointMass>(*group, position, at.inertia))
      append_word(at.inertias, system.element_name(k));
    else if (take_mass<UniformGravity, SpatialGravity>(*group, position, at.weight))
      append_word(at.weights, system.element_name(k));
    else
      at.others = at.others || group->type() == typeid(BodyGravity) || group->type() == typeid(EccentricBody);
  }
  std::vector<std::string> notes;
  for (const auto& [first, at] : blocks) {
    if (at.inertias.empty() || at.weights.empty() || at.others) continue;
    if (std::abs(at.weight - at.inertia) <= rounding * std::abs(at.inertia)) continue;
    notes.push_back("the weight of " + at.weights + " is that of " + text(at.weight) + " kg, the inertia of " +
                    at.inertias + " is " + text(at.inertia) + " kg");
  }
  return notes;
}

}  // namespace sunlagrange::internal
