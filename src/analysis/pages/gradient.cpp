// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

double change(const Gradient& found, std::size_t i) {
  return 0.01 * found.parameters[i].value * found.gradient[static_cast<Eigen::Index>(i)];
}

std::string per(const std::string& unit) {
  return unit.empty() || unit == "1" ? "" : "per " + unit;
}

/// Returns the effect of one percent of each parameter, the largest first.
std::string derivatives_json(const Gradient& found) {
  std::vector<std::size_t> order(found.parameters.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(change(found, a)) > std::abs(change(found, b));
  });
  std::vector<Row> rows;
  for (const std::size_t i : order) {
    const SystemParameter& p = found.parameters[i];
    const double derivative = found.gradient[static_cast<Eigen::Index>(i)];
    rows.push_back({json::text(p.name), json::text(p.unit), json::number(p.value), json::number(derivative),
                    json::text(per(p.unit)), json::number(change(found, i)),
                    json::number(found.value != 0.0 ? p.value * derivative / found.value : std::nan("")),
                    json::text(p.meaning)});
  }
  return table_json("derivatives",
                    {{"parameter", true},
                     {"", true},
                     {"p", false},
                     {"dJ/dp", false},
                     {"", true},
                     {"change of J for 1 % of p", false},
                     {"relative, (p/J) dJ/dp", false},
                     {"", true}},
                    rows);
}

}  // namespace

void write_html(const Gradient& found, const std::string& functional, const PageOutput& out, const std::string& title) {
  if (!found.status.finished() || found.gradient.size() == 0)
    throw Error("write_html: there is no gradient to show: " + found.status.message);
  AnalysisPage page;
  page.title = title;
  page.verdict = "J = " + functional + " = " + text(found.value);
  page.add_note(found.status.message);
  page.facts = {{"parameters", std::to_string(found.parameters.size())},
                {"steps of the motion", std::to_string(found.steps)},
                {"steps back", std::to_string(found.backward_steps)},
                {"points linearised", std::to_string(found.linearisations)},
                {"segments integrated twice", std::to_string(found.checkpoints)}};
  Part part;
  part.title = "Derivatives of J";
  part.text =
      "By the adjoint, the largest changes for one percent of a parameter first. A derivative that is small "
      "against these has fewer digits.";
  part.tables = {derivatives_json(found)};
  page.parts.push_back(std::move(part));
  write(page, out);
}

}  // namespace sunlagrange
