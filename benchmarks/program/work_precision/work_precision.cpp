// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "commands.hpp"
#include "parts/end_reference.hpp"
#include "parts/hand_set_ida.hpp"
#include "parts/run_choice.hpp"
#include "ranking/ranking_text.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "work_precision/automatic_ratio.hpp"
#include "work_precision/fronts.hpp"

/// `work-precision`: cost against accuracy for every formulation with every integrator that fits.
namespace sunlagrange::program {
namespace {

struct WorkArguments {
  ProblemArguments problem;
  RunChoice choice;
  std::vector<std::string> mechanisms;
  std::string errors = "1e-4,1e-6,1e-8";
  int repetitions = 5;
  bool baselines = false;
  bool wide = false;
  std::string csv;
};

/// Results of one mechanism.
struct Sheet {
  std::string mechanism, description;
  EndReference reference;
  std::vector<RunRecord> records;
  std::vector<SameRuns> same;                                ///< on no front
  std::vector<std::size_t> by_time, by_evaluations;          ///< fronts of the runs that hold the constraints
  std::vector<std::size_t> any_by_time, any_by_evaluations;  ///< fronts of all runs
};

bool on(const std::vector<std::size_t>& front, std::size_t k) {
  return std::find(front.begin(), front.end(), k) != front.end();
}

Sheet measured_sheet(const WorkArguments& arguments, const Problem& problem,
                     const std::vector<SimulationOptions>& runs) {
  Sheet sheet;
  sheet.mechanism = problem.name;
  sheet.description = problem.description();
  sheet.reference = end_reference(problem);
  Measurement how;
  how.baselines = arguments.baselines && baselines_make_sense(problem);
  how.repetitions = {arguments.repetitions, 0.5};
  how.reference_position = sheet.reference.q;
  sheet.records = measured(problem, runs, how);
  sheet.same = same_formulations({{sheet.mechanism, sheet.mechanism, sheet.records}});
  sheet.by_time = pareto_front(sheet.records, cpu_seconds, Among::holding, sheet.same);
  sheet.by_evaluations = pareto_front(sheet.records, rhs_evaluations, Among::holding, sheet.same);
  sheet.any_by_time = pareto_front(sheet.records, cpu_seconds, Among::all, sheet.same);
  sheet.any_by_evaluations = pareto_front(sheet.records, rhs_evaluations, Among::all, sheet.same);
  return sheet;
}

std::string accuracy(const RunRecord& r) {
  return short_number(r.fixed_step ? r.options.step : r.options.rtol);
}

std::string named(const RunRecord& r) {
  return r.options.formulation + " with " + r.options.integrator + " at " + accuracy(r) + " (error " +
         two_digits(r.error_vs_reference) + ", " + two_digits(r.cpu_seconds) + " s)";
}

std::string verdict(const Sheet& sheet) {
  long runs = 0, finished = 0;
  for (const RunRecord& r : sheet.records) {
    if (r.baseline) continue;
    ++runs;
    if (r.simulation.status.finished()) ++finished;
  }
  std::string words = fmt::format("{}: {} of {} runs finished", sheet.mechanism, finished, runs);
  if (interrupted()) words += "; interrupted";
  std::string front, loose;
  for (const std::size_t k : sheet.by_time) front += (front.empty() ? "" : "; ") + named(sheet.records[k]);
  for (const std::size_t k : sheet.any_by_time) {
    if (!sheet.records[k].holds_constraints) loose += (loose.empty() ? "" : "; ") + named(sheet.records[k]);
  }
  words += ".";
  if (!sheet.reference.found()) words += " Errors are measured against " + sheet.reference.source + ".";
  if (!front.empty())
    words += " On the Pareto front in CPU time of those that hold the constraints, cheap to accurate: " + front + ".";
  for (const SameRuns& s : sheet.same)
    words += " " + s.formulation + " is " + s.is + " here, all its runs are the same: it is on no front.";
  if (!loose.empty()) words += " On the front of all, but without holding them: " + loose + ".";
  return words;
}

void print_costs(const Sheet& sheet, const std::vector<double>& errors, std::size_t width) {
  constexpr std::size_t shown = 3;
  const Align left = Align::left, right = Align::right;
  Table table({{"at error"}, {"formulation", left}, {"integrator", left}, {"CPU s"}, {"times best"}, {"rhs", right, 1}},
              width);
  std::vector<Table::Row> rows;
  for (const double error : errors) {
    const std::vector<CostAtError> costs = costs_at(sheet.records, error, Among::holding);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      const CostAtError& c = costs[k];
      if (k >= shown && c.formulation != automatic_choice) continue;
      rows.push_back({k == 0 ? short_number(error) : "", c.formulation, c.integrator, two_digits(c.cpu_seconds),
                      number(c.cpu_seconds / costs.front().cpu_seconds, ".2f"), number(c.rhs_evaluations, ".0f")});
    }
    if (costs.empty()) rows.push_back({short_number(error), "-", "-", "-", "-", "-"});
  }
  std::cout << table.text(rows) << "\n";
}

void print_runs(const Sheet& sheet, std::size_t width) {
  const Align left = Align::left, right = Align::right;
  Table table({{"formulation", left},
               {"integrator", left},
               {"rtol|step"},
               {"status", left, 5, 0, {}, 14},
               {"error q"},
               {"CPU s"},
               {"rhs|res"},
               {"jac", right, 3},
               {"factor", right, 2},
               {"steps", right, 1},
               {"front", left}},
              width);
  std::vector<Table::Row> rows;
  for (std::size_t k = 0; k < sheet.records.size(); ++k) {
    const RunRecord& r = sheet.records[k];
    const Report& report = r.simulation.report;
    const Status& status = r.simulation.status;
    const bool time = on(sheet.by_time, k), evaluations = on(sheet.by_evaluations, k);
    const Style style = time ? Style::bold : Style::plain;
    rows.push_back({r.options.formulation,
                    r.options.integrator,
                    accuracy(r),
                    {std::string(to_string(status.outcome)) + (status.doubts.empty() ? "" : ", doubts"),
                     status.has_no_doubts() ? Style::plain
                     : status.finished()    ? Style::doubtful
                                            : Style::bad},
                    {two_digits(r.error_vs_reference), style},
                    {two_digits(r.cpu_seconds), style},
                    std::to_string(report.rhs_evaluations),
                    std::to_string(report.jacobian_evaluations),
                    std::to_string(report.factorizations),
                    std::to_string(report.steps),
                    std::string(time ? "time" : "") + (time && evaluations ? ", " : "") + (evaluations ? "rhs" : "") +
                        (status.finished() && !r.baseline && !r.holds_constraints ? "loose" : "")});
  }
  std::cout << table.grouped_text(rows);
}

void print(const Sheet& sheet, const std::vector<double>& errors, std::size_t width) {
  print_wrapped(verdict(sheet) + "\n", width);
  print_costs(sheet, errors, width);
  print_wrapped(sheet.description, width);
  print_wrapped(
      "error: of q at the end, against " + sheet.reference.source +
          "; CPU: median of repetitions; at error: the cheapest that hold the constraints, between the accuracies "
          "of a pair interpolated; front: none of them has less error for less CPU time (time), for fewer "
          "right-hand sides or residuals (rhs); loose: the constraints are not held\n",
      width);
  print_runs(sheet, width);
}

Json costs_json(const Sheet& sheet, const std::vector<double>& errors) {
  Json list = Json::array();
  for (const double error : errors) {
    Json pairs = Json::array();
    for (const CostAtError& c : costs_at(sheet.records, error, Among::all)) pairs.push_back(parsed(figures_json(c)));
    Json entry;
    set(entry, "error", error);
    set(entry, "pairs", std::move(pairs));
    list.push_back(std::move(entry));
  }
  return list;
}

Json sheet_json(const Sheet& sheet, const std::vector<double>& errors) {
  Json json, front, holding, same = Json::array();
  set(json, "mechanism", sheet.mechanism);
  set(json, "reference", sheet.reference.source);
  set(json, "reference_uncertainty", number_or_null(sheet.reference.uncertainty));
  front["cpu_seconds"] = sheet.any_by_time;
  front["rhs_evaluations"] = sheet.any_by_evaluations;
  for (const SameRuns& s : sheet.same) same.push_back({{"formulation", s.formulation}, {"is", s.is}});
  set(json, "same", std::move(same));
  set(json, "front", std::move(front));
  holding["cpu_seconds"] = sheet.by_time;
  holding["rhs_evaluations"] = sheet.by_evaluations;
  set(json, "front_holding", std::move(holding));
  set(json, "at_errors", costs_json(sheet, errors));
  set(json, "runs", runs_json(sheet.records));
  return json;
}

/// Returns the mechanisms of the sheets, each of a kind of its own.
std::vector<RankedMechanism> ranked(const std::vector<Sheet>& sheets) {
  std::vector<RankedMechanism> list;
  for (const Sheet& sheet : sheets) list.push_back({sheet.mechanism, sheet.mechanism, sheet.records});
  return list;
}

void write_csv(std::ostream& out, const std::vector<Sheet>& sheets) {
  out << "mechanism,formulation,integrator,baseline,rtol_or_step,status,error,cpu_seconds,rhs_evaluations,"
         "jacobian_evaluations,factorizations,steps,front_cpu_seconds,front_rhs_evaluations,"
         "holds_constraints,front_holding_cpu_seconds,front_holding_rhs_evaluations\n";
  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  for (const Sheet& sheet : sheets) {
    for (std::size_t k = 0; k < sheet.records.size(); ++k) {
      const RunRecord& r = sheet.records[k];
      const Report& report = r.simulation.report;
      const auto value = [](double x) { return std::isfinite(x) ? fmt::format("{:.10g}", x) : ""; };
      out << fmt::format("{},{},{},{},{:g},{},{},{},{},{},{},{},{},{},{},{},{}\n", sheet.mechanism,
                         r.options.formulation, r.options.integrator, yes(r.baseline),
                         r.fixed_step ? r.options.step : r.options.rtol, to_string(r.simulation.status.outcome),
                         value(r.error_vs_reference), value(r.cpu_seconds), report.rhs_evaluations,
                         report.jacobian_evaluations, report.factorizations, report.steps,
                         yes(on(sheet.any_by_time, k)), yes(on(sheet.any_by_evaluations, k)), yes(r.holds_constraints),
                         yes(on(sheet.by_time, k)), yes(on(sheet.by_evaluations, k)));
    }
  }
}

int work_precision(const WorkArguments& arguments) {
  if (arguments.repetitions < 1) throw Error("--repeat: at least 1");
  const std::vector<double> errors = positive_list(arguments.errors, "--errors");
  std::vector<Problem> problems;
  std::vector<std::vector<SimulationOptions>> runs;
  for (const std::string& name : arguments.mechanisms) {  // reports mistakes before anything runs
    ProblemArguments one = arguments.problem;
    one.mechanism = name;
    problems.emplace_back(one);
    runs.push_back(chosen_runs(arguments.choice, one, problems.back()));
  }
  std::optional<OutputFile> csv;
  if (!arguments.csv.empty()) csv.emplace(arguments.csv, "--csv");
  std::vector<Sheet> sheets;
  int code = exit_finished;
  for (std::size_t k = 0; k < problems.size() && !interrupted(); ++k) {
    completed([&] { sheets.push_back(measured_sheet(arguments, problems[k], runs[k])); });
    if (sheets.size() <= k) break;
    const int own = sheets[k].reference.found() ? exit_code(sheets[k].records) : exit_numerical_failure;
    if (code != exit_numerical_failure && own != exit_finished) code = own;
    if (!arguments.problem.json) print(sheets[k], errors, output_width(arguments.wide));
  }
  std::vector<AutomaticRatio> ratios;
  for (const Sheet& sheet : sheets) append_ratios(ratios, sheet.mechanism, sheet.records, errors);
  if (arguments.problem.json) {
    Json document, list = Json::array();
    for (const Sheet& sheet : sheets) list.push_back(sheet_json(sheet, errors));
    set(document, "schema", 1);
    set(document, "mechanisms", std::move(list));
    set(document, "automatic_over_best", ratios_json(ratios));
    set(document, "ranking", ranking_json(ranking(ranked(sheets), errors)));
    std::cout << json_text(document);
  } else {
    print_ratios(ratios, output_width(arguments.wide));
  }
  if (csv) {
    write_csv(csv->stream(), sheets);
    csv->commit();
  }
  return code;
}

}  // namespace

