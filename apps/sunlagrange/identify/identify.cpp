// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "cases/typed_number.hpp"
#include "commands.hpp"
#include "identify/measurements.hpp"
#include "shared/json.hpp"
#include "shared/number.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `identify`: parameters and start values of a registered mechanism or a model file from measurements in a CSV file.
namespace sunlagrange::program {
namespace {

struct IdentifyArguments {
  ProblemArguments problem;
  std::string data, formulation;
  std::vector<std::string> outputs, deviations, parameters, start_positions, start_velocities, guesses, held;
  double rtol = 1e-8;
  std::string html;
};

struct Search {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  SimulationOptions options;
  IdentificationOptions wanted;
};

/// Sets the guesses, with which the search begins, in the system or in the start.
void set_guesses(const std::vector<std::string>& guesses, Search& search) {
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& typed : guesses) {
    const auto [name, number] = named_text(typed, "--guess", "NAME=NUMBER");
    const bool position = name.rfind("q(", 0) == 0, velocity = name.rfind("v(", 0) == 0;
    const std::string option = "--guess " + typed;
    if (!position && !velocity) {
      values.emplace_back(name, typed_number(number, option, linked_parameters(*search.system, name).front().unit));
      continue;
    }
    const std::vector<int> at = search.system->position_indices(name.substr(2, name.size() - 3));
    if (at.size() != 1U) throw Error(option + ": names no coordinate");
    const CoordinateUnits units = units_of_coordinate(*search.system, at.front());
    Eigen::VectorXd& part = position ? search.start.q : search.start.v;
    if (part.size() == 0) part = Eigen::VectorXd::Zero(search.system->num_positions());
    part[at.front()] = typed_number(number, option, position ? units.displacement : units.flow);
  }
  if (!values.empty()) search.system = with_parameters(search.system, values);
}

Search search_of(const IdentifyArguments& a, const Problem& problem) {
  const std::string formulation = a.formulation.empty() ? problem.default_formulation() : a.formulation;
  Search search{problem.mechanism.system, problem.mechanism.start, problem.options_with(formulation), {}};
  if (!a.formulation.empty() || !problem.from_file) set_formulation(search.options, formulation);
  set_tolerances(search.options, a.rtol, a.problem.atol);
  search.start.fixed_positions.insert(search.start.fixed_positions.end(), a.held.begin(), a.held.end());
  search.wanted.parameters = a.parameters;
  search.wanted.start_positions = a.start_positions;
  search.wanted.start_velocities = a.start_velocities;
  search.wanted.deviations_known = !a.deviations.empty();
  set_guesses(a.guesses, search);
  return search;
}

/// Returns the unit of an output that is a coordinate or a rate; empty: it is another one.
std::string unit_of_output(const MechanicalSystem& system, const std::string& output) {
  const std::size_t primes = output.size() - (output.find_last_not_of('\'') + 1);
  const std::vector<int> at = system.position_indices(output.substr(0, output.size() - primes));
  if (at.size() != 1U || primes > 1) return "";
  const CoordinateUnits units = units_of_coordinate(system, at.front());
  return primes == 0 ? units.displacement : units.flow;
}

std::string document(const Problem& problem, const Search& search, const Identification& found) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "formulation", search.options.formulation);
  add_figures(json, figures_json(found));
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    set(json["parameters"][i], "guess", found.guess[row]);
    json["parameters"][i]["deviation"] = row < found.deviation.size() ? number_or_null(found.deviation[row]) : Json();
  }
  for (std::size_t k = 0; k < found.confounded.size(); ++k)
    json["confounded"][k]["directions"] = columns_json(found.confounded[k].directions);
  return json_text(json);
}

