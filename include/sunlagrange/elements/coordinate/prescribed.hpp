// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A coordinate that follows a given function of time. Acts on one coordinate of any kind: coordinate_of(block, i),
/// angle_of(body), a translation, rotation, charge, ...
///
/// g = q - law(t), in the unit of the coordinate (rheonomic). The drive exerts the force (torque, voltage) -lambda on
/// it, and so feeds the power -lambda law'(t) into the system. `law` is any callable for every scalar type, see
/// laws.hpp: PrescribedCoordinate{[](auto t) { return 0.1 * t * t; }}.
/// When not: if only the rate is given and the position may drift with the start: PrescribedRate. When not: for a drive
/// whose force is limited: that is an applied force.
template <class Law = Harmonic>
struct PrescribedCoordinate {
  Law law{};

  static constexpr int num_positions = 1;
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.part("law", law, "the coordinate as a function of t", Prescribed::coordinate);
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    g[0] = q[0] - law(t);
  }
};

template <class Law>
PrescribedCoordinate(Law) -> PrescribedCoordinate<Law>;

/// The difference of two coordinates of one kind follows a function of time: a motor between two bodies, whose relative
/// angle is given. Coordinates: (q1, q2), e.g. angle_of(stator), angle_of(rotor).
///
/// g = q2 - q1 - law(t). q2 receives -lambda, q1 receives +lambda; power fed in: -lambda law'(t).
/// When not: for coordinates of different units.
template <class Law = Harmonic>
struct PrescribedDifference {
  Law law{};

  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.part("law", law, "the difference as a function of t", Prescribed::coordinate);
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    g[0] = q[1] - q[0] - law(t);
  }
};

template <class Law>
PrescribedDifference(Law) -> PrescribedDifference<Law>;

/// The rate of a coordinate follows a function of time; its position is where the start left it.
///
/// psi = q' - law(t), a row on velocity level. The drive exerts -lambda, power fed in: -lambda law(t).
/// When not: if the position matters: integration errors of q add up, no projection brings them back; then prescribe
/// the position, PrescribedCoordinate.
template <class Law = Harmonic>
struct PrescribedRate {
  Law law{};

  static constexpr int num_positions = 1;
  static constexpr int num_velocity_constraints = 1;

  void describe_parameters(Parameters& p) { p.part("law", law, "the rate as a function of t", Prescribed::rate); }

  template <class T>
  void velocity_constraint(T t, View<const T>, View<const T> v, View<T> psi) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    psi[0] = v[0] - law(t);
  }
};

template <class Law>
PrescribedRate(Law) -> PrescribedRate<Law>;

extern template struct internal::ElementType<PrescribedCoordinate<>>;
extern template struct internal::ElementType<PrescribedDifference<>>;
extern template struct internal::ElementType<PrescribedRate<>>;

}  // namespace sunlagrange
