// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/model/make_system.hpp>

#include "files/codecs.hpp"
#include "files/laws.hpp"

/// The types of one name of the catalogue. A template, e.g. LinearSpring<>, stands for every end that fits and every
/// law that a file can name. Its default arguments state the kind of each argument.
namespace sunlagrange::internal {

template <class...>
struct List {};
template <class... A, class... B>
List<A..., B...> joined_lists(List<A...>, List<B...>) {
  return {};
}

/// The choices for a template argument, in files and in systems that are written.
template <class Argument, bool points>
struct Choices {
  using Read = List<Argument>;
  using Written = List<>;  // in addition, for systems that are written
};

template <bool points>
struct Choices<AtPoint, points> {
  using Read = List<AtPoint, OnBody, OnGround>;
  using Written = List<>;
};
template <bool points>
struct Choices<OnBody, points> {
  using Read = List<OnBody, AtPoint, OnGround>;
  using Written = List<>;
};
template <bool points>
struct Choices<OnGround, points> {
  using Read = List<OnGround, OnBody, AtPoint>;
  using Written = List<>;
};
template <bool points>
struct Choices<BodyEnd, points> {
  using Read = std::conditional_t<points, List<BodyEnd, GroundEnd, PointEnd>, List<BodyEnd, GroundEnd>>;
  using Written = List<>;
};
template <bool points>
struct Choices<ThermalCapacity, points> {
  using Read = List<ThermalCapacity, ThermalReservoir>;
  using Written = List<>;
};

template <class Law>
struct Held;
template <class... Laws>
struct Held<OneOf<Laws...>> {
  using Types = List<Laws...>;
};

/// The law that a file chooses, and its choices.
template <class Law>
struct LawChoices {
  using Read = List<Law>;
  using Written = typename Held<Law>::Types;
};
struct TimeLawChoices {
  using Read = List<FileTimeLaw>;
  using Written = decltype(joined_lists(Held<FileTimeLaw>::Types{}, List<TimeLaw>{}));
};
template <bool points>
struct Choices<Harmonic, points> : TimeLawChoices {};
template <bool points>
struct Choices<Uniform, points> : TimeLawChoices {};
template <bool points>
struct Choices<ConstantEffort, points> : LawChoices<EffortLaw> {};
template <bool points>
struct Choices<ConstantForce, points> : LawChoices<PlanarForceLaw> {};
template <bool points>
struct Choices<CircularPath, points> : LawChoices<PathLaw> {};
template <bool points>
struct Choices<ConstantVector, points> : LawChoices<SpatialForceLaw> {};
template <bool points>
struct Choices<Parabola, points> {
  using Read = List<AnyCurve>;
  using Written = List<Parabola, Circle, StraightLine>;
};

/// Spatial elements that do not use the axes of their ends take points as well.
template <template <class...> class Element>
constexpr bool takes_points = false;
template <>
inline constexpr bool takes_points<SpatialSpherical> = true;
template <>
inline constexpr bool takes_points<SpatialDistance> = true;
template <>
inline constexpr bool takes_points<SpatialSpringDamper> = true;
template <>
inline constexpr bool takes_points<SpatialAppliedForce> = true;
template <>
inline constexpr bool takes_points<SpatialPrescribedPoint> = true;
template <>
inline constexpr bool takes_points<SpatialPrescribedVelocity> = true;

template <class Argument>
constexpr bool is_end = std::is_same_v<Argument, AtPoint> || std::is_same_v<Argument, OnBody> ||
                        std::is_same_v<Argument, BodyEnd> || std::is_same_v<Argument, PointEnd>;
template <class Argument>
constexpr bool is_ground = std::is_same_v<Argument, OnGround> || std::is_same_v<Argument, GroundEnd>;

/// An element must not be fastened to the ground alone.
template <class... Arguments>
constexpr bool has_coordinates = !(is_ground<Arguments> || ...) || (is_end<Arguments> || ...);

/// True for arguments that a template takes: not the ground alone, no curve drawn on a point.
template <template <class...> class Element, class... Arguments>
constexpr bool fits = has_coordinates<Arguments...>;
template <class Curve, class Pin>
inline constexpr bool fits<PinOnCurve, Curve, Pin, AtPoint> = false;

template <class>
struct Type {};

/// Calls use(Type<E>) for all elements that a template makes of all choices of its arguments.
template <template <class...> class Element, class... Chosen, class Use>
void for_each_choice(List<Chosen...>, const Use& use) {
  if constexpr (fits<Element, Chosen...>) use(Type<Element<Chosen...>>{});
}
template <template <class...> class Element, class... Chosen, class... First, class... Rest, class Use>
void for_each_choice(List<Chosen...>, const Use& use, List<First...>, Rest... rest) {
  (for_each_choice<Element>(List<Chosen..., First>{}, use, rest...), ...);
}

template <class Choice>
using WrittenChoices = decltype(joined_lists(typename Choice::Read{}, typename Choice::Written{}));

/// The types of an entry of the catalogue.
template <class E>
struct Variants {
  template <class Use>
  static void read(const Use& use) {
    use(Type<E>{});
  }
  template <class Use>
  static void written(const Use& use) {
    use(Type<E>{});
  }
};
template <template <class...> class Element, class... Arguments>
struct Variants<Element<Arguments...>> {
  template <class Use>
  static void read(const Use& use) {
    for_each_choice<Element>(List<>{}, use, typename Choices<Arguments, takes_points<Element>>::Read{}...);
  }
  template <class Use>
  static void written(const Use& use) {
    for_each_choice<Element>(List<>{}, use, WrittenChoices<Choices<Arguments, takes_points<Element>>>{}...);
  }
};
template <template <BlockKind, class> class Element, BlockKind kind, class Argument>
struct Variants<Element<kind, Argument>> {
  template <class Use, class... Laws>
  static void of(const Use& use, List<Laws...>) {
    (use(Type<Element<kind, Laws>>{}), ...);
  }
  template <class Use>
  static void read(const Use& use) {
    of(use, typename Choices<Argument, false>::Read{});
  }
  template <class Use>
  static void written(const Use& use) {
    of(use, WrittenChoices<Choices<Argument, false>>{});
  }
};
/// Junctions have as many branches as blocks, up to eight.
template <template <BlockKind, std::size_t> class Element, BlockKind kind, std::size_t size>
struct Variants<Element<kind, size>> {
  template <class Use>
  static void read(const Use& use) {
    use(Type<Element<kind, size>>{});
    use(Type<Element<kind, 2>>{});
    use(Type<Element<kind, 4>>{});
    use(Type<Element<kind, 5>>{});
    use(Type<Element<kind, 6>>{});
    use(Type<Element<kind, 7>>{});
    use(Type<Element<kind, 8>>{});
  }
  template <class Use>
  static void written(const Use& use) {
    read(use);
  }
};

template <class E>
using WeightOf = decltype(std::declval<const E&>().weight());
template <class E>
using BodyOf = decltype(std::declval<const E&>().body());
template <class E>
using VolumeOf = decltype(std::declval<const E&>().volume());

/// True for elements that are inertia and weight in one.
template <class E>
constexpr bool is_body = Capabilities<E>::has_mass &&
                         (requirements::detected<WeightOf, E> || requirements::detected<BodyOf, E>);

template <class E>
void add_read(Codecs& list, const std::string& name, Type<E>) {
  static_assert(Parameters::describes<E>, "sunlagrange: an element of the catalogue describes its parameters");
  list.read.push_back({name, requirements::block_kinds<E>(), Capabilities<E>::num_positions, parameters_of(E{}),
                       [](Assembly& assembly, const std::string& element, const std::vector<Block>& blocks,
                          Parameters& read, const std::function<void()>& when_read) {
                         E fresh{};
                         fresh.describe_parameters(read);
                         when_read();
                         assembly.add(element, std::move(fresh), blocks);
                       }});
  if constexpr (is_body<E>) {
    list.read.back().add_body = [](Assembly& assembly, const std::string& body, Parameters& read,
                                   const std::function<void()>& when_read) {
      E fresh{};
      fresh.describe_parameters(read);
      when_read();
      return assembly.body(body, std::move(fresh));
    };
    if constexpr (requirements::detected<VolumeOf, E>) {
      list.read.back().volume = [](Parameters& read) {
        E fresh{};
        fresh.describe_parameters(read);
        return fresh.volume();
      };
    }
  }
}

template <class E>
void add_written(Codecs& list, const std::string& name, Type<E>) {
  list.written.try_emplace(
      typeid(E), WrittenType{name, requirements::block_kinds<E>(), [](const void* element, Parameters& visitor) {
                               E copy = *static_cast<const E*>(element);
                               copy.describe_parameters(visitor);
                             }});
}

template <class E>
void add_codecs(Codecs& list, std::string_view type) {
  const std::string name(type.substr(0, type.find('<')));
  Variants<E>::read([&](auto variant) { add_read(list, name, variant); });
  Variants<E>::written([&](auto variant) { add_written(list, name, variant); });
}

/// The entries of the catalogue whose headers are in a folder: d, its first letter.
template <char d>
void add_domain(Codecs& list) {
#define ELEMENT(type, file, summary) \
  if constexpr (#file[0] == d) add_codecs<type>(list, #type);
#include <sunlagrange/elements/elements.inc>
#undef ELEMENT
}

}  // namespace sunlagrange::internal
