#include "compare/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include <fmt/core.h>

namespace sunlagrange::bench {
namespace {

std::vector<Column> columns(const std::vector<SimulationOptions>& runs, bool narrow) {
  std::size_t formulation = 12;
  std::size_t integrator = 11;
  for (const SimulationOptions& run : runs) {
    formulation = std::max(formulation, run.formulation.size());
    integrator = std::max(integrator, run.integrator.size());
  }
  const Align left = Align::left, right = Align::right;
  return {{"formulation", left, 0, formulation},
          {"integrator", left, 0, integrator},
          {"rtol|step", right, 0, 9},
          {"status", left, 0, narrow ? 14U : 23U},  // the longest take two lines
          {"reached", right, 7, 8},
          {"steps", right, 0, 7},
          {"rhs", right, 1, 8},
          {"jac", right, 8, 7},
          {"newton", right, 9, 6},
          {"errtst", right, 10, 6},
          {"max|g|", right, 2, 7},
          {"max|g'|", right, 6, 7},
          {"drift J", right, 5, 7},
          {"error q", right, 0, 7},
          {"error v", right, 4, 7},
          {"error lambda", right, 11, 12},
          {"seconds", right, 1, 7},
          {"gain x step", left, 3, 16}};
}

std::string short_number(double x) {
  return number(x, ".1e");
}

/// "0.50 of 2.785", with a mark when the step is too long for the feedback.
std::string stability_text(const RunRecord& record) {
  const ButcherTable* table = record.options.table.has_value() ? &*record.options.table
                                                               : integrator(record.options.integrator).fixed_step_table;
  if (table == nullptr) return "-";  // not an explicit method
  const double product = feedback_rate(record) * record.options.step;
  const double limit = table->real_stability_limit();
  return fmt::format("{} of {:.3f}{}", number(product, ".3g"), limit, product > limit ? " !" : "");
}

std::string title_of(const RunRecord& r) {
  return fmt::format("{}, {}, {} {:g}: ", r.options.formulation, r.options.integrator, r.fixed_step ? "step" : "rtol",
                     r.fixed_step ? r.options.step : r.options.rtol);
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
  return remark.empty() ? remark : title_of(r) + remark;
}

}  // namespace

double feedback_rate(const RunRecord& record) {
  const std::optional<GainAdvice>& advice = record.simulation.report.used.advice;
  return advice.has_value() ? advice->fastest : Report::none;
}

ComparisonTable::ComparisonTable(const std::vector<SimulationOptions>& runs, std::size_t width)
    : width_(width), table_(columns(runs, width != unlimited), width, 1) {}

void ComparisonTable::print_header() {
  print_wrapped(
      "newton, errtst: failures; g, g', errors (at the end, largest component) in the units of the rows, q, v, lambda; "
      "- : does not apply",
      width_);
  std::cout << table_.heading() << std::flush;
}

void ComparisonTable::print_row(const RunRecord& r) {
  const Report& report = r.simulation.report;
  std::string status = to_string(r.simulation.status.outcome);
  const std::string remark = remark_of(r);
  if (!r.simulation.status.doubts.empty()) status += ", doubts";
  if (!remark.empty()) {
    remarks_.push_back(remark);
    status += fmt::format(" [{}]", remarks_.size());
  }
  std::cout << table_.row({r.options.formulation, r.options.integrator,
                           text(r.fixed_step ? r.options.step : r.options.rtol), status, text(report.t_reached),
                           std::to_string(report.steps), std::to_string(report.rhs_evaluations),
                           std::to_string(report.jacobian_evaluations), std::to_string(report.nonlinear_failures),
                           std::to_string(report.error_test_failures), short_number(report.max_position_violation),
                           short_number(report.max_velocity_violation), short_number(report.energy_drift),
                           short_number(r.error_vs_reference), short_number(r.velocity_error_vs_reference),
                           short_number(r.multiplier_error_vs_reference), short_number(report.wall_seconds),
                           r.fixed_step ? stability_text(r) : ""})
            << std::flush;
}

void ComparisonTable::print_remarks() const {
  for (std::size_t k = 0; k < remarks_.size(); ++k) print_wrapped(fmt::format("[{}] {}", k + 1, remarks_[k]), width_);
}

}  // namespace sunlagrange::bench
