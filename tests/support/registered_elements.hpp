// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>

#include <sunlagrange/elements.hpp>

#include "element_laws.hpp"

/// The catalogue as a list of types, and more sets of parameters than the defaults where they make a difference.
namespace sunlagrange::test {

template <class E>
struct Registered {
  using type = E;
  const char* name;
};

/// Calls use(Registered<E>) for every line of elements.inc.
template <class Use>
void for_each_registered(Use&& use) {
#define ELEMENT(type, file, summary) use(Registered<type>{#type});
#include <sunlagrange/elements/elements.inc>
#undef ELEMENT
}

enum class Family { planar, spatial, other };

/// By the blocks: decides in which test an element is compiled.
template <class E>
constexpr Family family_of() {
  if constexpr (!internal::requirements::declares_blocks<E>) {
    return Family::other;
  } else {
    bool planar = true;
    bool spatial = true;
    for (const BlockKind kind : E::blocks) {
      planar = planar && (kind == BlockKind::planar_point || kind == BlockKind::planar_body);
      spatial = spatial && (kind == BlockKind::spatial_point || kind == BlockKind::spatial_body);
    }
    return planar ? Family::planar : spatial ? Family::spatial : Family::other;
  }
}

/// By the name of the element. The list is checked both ways: rigid motions must change exactly what refers to the
/// ground.
inline Frame frame_of(const std::string& name) {
  if (name.rfind("SurfaceContact", 0) == 0) return Frame::one_side;
  if (name == "UniformRodToGround") return Frame::indifferent;  // inertia knows no place
  for (const char* part :
       {"Ground", "Gravity", "Applied", "Prescribed", "RollingDisc", "PinOnCurve<>", "SpatialSkate"}) {
    if (name.find(part) != std::string::npos) return Frame::ground;
  }
  return Frame::internal;
}

template <class E>
struct Type {};

/// Checks all registered elements of a family with their defaults, and those that more(Type<E>, visit) hands on to
/// visit(description, element, frame).
template <Family family, class Variants>
void check_family(Variants&& more) {
  int count = 0;
  for_each_registered([&](auto entry) {
    using E = typename decltype(entry)::type;
    if constexpr (family_of<E>() == family) {
      static_assert(std::is_default_constructible_v<E>, "registered elements have defaults for all parameters");
      const std::string name = entry.name;
      check_laws(make_case(name, E{}, frame_of(name)));
      more(Type<E>{}, [&](const std::string& what, const auto& element, Frame frame) {
        check_laws(make_case(name + ", " + what, element, frame));
      });
      ++count;
    }
  });
  BOOST_TEST(count > 0);
}

}  // namespace sunlagrange::test
