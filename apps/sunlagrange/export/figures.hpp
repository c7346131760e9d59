// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

namespace sunlagrange::program {

/// Prints docs/figures.md: the figures of all results with name, unit and meaning.
void print_figures(std::ostream& out);

}  // namespace sunlagrange::program
