#include "shared/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace sunlagrange::bench {
namespace {

std::string short_number(double x) {
  if (!std::isfinite(x)) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1e", x);
  return buffer;
}

std::string formatted(const char* format, double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

struct Column {
  const char* title;
  int width;  ///< negative: left-aligned
};

constexpr Column columns[] = {
    {"rtol|step", 9}, {"status", -23}, {"reached", 8}, {"steps", 7},         {"rhs", 8},
    {"jac", 7},       {"newton", 6},   {"errtst", 6},  {"max|g|", 7},        {"max|g'|", 7},
    {"drift J", 7},   {"error q", 7},  {"error v", 7}, {"error lambda", 12}, {"seconds", 7},
};

void print_cell(const Column& column, const std::string& text) {
  const auto width = static_cast<std::size_t>(std::abs(column.width));
  const std::string padding(text.size() < width ? width - text.size() : 0, ' ');
  std::cout << (column.width < 0 ? text + padding : padding + text) << " ";
}

/// "0.50 of 2.785", with a mark when the step is too long for the feedback.
std::string stability_text(const RunRecord& record) {
  const ButcherTable* table = record.options.table.has_value() ? &*record.options.table
                                                               : integrator(record.options.integrator).fixed_step_table;
  if (table == nullptr) return "-";  // not an explicit method
  const double rate = feedback_rate(record);
  const double limit = table->real_stability_limit();
  if (std::isnan(rate)) return "- of " + formatted("%.3f", limit);
  const double product = rate * record.options.step;
  return formatted("%.3g", product) + " of " + formatted("%.3f", limit) + (product > limit ? " !" : "");
}

std::string title_of(const RunRecord& r) {
  return r.options.formulation + ", " + r.options.integrator + ", " +
         (r.fixed_step ? "step " + text(r.options.step) : "rtol " + text(r.options.rtol)) + ": ";
}

std::string remark_of(const RunRecord& r) {
  std::string remark = r.simulation.status.message;
  for (const RankEvent& event : r.simulation.report.rank_events) {
    if (!event.stepped_over) continue;
    remark += (remark.empty() ? "" : "; ") + std::string("stepped over a near-singular configuration at t = ") +
              text(event.t) + " without noticing, constraint \"" + event.constraint + "\"";
    break;
  }
  return remark.empty() ? remark : title_of(r) + remark;
}

}  // namespace

double feedback_rate(const RunRecord& record) {
  const std::optional<GainAdvice>& advice = record.simulation.report.used.advice;
  return advice.has_value() ? advice->fastest : Report::none;
}

ComparisonTable::ComparisonTable(const std::vector<SimulationOptions>& runs) {
  for (const SimulationOptions& run : runs) {
    widest_formulation_ = std::max(widest_formulation_, run.formulation.size());
    widest_integrator_ = std::max(widest_integrator_, run.integrator.size());
  }
}

void ComparisonTable::print_names(const std::string& formulation, const std::string& integrator) const {
  print_cell({"", -static_cast<int>(widest_formulation_)}, formulation);
  print_cell({"", -static_cast<int>(widest_integrator_)}, integrator);
}

void ComparisonTable::print_header() const {
  std::cout << "newton, errtst: failures; g, g', errors (at the end, largest component) in the units of the rows, q, "
               "v, lambda; - : does not apply\n";
  print_names("formulation", "integrator");
  for (const Column& column : columns) print_cell(column, column.title);
  std::cout << "gain x step" << std::endl;
}

void ComparisonTable::print_row(const RunRecord& r) {
  const Report& report = r.simulation.report;
  std::string status = to_string(r.simulation.status.outcome);
  const std::string remark = remark_of(r);
  if (!remark.empty()) {
    remarks_.push_back(remark);
    status += " [" + std::to_string(remarks_.size()) + "]";
  }
  const std::string cells[] = {text(r.fixed_step ? r.options.step : r.options.rtol),
                               status,
                               text(report.t_reached),
                               std::to_string(report.steps),
                               std::to_string(report.rhs_evaluations),
                               std::to_string(report.jacobian_evaluations),
                               std::to_string(report.nonlinear_failures),
                               std::to_string(report.error_test_failures),
                               short_number(report.max_position_violation),
                               short_number(report.max_velocity_violation),
                               short_number(report.energy_drift),
                               short_number(r.error_vs_reference),
                               short_number(r.velocity_error_vs_reference),
                               short_number(r.multiplier_error_vs_reference),
                               short_number(report.wall_seconds)};
  print_names(r.options.formulation, r.options.integrator);
  for (std::size_t k = 0; k < std::size(columns); ++k) print_cell(columns[k], cells[k]);
  if (r.fixed_step) std::cout << stability_text(r);
  std::cout << std::endl;
}

void ComparisonTable::print_remarks() const {
  for (std::size_t k = 0; k < remarks_.size(); ++k) std::cout << "[" << k + 1 << "] " << remarks_[k] << "\n";
}

}  // namespace sunlagrange::bench
