// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

namespace sunlagrange::program {

/// The tables of README.md and examples/README.md in Markdown, which scripts/tables.sh writes into these files.
void print_formulation_table(std::ostream& out);
void print_mechanism_table(std::ostream& out);

}  // namespace sunlagrange::program
