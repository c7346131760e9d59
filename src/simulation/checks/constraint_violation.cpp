// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/constraint_violation.hpp"

#include <algorithm>

#include <sunlagrange/base/setting.hpp>

#include "formulation/formulation.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (position_violation, velocity_violation).
struct ViolationThresholds {
  double left_of_start = 0.5;  ///< part of a given violation that may be left at the end where the form takes it back
  double diverged = 10.0;      ///< relative to the size of the start: springs of soft penalties stretch by a few sizes
  double small_size = 1e-3;  ///< |q| below this part of the way ahead, or of the start, is no measure: q may pass zero
  double position_share = 10.0;  ///< relative violation of velocities, over that of the positions
};
constexpr ViolationThresholds violation_threshold;

double times(double size, double x) {
  return size > 0.0 ? x * size : x;
}

}  // namespace

ConstraintViolation::ConstraintViolation(ObservedRun& run)
    : run_(run),
      measure_(*run.path.system()),
      largest_(times(run.report.max_position, run.report.relative_violation)),
      at_start_(times(run.report.max_position, run.report.violation_at_start)),
      largest_of_velocities_(times(run.report.max_velocity, run.report.relative_velocity_violation)),
      at_start_of_velocities_(times(run.report.max_velocity, run.report.velocity_violation_at_start)) {}

double ConstraintViolation::suspicious_velocities(double relative_violation) {
  return std::max(suspicious, violation_threshold.position_share * relative_violation);
}

bool ConstraintViolation::leaves_violation_of_start(const ExpectedAccuracy& expected) {
  const Report& r = expected.report;
  const double allowed = expected.violation(expected.promised.positions, r.max_position);
  return expected.promised.positions != ConstraintAccuracy::drifts && r.violation_at_start > allowed &&
         r.violation_at_end > std::max(allowed, violation_threshold.left_of_start * r.violation_at_start);
}

void ConstraintViolation::restart(double /*event_work*/) {
  restarted_ = true;
}

void ConstraintViolation::observe(const AcceptedStep& step) {
  if (run_.path.newest().evaluated) {
    measure_positions(step.ends_at_root);
    if (run_.path.system()->motion_law().has_forces) measure_velocities(step.ends_at_root);
  }
  if (step.stepper != nullptr && !(divergence_ < violation_threshold.diverged)) run_.reject(divergence());
}

/// @param inside_a_step  the state is dense output: no formulation has put it onto the constraints
void ConstraintViolation::measure_positions(bool inside_a_step) {
  const PathSample& now = run_.path.newest();
  const Workspace& w = run_.path.quantities();
  Report& report = run_.report;
  report.max_position_violation = std::max(report.max_position_violation, max_abs_or_not_finite(w.g));
  report.max_velocity_violation =
      std::max(run_.path.system()->motion_law().velocity_violation(w.g_rate), report.max_velocity_violation);
  const double size = run_.position_size;
  const ViolationMeasure::Violation violation = measure_(w, now.q, size, w.g);
  const double scale = violation.entry > 0.0 ? violation.entry * (size > 0.0 ? size : 1.0) : 1.0;
  if (restarted_) {
    restarted_ = false;
    const double ahead = report.t_end - now.t;
    const double way = std::max(natural_size(*run_.path.system(), now.v) * ahead,
                                now.regular ? 0.5 * natural_size(*run_.path.system(), now.a) * ahead * ahead : 0.0);
    start_scale_ =
        std::max({start_scale_, scale, size > violation_threshold.small_size * way ? 0.0 : violation.entry * way});
  }
  relative_ = violation.largest / std::max(scale, violation_threshold.small_size * start_scale_);
  divergence_ = violation.largest / start_scale_;
  displacement_ = violation.displacement();
  if (!inside_a_step) largest_ = std::max(largest_, displacement_);
  if (report.steps == 0) at_start_ = displacement_;
  report.relative_violation = ratio(largest_, report.max_position);
  report.violation_at_start = ratio(at_start_, report.max_position);
  report.violation_at_end = ratio(displacement_, report.max_position);
}

void ConstraintViolation::measure_velocities(bool inside_a_step) {
  Report& report = run_.report;
  const Workspace& w = run_.path.quantities();
  const ViolationMeasure::Violation violation = measure_(w, run_.path.newest().v, run_.velocity_size, w.g_rate);
  const double velocity = violation.displacement();
  if (!inside_a_step) largest_of_velocities_ = std::max(largest_of_velocities_, velocity);
  if (report.steps == 0) at_start_of_velocities_ = velocity;
  report.relative_velocity_violation = ratio(largest_of_velocities_, report.max_velocity);
  report.velocity_violation_at_start = ratio(at_start_of_velocities_, report.max_velocity);
  report.velocity_violation_at_end = relative_velocity_ = ratio(velocity, report.max_velocity);
}

Status ConstraintViolation::divergence() const {
  const bool fixed_step = find_integrator(run_.options.integrator).fixed_step;
  const std::string gains(find_formulation(run_.options.formulation).feedback_of(*run_.path.system()));
  std::string remedy = fixed_step ? ": shorten the step, " : ": tighten the tolerances, ";
  if (gains.empty())
    remedy += "or use formulation integral_manifold, which takes drift back";
  else if (fixed_step)
    remedy +=
        "lower " + gains + " (gain x step against the stability limit of the method) or use an adaptive integrator";
  else
    remedy += "or check " + gains + " and the units of atol";
  return {Outcome::integrator_failure, "the solution diverged at t = " + text(run_.path.newest().t) +
                                           ", max |g| = " + text(run_.report.max_position_violation) + remedy};
}

void ConstraintViolation::judge(const ExpectedAccuracy& expected, Doubts& doubts) const {
  const Report& r = expected.report;
  const ConstraintAccuracy positions = expected.promised.positions, velocities = expected.promised.velocities;
  if (leaves_violation_of_start(expected)) {
    doubts.add_if_above(DoubtKind::position_violation, r.violation_at_end,
                        violation_threshold.left_of_start * r.violation_at_start,
                        "the violation of the start, taken as given, is still there: no solution leads from it to the "
                        "constraints; use start = consistent, or a longer run");
  } else {
    doubts.add_if_above(
        DoubtKind::position_violation, r.relative_violation,
        expected.violation(positions, r.max_position) + accuracy_threshold.given_start * r.violation_at_start,
        "the constraints are violated by more than formulation " + expected.used.formulation +
            " promises, relative to the size of the mechanism: " + expected.remedy(positions));
  }
  // velocities of rows that contradict each other, or that no start satisfies, are judged as infeasible
  if (!r.start.velocities_feasible || !expected.system.motion_law().has_forces || !expected.moves ||
      r.velocity_infeasibility > suspicious_velocities(r.relative_violation))
    return;
  // feedback takes a violation of the positions back by one of the velocities
  const double on_the_way =
      r.used.advice ? r.used.advice->fastest * r.violation_at_start * r.max_position / r.max_velocity : 0.0;
  doubts.add_if_above(DoubtKind::velocity_violation, r.relative_velocity_violation,
                      expected.velocity_violation(velocities) +
                          accuracy_threshold.given_start * r.velocity_violation_at_start + on_the_way,
                      "the velocities violate the constraints by more than formulation " + expected.used.formulation +
                          " promises, relative to the largest velocity: " + expected.remedy(velocities));
}

std::unique_ptr<Check> make_constraint_violation(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<ConstraintViolation>(run);
}

}  // namespace sunlagrange::internal
