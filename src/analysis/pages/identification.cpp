// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "results/motion_output.hpp"
#include "base/json.hpp"
#include "base/words.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using Eigen::Index;

std::string found_json(const Identification& found) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const SystemParameter& p = found.parameters[i];
    const auto k = static_cast<Index>(i);
    const double deviation = k < found.deviation.size() ? found.deviation[k] : std::nan("");
    rows.push_back({json::text(p.name), json::text(p.unit), json::number(p.value), json::number(deviation),
                    json::number(p.value != 0.0 ? std::abs(deviation / p.value) : std::nan("")),
                    json::number(found.guess[k]), json::text(p.meaning)});
  }
  return table_json("parameters",
                    {{"parameter", true},
                     {"", true},
                     {"estimate", false},
                     {"standard deviation", false},
                     {"relative", false},
                     {"guess", false},
                     {"", true}},
                    rows);
}

/// Parameters that are not determined are left out, because the covariance is then that of combinations.
std::string correlation_json(const Identification& found) {
  std::vector<std::pair<std::string, bool>> columns = {{"", true}};
  std::vector<Row> rows;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    columns.emplace_back(found.parameters[i].name, false);
    Row row = {json::text(found.parameters[i].name)};
    for (std::size_t j = 0; j < found.parameters.size(); ++j) {
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      const bool known = std::isfinite(found.deviation[a]) && std::isfinite(found.deviation[b]);
      const double product = std::sqrt(found.covariance(a, a) * found.covariance(b, b));
      row.push_back(json::number(known ? found.covariance(a, b) / product : std::nan("")));
    }
    rows.push_back(std::move(row));
  }
  return table_json("correlations", columns, rows);
}

std::string confounded_json(const Confounded& group) {
  std::vector<std::pair<std::string, bool>> columns = {{"parameter", true}};
  for (Index j = 0; j < group.directions.cols(); ++j) columns.emplace_back("relative change", false);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < group.parameters.size(); ++i) {
    Row row = {json::text(group.parameters[i])};
    for (const double entry : group.directions.row(static_cast<Index>(i))) row.push_back(json::number(entry));
    rows.push_back(std::move(row));
  }
  return table_json("changes that nothing measured shows", columns, rows);
}

/// Residuals are divided by the deviation if it is known, else they are in the unit of the output.
Part fit_part(const Identification& found, const Fit& fit, const Measurement& measured) {
  std::string unit = found.system != nullptr ? unit_of(motion_output(*found.system, fit.output), *found.system) : "";
  if (unit == "1") unit.clear();
  const auto with_unit = [&](double value) { return text(value) + (unit.empty() ? "" : " " + unit); };
  Part part;
  part.title = fit.output;
  if (found.deviations_known)
    part.text = "Root mean square of (model − measured) over the deviation, " + with_unit(measured.deviation) + ": " +
                text(fit.rms) + (found.untested.empty() ? ", about 1 if model and noise are right." : ".");
  else
    part.text = "Root mean square of model − measured: " + with_unit(fit.rms * measured.deviation) +
                (std::isfinite(found.noise_factor) ? "; standard deviation that the noise would have to have: " +
                                                         with_unit(found.noise_factor * measured.deviation) + "."
                                                   : ".");
  const double over = found.deviations_known ? measured.deviation : 1.0;
  Series model{"model", unit, fit.values}, points{"measured", unit, measured.values};
  Series left{"residual", found.deviations_known ? "" : unit, {}};
  points.dots = left.dots = true;
  for (std::size_t k = 0; k < fit.values.size(); ++k) left.y.push_back((fit.values[k] - measured.values[k]) / over);
  part.charts = {chart_json("measured and fitted", "t [s]", measured.t, {points, model}),
                 chart_json(found.deviations_known ? "(model − measured) / deviation" : "model − measured", "t [s]",
                            measured.t, {left})};
  return part;
}

/// Returns the verdict of the page.
void judge(const Identification& found, AnalysisPage& page) {
  if (!found.status.finished()) {
    page.verdict = std::string("Not identified: ") + to_string(found.status.outcome);
    page.tone = "failed";
  } else if (!found.untested.empty()) {
    page.verdict = "Fitted; whether the model explains what was measured was not tested";
    page.tone = "open";
  } else {
    page.verdict = found.misfit.empty() ? "The model explains what was measured" : "Something speaks against the model";
    page.tone = found.misfit.empty() ? "" : "doubts";
  }
  page.add_note(found.status.message);
  page.add_note(found.misfit.empty() ? found.untested : found.misfit);
}

}  // namespace

void write_html(const Identification& found, const std::vector<Measurement>& measurements, const PageOutput& out,
                const std::string& title) {
  if (found.parameters.empty()) throw Error("write_html: there is no fit to show: " + found.status.message);
  if (found.fits.size() != measurements.size())
    throw Error("write_html: " + std::to_string(measurements.size()) + " measurements, but a fit of " +
                std::to_string(found.fits.size()) + "; give those of the identification");
  for (std::size_t k = 0; k < measurements.size(); ++k) {
    if (found.fits[k].output != measurements[k].output || found.fits[k].values.size() != measurements[k].values.size())
      throw Error("write_html: the fit of \"" + found.fits[k].output + "\" is not of measurement " + std::to_string(k) +
                  "; give those of the identification");
  }
  AnalysisPage page;
  page.title = title;
  judge(found, page);
  if (found.deviations_known)
    page.facts = {{"left over, in deviations", text(found.noise_factor)}, {"χ²", text(found.chi_square)}};
  page.facts.emplace_back("degrees of freedom", std::to_string(found.degrees_of_freedom));
  page.facts.emplace_back("runs", std::to_string(found.runs));
  Part parameters;
  parameters.title = "Parameters";
  parameters.text = std::string("Estimates with their standard deviations") +
                    (found.deviations_known ? "" : ", those estimated from the residuals") +
                    ", and their correlations: the covariance divided by both deviations.";
  parameters.tables = {found_json(found)};
  if (found.covariance.rows() == static_cast<Index>(found.parameters.size()) && found.parameters.size() > 1U)
    parameters.tables.push_back(correlation_json(found));
  for (const Confounded& group : found.confounded) parameters.tables.push_back(confounded_json(group));
  page.parts.push_back(std::move(parameters));
  for (std::size_t k = 0; k < measurements.size(); ++k)
    page.parts.push_back(fit_part(found, found.fits[k], measurements[k]));
  write(page, out);
}

}  // namespace sunlagrange
