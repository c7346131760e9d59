// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "parts/gnuplot.hpp"

namespace sunlagrange::program {

/// Draws Figure 2 of [002] and its violation.
void draw_slider_crank_program(const Pictures& pictures, double t_end);

}  // namespace sunlagrange::program
