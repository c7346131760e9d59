// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/coordinate/inertia.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Inertia of a flow, in the domains that have a momentum: CoordinateInertia with the name of its domain.
/// Coordinate: one displacement.
///
/// Momentum p = inertia v, kinetic energy inertia v^2 / 2, effort e = inertia v': it resists changes of the flow. There
/// is no thermal momentum. Flywheel and SlidingMass are the same law for angles and lengths. When not: for an inductor
/// whose iron saturates: write its kinetic energy as an element of your own.
using Inductor = CoordinateInertia<BlockKind::electrical>;  ///< inductance [H]: u = L i'
using HydraulicInertance =
    CoordinateInertia<BlockKind::hydraulic>;                     ///< [Pa s^2/m^3] = density x length / area of a pipe
using EconomicInertia = CoordinateInertia<BlockKind::economic>;  ///< capital per capacity m: funds w = m v

extern template struct internal::ElementType<Inductor>;
extern template struct internal::ElementType<HydraulicInertance>;
extern template struct internal::ElementType<EconomicInertia>;

}  // namespace sunlagrange