void print(const Problem& problem, const Identification& found) {
  const std::size_t width = output_width(false);
  print_wrapped(problem.description(), width);
  Table table(
      {{"parameter", Align::left}, {"estimate"}, {"deviation"}, {"unit", Align::left}, {"guess", Align::right, 1}},
      width);
  std::vector<Table::Row> rows;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    rows.push_back({found.parameters[i].name, number(found.parameters[i].value, ".8g"),
                    row < found.deviation.size() ? number(found.deviation[row], ".2g") : "", found.parameters[i].unit,
                    number(found.guess[row], ".8g")});
  }
  std::cout << table.text(rows);
  const bool known = found.deviations_known;
  const std::string left_over = known ? "(model - measured) / deviation " : "model - measured ";
  for (const Fit& fit : found.fits) print_wrapped(fit.output + ": rms of " + left_over + number(fit.rms, ".3g"), width);
  std::string account = std::to_string(found.degrees_of_freedom) + " degrees of freedom";
  if (std::isfinite(found.noise_factor))
    account += known ? ", the residual is " + number(found.noise_factor, ".3g") + " deviations"
                     : ", it would be explained by noise with the standard deviation " +
                           number(found.noise_factor, ".3g") + " in the unit of each output";
  print_wrapped(account + "; " + std::to_string(found.runs) + " runs", width);
  for (const std::string& words : {found.status.message, found.misfit.empty() ? found.untested : found.misfit}) {
    if (!words.empty()) print_wrapped(words, width);
  }
}

int identify_mechanism(const IdentifyArguments& a) {
  const Problem problem(a.problem);
  const Search search = search_of(a, problem);
  const std::vector<Measurement> measurements =
      read_measurements(a.data, a.outputs, a.deviations,
                        [&](const std::string& output) { return unit_of_output(*search.system, output); });
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  const Identification found = identify(search.system, search.start, measurements, search.options, search.wanted);
  if (a.problem.json)
    std::cout << document(problem, search, found);
  else
    print(problem, found);
  if (html && found.fits.size() == measurements.size()) {
    write_html(found, measurements, html->stream(), problem.title() + ", identification");
    html->commit();
  } else if (html) {
    std::cerr << "--html: there is no fit, so no page is written\n";
  }
  if (!found.status.finished()) return exit_numerical_failure;
  return found.misfit.empty() ? exit_finished : exit_doubts;
}

}  // namespace

Command identify_command() {
  const auto a = std::make_shared<IdentifyArguments>();
  const std::vector<Option> options = {
      {"--data", &a->data, "CSV file of the measurements, with a line of names: t,arm.phi,arm.phi'",
       rule::required | rule::reads},
      {"--output", &a->outputs, "use this column only; may be repeated"},
      {"--deviation", &a->deviations,
       "standard deviation of an output, NAME=NUMBER, or of all others, NUMBER; without it, the deviation is estimated "
       "from the residuals and there is no test"},
      {"--parameter", &a->parameters, "identify this parameter (see sensitivities --list); may be repeated"},
      {"--start-position", &a->start_positions, "identify the start value of this coordinate"},
      {"--start-velocity", &a->start_velocities, "identify the start value of this velocity"},
      {"--guess", &a->guesses,
       "initial guess, NAME=NUMBER, also with a unit, 30deg; start values are called q(NAME), v(NAME)"},
      {"--hold", &a->held, "keep the start value of this coordinate while the others follow the parameters"},
      {"--formulation", &a->formulation, "baumgarte, projected, penalty, ggl or stabilized_index1; default: baumgarte"},
      {"--rtol", &a->rtol, "relative tolerance", rule::finite | rule::show_default},
      {"--html", &a->html, "write a page to this file: parameters, correlations, measured and fitted curves, residuals",
       rule::writes}};
  return {"identify", "identifies parameters and start values from a measured motion, with their covariance",
          problem_options(a->problem) + options, [a] { return identify_mechanism(*a); },
          "\nExamples:\n"
          "  run andrews --csv measured.csv --output-step 5e-4\n"
          "  identify andrews --data measured.csv --output beta --output gamma --deviation 1e-3 --hold beta \\\n"
          "      --parameter model.c0 --parameter model.torque --guess model.c0=4000"};
}

}  // namespace sunlagrange::program
