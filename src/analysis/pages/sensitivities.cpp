// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>

#include <sunlagrange/analysis/sensitivity_resolution.hpp>
#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "base/words.hpp"
#include "model/coordinate_unit.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;
using Derivatives = Eigen::MatrixXd SensitivityPoint::*;

constexpr std::size_t most_shown = 60;  // curves of one chart

/// Returns the curves that the run can tell from zero, the first ones.
std::vector<Series> curves_of(const Sensitivities& found, Eigen::Index parameter, Derivatives part, int count,
                              const std::function<std::pair<std::string, std::string>(int)>& named) {
  const SensitivityPoint bounds = resolution_of(found);
  std::vector<Series> curves;
  for (int i = 0; i < count && curves.size() < most_shown; ++i) {
    const auto [name, unit] = named(i);
    Series curve{name, unit, {}};
    bool any = false;
    for (const SensitivityPoint& point : found.points) {
      const double derivative = (point.*part)(i, parameter);
      any = any || !(std::abs(derivative) <= (bounds.*part)(i, parameter));
      curve.y.push_back(derivative);
    }
    if (any) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Returns the relative change of the coordinate over that of the parameter, or nothing if one of them is zero.
double relative(double derivative, double parameter, double value, double scale) {
  constexpr double negligible = 1e-9;
  return parameter == 0.0 || std::abs(value) <= negligible * scale ? std::nan("") : derivative * parameter / value;
}

std::string at_end_json(const Sensitivities& found, Eigen::Index parameter, const MechanicalSystem& system) {
  const SensitivityPoint& end = found.points.back();
  const double p = found.parameters[static_cast<std::size_t>(parameter)].value;
  const SensitivityPoint bounds = resolution_of(found);
  const auto settled = [](double x, double bound) { return std::abs(x) <= bound ? 0.0 : x; };
  std::vector<Row> rows;
  for (int i = 0; i < system.num_positions(); ++i) {
    const double derivative = settled(end.q(i, parameter), bounds.q(i, parameter));
    const double rate = settled(end.v(i, parameter), bounds.v(i, parameter)), scale = system.natural_scales()[i];
    rows.push_back({json::text(system.position_name(i)), json::text(coordinate_unit(system, i)),
                    json::number(end.state.q[i]), json::number(derivative), json::number(0.01 * p * derivative),
                    json::number(relative(derivative, p, end.state.q[i], scale)), json::number(rate),
                    json::number(relative(rate, p, end.state.v[i], scale))});
  }
  return table_json("coordinates at the end",
                    {{"coordinate", true},
                     {"", true},
                     {"q", false},
                     {"dq/dp", false},
                     {"change of q for 1 % of p", false},
                     {"relative, (p/q) dq/dp", false},
                     {"dv/dp", false},
                     {"relative, (p/v) dv/dp", false}},
                    rows);
}

}  // namespace

void write_html(const Sensitivities& sensitivities, const System& system, const PageOutput& out,
                const std::string& title) {
  if (sensitivities.points.empty())
    throw Error("write_html: there is no point to show: " + sensitivities.status.message);
  require_same(system, sensitivities.points.front().state.q.size());
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Sensitivities") : title;
  const bool finished = sensitivities.status.finished();
  page.verdict =
      finished ? "Derivatives up to the end" : std::string("Not finished: ") + to_string(sensitivities.status.outcome);
  page.tone = finished ? "" : "failed";
  page.add_note(sensitivities.status.message);
  page.facts = {{"parameters", std::to_string(sensitivities.parameters.size())},
                {"largest G dq/dp + dg/dp, relative", text(sensitivities.constraint_error)},
                {"steps", std::to_string(sensitivities.steps)},
                {"evaluations of the sensitivities", std::to_string(sensitivities.sensitivity_evaluations)}};
  std::vector<double> t;
  for (const SensitivityPoint& point : sensitivities.points) t.push_back(point.state.t);
  for (std::size_t k = 0; k < sensitivities.parameters.size(); ++k) {
    const SystemParameter& p = sensitivities.parameters[k];
    const auto column = static_cast<Eigen::Index>(k);
    Part part;
    part.title = "By " + p.name;
    part.text =
        (p.meaning.empty() ? "" : p.meaning + "; ") + "p = " + text(p.value) + (p.unit.empty() ? "" : " " + p.unit);
    std::vector<std::string> zero;
    const auto add = [&](const std::string& what, Derivatives of, int count,
                         const std::function<std::pair<std::string, std::string>(int)>& named) {
      const std::vector<Series> curves = curves_of(sensitivities, column, of, count, named);
      if (!curves.empty()) part.charts.push_back(chart_json(what, "t [s]", t, curves));
      if (curves.empty() && count > 0) zero.push_back(what);
    };
    const auto per_p = [&](const std::string& unit) {
      return unit.empty() || p.unit.empty() ? "" : unit + " per " + p.unit;
    };
    add("dq/dp", &SensitivityPoint::q, system->num_positions(),
        [&](int i) { return std::pair(system->position_name(i), per_p(coordinate_unit(*system, i))); });
    add("dv/dp", &SensitivityPoint::v, system->num_positions(),
        [&](int i) { return std::pair(system->position_name(i) + "'", per_p(coordinate_unit(*system, i, 1))); });
    add("dλ/dp", &SensitivityPoint::lambda, system->num_constraints(),
        [&](int i) { return std::pair(system->constraint_name(i), std::string()); });
    if (!zero.empty())
      part.text += "; " + joined(zero) + (zero.size() > 1 ? " are" : " is") +
                   " 0 at all times within the tolerances of the run, rtol " + text(sensitivities.rtol) + " and atol " +
                   text(sensitivities.atol) +
                   (zero.front() == "dq/dp" ? ": the motion does not depend on p, as where drives prescribe it" : "");
    part.tables = {at_end_json(sensitivities, column, *system)};
    page.parts.push_back(std::move(part));
  }
  write(page, out);
}

}  // namespace sunlagrange
