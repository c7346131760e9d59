// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <optional>

#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "sensitivities/differences.hpp"
#include "sensitivities/sensitivities.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

namespace sunlagrange::program {
namespace {

/// Derivatives of the functional by differences, one entry for each parameter.
Difference differences_of(const Gradient& found, const SystemPointer& system, const InitialState& given,
                          const SimulationOptions& options, const Functional& functional) {
  InitialState from = given;
  ConsistencyOptions consistency;
  consistency.start = options.start;
  const MotionState start = consistent_state(system, given, consistency).state;
  from.q = start.q;
  from.v = start.v;
  SimulationOptions plain = options;
  plain.record = Record::ends_only;
  const Simulation run = simulate(system, from, plain);
  MotionState end;
  end.q = run.trajectory.q(run.trajectory.size() - 1);
  end.v = run.trajectory.v(run.trajectory.size() - 1);
  const MotionSize motion = motion_size(*system, {&start, &end});
  const SimulationOptions tight = options_for_differences(options, motion);
  const EndOf value_of = [&](const SystemPointer& changed, const InitialState& begin) {
    const Gradient moved = functional_value(changed, begin, tight, functional);
    return Eigen::VectorXd::Constant(1,
                                     moved.status.finished() ? moved.value : std::numeric_limits<double>::quiet_NaN());
  };
  const Eigen::Index count = found.gradient.size();
  Difference result{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Difference one =
        difference_by(found.parameters[static_cast<std::size_t>(i)], system, from, motion, value_of, 1);
    result.value[i] = one.value[0];
    result.uncertainty[i] = one.uncertainty[0];
  }
  return result;
}

std::string document(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
                     const Gradient& found, const Difference* check) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "formulation", options.formulation);
  set(json, "functional", a.functional);
  set(json, "rtol", options.rtol);
  set(json, "atol", options.atol);
  add_figures(json, figures_json(found));
  json["differences"] = check != nullptr ? Json(array(check->value)) : Json();
  json["differences_uncertainty"] = check != nullptr ? Json(array(check->uncertainty)) : Json();
  return json_text(json);
}

void print(const SensitivitiesArguments& a, const Problem& problem, const Gradient& found, const Difference* check) {
  const std::size_t width = output_width(false);
  print_wrapped(problem.description(), width);
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  if (!found.status.finished()) return;
  std::cout << a.functional << " = " << number(found.value, ".10g") << "\n";
  std::vector<Column> columns = {{"parameter", Align::left}, {"derivative"}};
  if (check != nullptr) columns.insert(columns.end(), {{"by differences"}, {"certain to"}});
  Table table(columns, width);
  std::vector<Table::Row> rows;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto entry = static_cast<Eigen::Index>(i);
    Table::Row row = {found.parameters[i].name, number(found.gradient[entry], ".8g")};
    if (check != nullptr) {
      row.push_back(number(check->value[entry], ".8g"));
      row.push_back(number(check->uncertainty[entry], ".1e"));
    }
    rows.push_back(std::move(row));
  }
  std::cout << table.text(rows);
  print_wrapped(std::to_string(found.steps) + " steps forwards, " + std::to_string(found.backward_steps) +
                    " backwards, " + std::to_string(found.checkpoints) + " segments integrated twice; " +
                    std::to_string(found.linearisations) + " points linearised backwards, " +
                    std::to_string(found.rhs_evaluations) + " right-hand sides forwards",
                width);
}

}  // namespace

int gradient_of_functional(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options) {
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  const auto& system = problem.mechanism.system;
  const InitialState& start = problem.mechanism.start;
  const Functional functional = named_functional(*system, a.functional, options.t_end - start.t);
  const Gradient found =
      gradient(system, start, options, functional, {a.parameters, a.start_positions, a.start_velocities, 0});
  std::optional<Difference> check;
  if (a.check && found.status.finished()) check = differences_of(found, system, start, options, functional);
  const Difference* differences = check ? &*check : nullptr;
  if (a.problem.json)
    std::cout << document(a, problem, options, found, differences);
  else
    print(a, problem, found, differences);
  if (html && found.status.finished()) {
    write_html(found, a.functional, html->stream(), problem.title() + ", gradient");
    html->commit();
  } else if (html) {
    std::cerr << "--html: there is no gradient, so no page is written\n";
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace sunlagrange::program
