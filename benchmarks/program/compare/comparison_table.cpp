// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include <fmt/core.h>

#include "ranking/cost_at_error.hpp"
#include "ranking/ranking.hpp"
#include "shared/interruption.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

std::vector<Column> columns() {
  const Align left = Align::left, right = Align::right;
  return {{"formulation", left}, {"integrator", left},
          {"rtol|step"},         {"status", left, 0, 0, {}, 14},
          {"reached", right, 7}, {"steps"},
          {"rhs", right, 3},     {"jac", right, 8},
          {"newton", right, 9},  {"errtst", right, 10},
          {"max|g|", right, 1},  {"max|g'|", right, 6},
          {"drift J", right, 5}, {"error q"},
          {"error v", right, 4}, {"error lambda", right, 11},
          {"CPU s", right, 2},   {"gain x step", left, 3}};
}

constexpr std::size_t violation_column = 10, error_column = 13, cpu_column = 16;

/// Returns "0.50 of 2.785", with a mark if the step is too long for the feedback.
std::string stability_text(const RunRecord& record) {
  const ButcherTable* table = record.options.table.has_value() ? &*record.options.table
                                                               : integrator(record.options.integrator).fixed_step_table;
  if (table == nullptr) return "-";  // not an explicit method
  const double product = feedback_rate(record) * record.options.step;
  const double limit = table->real_stability_limit();
  return fmt::format("{} of {:.3f}{}", number(product, ".3g"), limit, product > limit ? " !" : "");
}

std::string title_of(const RunRecord& r) {
  return r.options.formulation + ", " + r.options.integrator + ", " + (r.fixed_step ? "step " : "rtol ") +
         short_number(r.fixed_step ? r.options.step : r.options.rtol);
}

std::string remark_of(const RunRecord& r) {
  std::string remark = r.simulation.status.message;
  for (const RankEvent& event : r.simulation.report.rank_events) {
    if (!event.stepped_over) continue;
    remark +=
        fmt::format("{}stepped over a near-singular configuration at t = {:g} without noticing, constraint \"{}\"",
                    remark.empty() ? "" : "; ", event.t, event.constraint);
    break;
  }
  for (const Doubt& doubt : r.simulation.status.doubts) remark += (remark.empty() ? "" : "; ") + doubt.text;
  return remark.empty() ? remark : title_of(r) + ": " + remark;
}

/// Returns the formulation and integrator with the least work at an error of q, among runs that have no doubts and hold
/// the constraints, interpolated between their tolerances; empty if none has the error.
std::string cheapest_at(const std::vector<RunRecord>& records, double error) {
  const std::vector<CostAtError> costs = costs_at(records, error, Among::certain);
  const auto least = std::min_element(costs.begin(), costs.end(),
                                      [](const CostAtError& a, const CostAtError& b) { return a.work < b.work; });
  if (least == costs.end()) return "";
  return fmt::format("; least work at error {}: {}, {} (work {:.0f}, CPU {} s)", short_number(error),
                     least->formulation, least->integrator, least->work, two_digits(least->cpu_seconds));
}

/// Returns a sentence on the runs of the library: the counts of outcomes, and among those that hold the constraints the
/// most accurate one and those with the least work at equal error.
std::string verdict(const std::vector<RunRecord>& records) {
  int runs = 0, finished = 0, doubtful = 0, baselines = 0;
  const RunRecord* accurate = nullptr;
  for (const RunRecord& r : records) {
    if (r.baseline) {
      ++baselines;
      continue;
    }
    ++runs;
    if (!r.simulation.status.finished()) continue;
    ++finished;
    if (!r.simulation.status.has_no_doubts()) {
      ++doubtful;
      continue;
    }
    if (!r.holds_constraints || std::isnan(r.error_vs_reference)) continue;
    if (accurate == nullptr || r.error_vs_reference < accurate->error_vs_reference) accurate = &r;
  }
  std::string words = fmt::format("{} of {} runs finished", finished, runs);
  if (doubtful > 0) words += fmt::format(", {} of them with doubts", doubtful);
  if (interrupted()) words += "; interrupted";
  if (baselines > 0) words += fmt::format("; the rows of ida stock and ida masks, {}, are not counted", baselines);
  if (accurate == nullptr) return words + ".";
  words += "; among runs that hold the constraints; most accurate: " + title_of(*accurate) + " (error of q " +
           two_digits(accurate->error_vs_reference) + ", CPU " + two_digits(accurate->cpu_seconds) + " s)";
  return words + cheapest_at(records, 1e-3) + cheapest_at(records, 1e-6) + ".";
}

