// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method.hpp"

namespace sunlagrange::peers {

/// n_four_bar as an expert writes it: the right-hand sides of micro/hand_written.hpp, own main loop, nothing looked at
/// on the way. CVODE's methods iterate with fixed points: that needs no Jacobian and, Baumgarte's gains being mild, is
/// the faster way.
/// @param equations   klu, blocks
/// @param integrator  cvode_adams, cvode_bdf, dopri5 (ARKODE's table)
Ending run_by_hand(const std::string& equations, int loops, const std::string& integrator, double tolerance,
                   double t_end);

}  // namespace sunlagrange::peers
