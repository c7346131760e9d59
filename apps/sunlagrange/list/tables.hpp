#pragma once

#include <iosfwd>

namespace sunlagrange::program {

/// The tables of README.md and examples/README.md in Markdown: scripts/tables.sh writes them there.
void print_formulation_table(std::ostream& out);
void print_mechanism_table(std::ostream& out);

}  // namespace sunlagrange::program
