// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/requirements.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Dry friction between two coordinates of one kind, Coulomb's law made smooth. Coordinates: (q1, q2).
///
/// q2 receives -F tanh(u / v_r) with u = q2' - q1', q1 the opposite; it dissipates F u tanh(u / v_r) [W]. F is what
/// slides: mu N of a slider, mu N r of a bearing of radius r. Beyond 3 v_r the law is Coulomb's to half a per cent.
///
/// Inside it is a damper F / v_r: nothing sticks, a load L < F creeps with v_r artanh(L / F), 0.55 v_r at half of F.
/// Choose v_r a hundredth to a thousandth of the velocities that matter; the rate F / (m v_r) of a mass m is what an
/// explicit integrator must resolve; cvode_bdf, ida and radau need not.
/// When not: for friction that holds without slip (a brake: switch a constraint on by an event), nor for a normal force
/// that follows from joint forces, which elements do not know.
template <BlockKind Kind>
struct CoordinateFriction {
  double F = 1.0;
  double v_r = 1e-3;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{Kind, Kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("F", F, units_of(Kind).effort, "friction while it slides");
    p.positive("v_r", v_r, units_of(Kind).flow, "rate below which it is smoothed", "Coulomb's law itself jumps");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    using std::tanh;
    f[0] = F * tanh((v[1] - v[0]) * (1.0 / v_r));
    f[1] = -f[0];
  }

  void not_smooth(double, View<const double>, View<const double> v, NotSmooth& n) const {
    n.friction(v[1] - v[0], v_r, F > 0.0);
  }

  /// Sliding velocities have no derivative to be found.
  LocalSparsity sparsity() const { return {{}, {}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}; }
};

/// Dry friction between one coordinate and the ground: force -F tanh(q' / v_r). Otherwise as CoordinateFriction.
template <BlockKind Kind>
struct CoordinateFrictionToGround {
  double F = 1.0;
  double v_r = 1e-3;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{Kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("F", F, units_of(Kind).effort, "friction while it slides");
    p.positive("v_r", v_r, units_of(Kind).flow, "rate below which it is smoothed", "Coulomb's law itself jumps");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    using std::tanh;
    f[0] = -F * tanh(v[0] * (1.0 / v_r));
  }

  void not_smooth(double, View<const double>, View<const double> v, NotSmooth& n) const {
    n.friction(v[0], v_r, F > 0.0);
  }

  LocalSparsity sparsity() const { return {{}, {}, {{0, 0}}}; }
};

/// Dry friction of angles (F in N m, v_r in rad/s) and of lengths (F in N, v_r in m/s).
using RotationalFriction = CoordinateFriction<BlockKind::rotation>;
using RotationalFrictionToGround = CoordinateFrictionToGround<BlockKind::rotation>;
using AxialFriction = CoordinateFriction<BlockKind::translation>;
using AxialFrictionToGround = CoordinateFrictionToGround<BlockKind::translation>;

extern template struct internal::ElementType<RotationalFriction>;
extern template struct internal::ElementType<RotationalFrictionToGround>;
extern template struct internal::ElementType<AxialFriction>;
extern template struct internal::ElementType<AxialFrictionToGround>;

}  // namespace sunlagrange
