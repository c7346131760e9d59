// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Two flows in a constant ratio: lever, gear, rack and pinion, piston, ideal transformer. Coordinates: one
/// displacement of domain A, one of domain B.
///
///     g = q_B - ratio q_A - offset,     v_B = ratio v_A,   e_A = -ratio lambda,   e_B = lambda
///
/// e_A, e_B are the efforts it takes; e_A v_A + e_B v_B = 0: power passes. lambda is the effort that it takes from B.
/// When not: where the ratio changes: ModulatedTransformer; not where effort of the one belongs to flow of the other:
/// Gyrator.
template <BlockKind A, BlockKind B>
struct Transformer {
  double ratio = 1.0;
  double offset = 0.0;

  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, 2> blocks{A, B};

  void describe_parameters(Parameters& p) {
    p.finite("ratio", ratio, std::string(units_of(B).displacement) + " per " + units_of(A).displacement,
             "displacement of the second per displacement of the first coordinate");
    p.finite("offset", offset, units_of(B).displacement, "displacement of the second where that of the first is 0");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - ratio * q[0] - offset;
  }
};

using RackAndPinion = Transformer<BlockKind::rotation, BlockKind::translation>;      ///< ratio: pitch radius [m]
using Piston = Transformer<BlockKind::translation, BlockKind::hydraulic>;            ///< ratio: area [m^2]
using IdealTransformer = Transformer<BlockKind::electrical, BlockKind::electrical>;  ///< ratio: turns of A / turns of B
using RotaryPump = Transformer<BlockKind::rotation, BlockKind::hydraulic>;           ///< ratio: volume per radian [m^3]

/// A ratio that changes in proportion to the displacement of A.
struct ChangingRatio {
  static constexpr const char* type_name = "ChangingRatio";

  double start = 1.0;
  double slope = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("start", start, "", "where the first displacement is 0");
    p.finite("slope", slope, "", "per displacement of the first coordinate");
  }

  /// Ratio v_B / v_A at time t and displacement q_A of the first coordinate.
  template <class T>
  T operator()(const T&, const T& q_A) const {
    return start + slope * q_A;
  }
};

/// The same with a ratio that depends on time and on the displacement of A: continuously variable gear, pump of
/// variable displacement.
///
///     psi = v_B - ratio(t, q_A) v_A,     e_A = -ratio lambda,   e_B = lambda
///
/// In general not integrable, so that q_B is the integral of its flow. Power passes.
/// When not: for a ratio that is the derivative of a known q_B(q_A): as a holonomic row that would not drift.
template <BlockKind A = BlockKind::rotation, BlockKind B = BlockKind::rotation, class Ratio = ChangingRatio>
struct ModulatedTransformer {
  Ratio ratio{};

  static constexpr int num_positions = 2;
  static constexpr int num_velocity_constraints = 1;
  static constexpr std::array<BlockKind, 2> blocks{A, B};

  void describe_parameters(Parameters& p) { p.part("ratio", ratio, "second per first flow, of t, first displacement"); }

  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[1] - ratio(t, q[0]) * v[0];
  }
};

/// For a ratio of your own, a struct like ChangingRatio.
template <BlockKind A, BlockKind B, class Ratio>
ModulatedTransformer<A, B, Ratio> modulated_transformer(Ratio ratio) {
  return {ratio};
}

extern template struct internal::ElementType<RackAndPinion>;
extern template struct internal::ElementType<Piston>;
extern template struct internal::ElementType<IdealTransformer>;
extern template struct internal::ElementType<RotaryPump>;
extern template struct internal::ElementType<ModulatedTransformer<>>;

}  // namespace sunlagrange
