// SPDX-License-Identifier: BSD-3-Clause
#include "export/figures.hpp"

#include <ostream>
#include <string>

#include <sunlagrange/analysis/described_results.hpp>
#include <sunlagrange/stability/certificate.hpp>

namespace sunlagrange::program {
namespace {

/// Returns the text of a table cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

void print_table(std::ostream& out, const std::vector<FigureInfo>& figures) {
  out << "| figure | kind | unit | meaning |\n|---|---|---|---|\n";
  for (const FigureInfo& figure : figures)
    out << "| `" << figure.name << "` | " << figure.kind << " | " << cell(figure.unit) << " | " << cell(figure.meaning)
        << " |\n";
}

}  // namespace

void print_figures(std::ostream& out) {
  out << R"(# Figures of all results {#figures}

Every result describes its figures once, in its member `describe` (`base/figures.hpp`). JSON (`--json`, `report_json`,
`figures_json`), the dictionaries of Python and the functions `sunlagrange_run_figure`, `sunlagrange_result_figure` and
`sunlagrange_result_json` of C follow from these descriptions, and so does this page: `sunlagrange export --figures`.

Unit 1 is a pure number; an empty unit belongs to counts, texts and figures whose entries have units of their own. `[]`
is an entry of a list, and a dot leads into a part. Unknown numbers are null in JSON, None in Python and NaN in C. In
Python the rows of a table are arrays, those of `points` in the dictionary itself, and `lambda` is called
`multipliers`.
)";
  const auto print = [&out](auto type, const char* name, const char* functions) {
    out << "\n## " << name << "\n\nReturned by `" << functions << "`.\n\n";
    print_table(out, figures_of<typename decltype(type)::Result>());
  };
  for_each_result(print);
  print(ResultType<Certificate>{}, "Certificate", "certify(), certify_run()");
}

}  // namespace sunlagrange::program
