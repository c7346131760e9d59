// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/model/block_kind.hpp>

/// Unified variables of systems of different physical nature [003, table] (documentation only). Every domain has the
/// same four quantities, so that one Assembly may mix domains and Lagrange's equations hold in all of them:
///
///     effort x flow = power,   momentum = integral of effort,   displacement = integral of flow   [003, (1.1)-(1.3)]
///
/// | domain (BlockKind) | effort e | flow f = v | displacement q | momentum p |
/// |---|---|---|---|---|
/// | translation | force [N] | velocity [m/s] | position [m] | momentum [N s] |
/// | rotation | torque [N m] | angular velocity [rad/s] | angle [rad] | angular momentum [N m s] |
/// | electrical | voltage [V] | current [A] | charge [C] | flux linkage [V s] |
/// | hydraulic | pressure [Pa] | volume flow [m^3/s] | volume [m^3] | pressure momentum [Pa s] |
/// | thermal | temperature [K] | entropy flow [W/K] | entropy [J/K] | there is none |
/// | economic | investment w' [funds per time] | capacity [goods per time] | output [goods] | funds w = m v |
///
/// Kinetic energy is a function of momentum (inertia, inductor, inertance), potential energy one of displacement
/// (spring, capacitor, accumulator, body that stores heat). The column of flows is v, the column of displacements q of
/// notation.hpp; the effort that an element takes is M_e a - f_e + G_e^T lambda, see power_balance.hpp.
///
/// The source prints "capital intensity at the moment" and "change of funds" as effort and momentum of the economic
/// row; its own (1.2) would then make w' = m. Read as mechanics of variable mass m (capital per capacity) the row is as
/// above.
///
/// Units are the user's choice in each domain. Error tolerances count in natural scales of the displacements
/// (natural_scale(Domain)), which suppose SI units: 1 m, 1 rad, 1 J/K, but 1e-3 m^3 and 1e-3 C. A model in litres needs
/// Assembly::set_natural_scale(block, 1.0).
namespace sunlagrange {}
