#pragma once

#include <sunlagrange/model/block_kind.hpp>

/// Unified variables of systems of different physical nature [003, table] (documentation only). Every domain has the
/// same four quantities, so that one Assembly may mix them and Lagrange's equations hold for all of them:
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
/// | economic | capital intensity at the moment [money] | capacity of the enterprise | output | change of funds |
///
/// Kinetic energy is a function of momentum (inertia, inductor, inertance), potential energy one of displacement
/// (spring, capacitor, accumulator, body that stores heat). The column of flows is v, the column of displacements q of
/// notation.hpp; the effort that an element takes is M_e a - f_e + G_e^T lambda, see power_balance.hpp.
///
/// The economic row is as the source has it. Effort x flow is counted there as power is in the other rows; what it
/// balances is up to the model.
///
/// Units are the user's choice in each domain; mixed models work best when all coordinates are of similar size, e.g.
/// litres and bar in place of m^3 and Pa: error tolerances are the same number for all of them.
namespace sunlagrange {}
