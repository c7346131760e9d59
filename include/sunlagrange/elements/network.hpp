// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Electrical, hydraulic, thermal and economic elements, and their couplings to mechanisms. Their variables are the
/// unified set of [003, (1.1)-(1.3) and table]: power = effort x flow, displacement = integral of the flow, momentum =
/// integral of the effort.
///
/// | domain | effort e | flow f | displacement q | momentum p |
/// |---|---|---|---|---|
/// | translation | force [N] | velocity [m/s] | length [m] | momentum [N s] |
/// | rotation | torque [N m] | angular velocity [rad/s] | angle [rad] | angular momentum [N m s] |
/// | electrical | voltage [V] | current [A] | charge [C] | flux linkage [V s] |
/// | hydraulic, pneumatic | pressure [Pa] | volume flow [m^3/s] | volume [m^3] | pressure momentum [Pa s] |
/// | thermal | temperature [K] | entropy flow [W/K] | entropy [J/K] | none |
/// | economic | investment w' | capacity v | output x | funds w = m v |
///
/// Last row: printed with the capital per capacity m as the effort, which (1.2) would make the rate of the funds. m is
/// the inertia, w = m v, and the row is the mechanics of variable mass (erratum G9).

#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/gas_spring.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/heater.hpp>
#include <sunlagrange/elements/network/hydraulic_cylinder.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/massless_branch.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/network/thermal.hpp>
#include <sunlagrange/elements/network/transformer.hpp>