/// Returns the longest steps of the adaptive runs, "0.0187 s, 0.00935 s".
std::string longest_steps(const std::vector<RunRecord>& records) {
  std::vector<std::string> words;
  for (const RunRecord& r : records) {
    const double longest = r.simulation.report.used.max_step;
    const std::string word = fmt::format("{:.3g} s", longest);
    if (!r.fixed_step && longest > 0.0 && std::count(words.begin(), words.end(), word) == 0) words.push_back(word);
  }
  return joined(words);
}

Cell status_cell(const RunRecord& r, std::vector<std::string>& remarks) {
  const Status& status = r.simulation.status;
  std::string words = to_string(status.outcome);
  if (!status.doubts.empty()) words += ", doubts";
  const std::string remark = remark_of(r);
  if (!remark.empty()) {
    remarks.push_back(remark);
    words += fmt::format(" [{}]", remarks.size());
  }
  return {words, !status.finished() ? Style::bad : status.doubts.empty() ? Style::good : Style::doubtful};
}

Table::Row cells(const RunRecord& r, std::vector<std::string>& remarks) {
  const Report& report = r.simulation.report;
  return {r.options.formulation,
          r.options.integrator,
          short_number(r.fixed_step ? r.options.step : r.options.rtol),
          status_cell(r, remarks),
          text(report.t_reached),
          std::to_string(report.steps),
          std::to_string(report.rhs_evaluations),
          std::to_string(report.jacobian_evaluations),
          std::to_string(report.nonlinear_failures),
          std::to_string(report.error_test_failures),
          two_digits(report.max_position_violation),
          two_digits(report.max_velocity_violation),
          two_digits(report.energy_drift),
          two_digits(r.error_vs_reference),
          two_digits(r.velocity_error_vs_reference),
          two_digits(r.multiplier_error_vs_reference),
          two_digits(r.cpu_seconds),
          r.fixed_step ? stability_text(r) : ""};
}

}  // namespace

double feedback_rate(const RunRecord& record) {
  const std::optional<GainAdvice>& advice = record.simulation.report.used.advice;
  return advice.has_value() ? advice->fastest : Report::none;
}

void print_comparison(const Problem& problem, const std::vector<RunRecord>& records, std::size_t width) {
  std::vector<std::string> remarks;
  std::vector<Table::Row> rows;
  std::vector<double> errors, violations, cpu;
  for (const RunRecord& r : records) {
    rows.push_back(cells(r, remarks));
    const bool counts = r.simulation.status.has_no_doubts() && r.holds_constraints;
    errors.push_back(counts ? r.error_vs_reference : Report::none);
    violations.push_back(counts ? r.simulation.report.max_position_violation : Report::none);
    cpu.push_back(counts ? r.cpu_seconds : Report::none);
  }
  embolden_smallest(rows, error_column, errors);
  embolden_smallest(rows, violation_column, violations);
  embolden_smallest(rows, cpu_column, cpu);
  print_wrapped(verdict(records), width);
  print_wrapped(problem.description(), width);
  if (problem.mechanism.reference) print_wrapped("error: against " + problem.mechanism.reference_source, width);
  print_wrapped(
      "newton, errtst: failures; g, g', errors (at the end, largest component) in the units of the rows, q, v, lambda; "
      "CPU: median of repetitions; - : does not apply\n",
      width);
  std::cout << Table(columns(), width, 1).grouped_text(rows);
  const auto bound = std::count_if(records.begin(), records.end(), longest_step_binds);
  if (bound > 0)
    print_wrapped(fmt::format("The longest step ({}) is the same for every row of a method, also for ida stock and ida "
                              "masks. It bound in {} of {} runs: most of their steps were as long as allowed.",
                              longest_steps(records), bound, records.size()),
                  width);
  for (std::size_t k = 0; k < remarks.size(); ++k) print_wrapped(fmt::format("[{}] {}", k + 1, remarks[k]), width);
}

}  // namespace sunlagrange::program