Command work_precision_command() {
  const auto a = std::make_shared<WorkArguments>();
  a->choice.rtols = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10";
  a->choice.usual_integrators = adaptive_integrators();
  a->choice.automatic_too = true;
  std::vector<Option> options = problem_options(a->problem);
  options.front() = {"mechanisms", &a->mechanisms, "registered names, see `list mechanisms`, or model files NAME.json",
                     rule::required | rule::reads};
  const std::vector<Option> own = {
      {"--errors", &a->errors, "errors of q, in units of q, at which the cheapest runs are listed", rule::show_default},
      {"--repeat", &a->repetitions, "repetitions of each run within half a second; its CPU time is the median",
       rule::show_default},
      {"--baselines", &a->baselines,
       "also the rows \"ida stock\" and \"ida masks\" of the command compare for every run with ida"},
      {"--csv", &a->csv, "write all runs to this file", rule::writes},
      wide_option(a->wide)};
  return {"work-precision", "compares error with CPU time and evaluations, and names the Pareto front",
          options + choice_options(a->choice) + own, [a] { return work_precision(*a); },
          "\nExamples:\n"
          "  work-precision andrews                        every formulation with every adaptive integrator\n"
          "  work-precision pendulum mechanism.json --formulations baumgarte,ggl,projected\n"
          "  work-precision car_axis --integrators dopri5,radau --errors 1e-5 --json > car_axis.json"};
}

}  // namespace sunlagrange::program
