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

/// A coupling in which the flow of each side is the effort of the other, e.g. of a coil and the motion of its armature.
/// Coordinates: one displacement of domain A, one of domain B.
///
///     e_A = k v_B,   e_B = -k v_A     efforts that it takes: the force on q_A is -k v_B, that on q_B is +k v_A
///
/// e_A v_A + e_B v_B = 0: power passes, nothing is kept or lost, which is why the two constants of a motor are one.
/// Resistance, inductance and inertia of the machine are elements of their own.
/// When not: for machines with saturation or reluctance torque: write their magnetic energy as an element of your own.
template <BlockKind A, BlockKind B>
struct Gyrator {
  double k = 1.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{A, B};

  void describe_parameters(Parameters& p) {
    p.finite("k", k, std::string(units_of(A).effort) + " per " + units_of(B).flow,
             "effort of the first per flow of the second coordinate, and the other way round");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[0] = -k * v[1];
    f[1] = k * v[0];
  }
};

using DcMotor = Gyrator<BlockKind::electrical, BlockKind::rotation>;             ///< k [N m/A = V s]: torque, back-emf
using LoudspeakerCoil = Gyrator<BlockKind::electrical, BlockKind::translation>;  ///< k = B l [N/A = V s/m]

extern template struct internal::ElementType<DcMotor>;
extern template struct internal::ElementType<LoudspeakerCoil>;

}  // namespace sunlagrange
