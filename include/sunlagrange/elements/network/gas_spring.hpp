// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Enclosed gas, the source of a pneumatic drive: a bladder accumulator, the chamber behind a piston. Coordinate: the
/// volume V that has been pushed into it [m^3], 0 <= V < V0.
///
/// Polytropic law (p + ambient) (V0 - V)^exponent = (p0 + ambient) V0^exponent: effort p(V), gauge pressure [Pa];
/// stored energy, the work against gas and surroundings. exponent 1: slow (isothermal), 1.4: fast (air without exchange
/// of heat). Beyond V0 the point is declined. When not: for leaking or heated gas; for small strokes
/// HydraulicAccumulator is the same with C = V0 / (exponent (p0 + ambient)).
struct GasSpring {
  double p0 = 1.0;
  double V0 = 10.0;
  double exponent = 1.4;
  double ambient = 0.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::hydraulic};

  void describe_parameters(Parameters& p) {
    p.finite("p0", p0, "Pa", "gauge pressure at V = 0");
    p.positive("V0", V0, "m^3", "gas volume at V = 0");
    p.finite("exponent", exponent, "1", "polytropic, at least 1");
    p.finite("ambient", ambient, "Pa", "pressure of the surroundings; p0 + ambient is positive");
    p.require(p0 + ambient > 0.0, "p0 + ambient must be positive: the gas has a pressure");
    p.require(exponent >= 1.0, "exponent must be at least 1: isothermal");
  }

  template <class T>
  bool applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    using std::pow;
    const T left = 1.0 - q[0] / V0;
    if (!(left > 0.0)) return false;
    f[0] = ambient - (p0 + ambient) * pow(left, -exponent);
    return true;
  }

  double energy(double, View<const double> q, View<const double>) const {
    const double left = 1.0 - q[0] / V0;
    const double work = exponent == 1.0 ? -std::log(left) : (std::pow(left, 1.0 - exponent) - 1.0) / (exponent - 1.0);
    return (p0 + ambient) * V0 * work - ambient * q[0];
  }
};

extern template struct internal::ElementType<GasSpring>;

}  // namespace sunlagrange
