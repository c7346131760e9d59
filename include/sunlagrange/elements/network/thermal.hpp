// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A body that stores heat, with constant heat capacity. Coordinate: its entropy S [J/K], zero at the temperature T0.
///
/// Internal energy U = C T0 (exp(S/C) - 1) [J], effort: temperature T = dU/dS = T0 exp(S/C) [K]. No momentum, so the
/// coordinate has no mass: something must hold it, an EntropyNode or the row of a ThermalResistance.
/// When not: for heat capacities that change with temperature: write U(S) as an element with potential_energy.
struct ThermalCapacity {
  static constexpr const char* type_name = "ThermalCapacity";

  double C = 1.0;
  double T0 = 293.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::thermal};

  void describe_parameters(Parameters& p) {
    p.positive("C", C, "J/K", "heat capacity");
    p.positive("T0", T0, "K", "temperature at S = 0");
  }

  /// Temperature at entropy S [K].
  template <class T>
  T temperature(const T& S) const {
    using std::exp;
    return T0 * exp(S / C);
  }
  double entropy(double temperature) const { return C * std::log(temperature / T0); }  ///< S at a temperature [K]

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -temperature(q[0]);
  }
  double energy(double, View<const double> q, View<const double>) const { return C * (temperature(q[0]) - T0); }
};

/// Surroundings of constant temperature. Coordinate: the entropy S that they have taken [J/K].
///
/// Energy T S, effort T. Massless, as ThermalCapacity. When not: for a body that warms up.
struct ThermalReservoir {
  static constexpr const char* type_name = "ThermalReservoir";

  double T = 293.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::thermal};

  void describe_parameters(Parameters& p) { p.positive("T", T, "K", "temperature"); }

  /// Temperature at any entropy [K].
  template <class S>
  S temperature(const S&) const {
    return S(T);
  }
  template <class S>
  void applied_force(S, View<const S>, View<const S>, View<S> f) const {
    f[0] = S(-T);
  }
  double energy(double, View<const double> q, View<const double>) const { return T * q[0]; }
};

/// Conduction of heat between two bodies a and b. Coordinates: entropies S_a, S_b of the bodies, which are only read,
/// and the entropies s_a that has left a and s_b that has come to b through this path [J/K].
///
///     psi_a = T_a s_a' - H = 0,   psi_b = T_b s_b' - H = 0 [W],     heat flow H = (T_a(S_a) - T_b(S_b)) / R
///
/// Energy passes: T_a s_a' = T_b s_b'; entropy is made: s_b' - s_a' = H^2 R / (T_a T_b) >= 0. The bodies and the paths
/// meet in an EntropyNode each, signs: body -1, s_a -1 (leaves the node of a), s_b +1 (comes to the node of b). The
/// multipliers are then 1 and -1, and the node's own is its temperature.
/// When not: for the law of Fourier in a body with a temperature profile: divide it into several bodies.
template <class BodyA = ThermalCapacity, class BodyB = ThermalCapacity>
struct ThermalResistance {
  double R = 1.0;
  BodyA a{};
  BodyB b{};

  static constexpr int num_positions = 4;
  static constexpr int num_velocity_constraints = 2;
  static constexpr std::array<BlockKind, 4> blocks{BlockKind::thermal, BlockKind::thermal, BlockKind::thermal,
                                                   BlockKind::thermal};

  void describe_parameters(Parameters& p) {
    p.positive("R", R, "K/W", "difference of temperatures per heat flow");
    p.part("a", a, "law of temperature of body a, the same as in its element");
    p.part("b", b, "law of temperature of body b, the same as in its element");
  }

  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    const T T_a = a.temperature(q[0]);
    const T T_b = b.temperature(q[1]);
    const T heat = (T_a - T_b) / R;
    psi[0] = T_a * v[2] - heat;
    psi[1] = T_b * v[3] - heat;
  }

  std::vector<std::string> constraint_names() const { return {"a", "b"}; }
};

extern template struct internal::ElementType<ThermalCapacity>;
extern template struct internal::ElementType<ThermalReservoir>;
extern template struct internal::ElementType<ThermalResistance<>>;

}  // namespace sunlagrange
