// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/feasibility.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (velocities_infeasible, infeasible) and infeasible_ahead_test.
struct FeasibilityThresholds {
  double suspicious_rounding = 1e-6;  ///< relative violation that starts a search, of forms that hold g to rounding
  double failing = 1e-9;  ///< a run that fails meets its constraints better than this; a larger violation is the reason
  double met = 0.1;       ///< of the suspicious violation: Newton's iteration has met the constraints
  int newton_steps = 4;   ///< at most
  double growth = 1.5;    ///< of the violation, after which the search is repeated, or after near_in_run
  int failed_searches = 3;  ///< in a row make a contradiction; singular poses are passed in fewer
};
constexpr FeasibilityThresholds feasibility_threshold;

}  // namespace

Feasibility::Feasibility(ObservedRun& run, const ConstraintViolation& violation)
    : run_(run),
      violation_(violation),
      suspicious_(find_formulation(run.options.formulation).accuracy.positions == ConstraintAccuracy::to_rounding
                      ? feasibility_threshold.suspicious_rounding
                      : ConstraintViolation::suspicious),
      infeasible_velocity_(run.report.max_velocity > 0.0 ? run.report.velocity_infeasibility * run.report.max_velocity
                                                         : run.report.velocity_infeasibility) {}

bool Feasibility::Schedule::due(double violation_now, double t_now, double span) {
  if (violation_now < feasibility_threshold.growth * violation && t_now - t < near_in_run * span) return false;
  violation = violation_now;
  t = t_now;
  return true;
}

void Feasibility::restart(double /*event_work*/) {
  start_.resize(0);
  newton_.reset();
}

void Feasibility::observe(const AcceptedStep& step) {
  const PathSample& now = run_.path.newest();
  if (start_.size() == 0 && now.evaluated) start_ = now.q;
  if (step.stepper == nullptr) return;
  check_velocities();
  check_positions();
}

void Feasibility::check_positions() {
  const PathSample& now = run_.path.newest();
  const double violation = violation_.of_positions();
  if (found_ || now.t == run_.report.t_start || violation < suspicious_) return;
  if (!positions_.due(violation, now.t, run_.span())) return;
  if (newton_meets_constraints(Level::positions, feasibility_threshold.met * suspicious_)) return;
  found_ = infeasible_at(now.t, now.q, suspicious_);
  if (found_ && run_.options.stop_when_infeasible) run_.stop(*found_);
}

void Feasibility::check_velocities() {
  const PathSample& now = run_.path.newest();
  Report& report = run_.report;
  const double violation = violation_.of_velocities();
  const double allowed = ConstraintViolation::suspicious_velocities(violation_.of_positions());
  if (!now.evaluated || !(report.max_velocity > 0.0) || !(violation > allowed)) {
    failed_searches_ = 0;
  } else if (velocities_.due(violation, now.t, run_.span())) {
    const bool met = newton_meets_constraints(Level::velocities, feasibility_threshold.met * allowed);
    failed_searches_ = met ? 0 : failed_searches_ + 1;
    if (failed_searches_ >= feasibility_threshold.failed_searches)
      infeasible_velocity_ = std::max(infeasible_velocity_, violation * report.max_velocity);
  }
  if (infeasible_velocity_ > 0.0 && report.max_velocity > 0.0)
    report.velocity_infeasibility = infeasible_velocity_ / report.max_velocity;
}

/// Newton's iteration from the newest state, in the metric M. Returns true if it meets the constraints of the level to
/// `tolerance`, relative to the largest entry of G times the largest coordinate or velocity; false if it does not, or
/// if the system is a kinematic program.
bool Feasibility::newton_meets_constraints(Level level, double tolerance) {
  const MechanicalSystem& system = *run_.path.system();
  if (!system.motion_law().has_forces) return false;
  if (newton_ == nullptr) newton_ = std::make_unique<Newton>(run_.path);
  const bool positions = level == Level::positions;
  const PathSample& now = run_.path.newest();
  Eigen::VectorXd q = now.q, v = now.v;
  Eigen::VectorXd& x = positions ? q : v;
  for (int step = 0; step < feasibility_threshold.newton_steps; ++step) {
    const Workspace* at = newton_->evaluator.at(now.t, q.data(), v.data());
    if (newton_->saddle.factorize(at) != EvaluationResult::ok) return false;
    const Workspace& w = *at;
    // a motion that has come to rest has no velocity of its own to compare with
    const double size = positions ? max_abs(x) : std::max(max_abs(x), run_.report.max_velocity);
    const double violation = max_abs_or_not_finite(positions ? w.g : w.g_rate);
    if (violation <= tolerance * max_abs(w.G.values) * (size > 0.0 ? size : 1.0)) return true;
    Eigen::VectorXd correction = Eigen::VectorXd::Zero(x.size());
    Eigen::VectorXd rows = Eigen::VectorXd::Zero(system.num_constraints());
    if (positions)
      rows.head(system.num_position_constraints()) = -w.g;
    else
      rows = -w.g_rate;
    if (newton_->saddle.solve(correction.data(), rows.data()) != EvaluationResult::ok) return false;
    x += correction;
  }
  return false;
}

std::optional<Status> Feasibility::infeasible_at(double t, const Eigen::VectorXd& q, double tolerance) const {
  ConsistencyOptions options;
  options.linear_solver = run_.path.linear_solver();
  options.tolerance = tolerance;
  options.typical_position = size(q);  // a start at q = 0 has no size of its own
  // Velocities do not matter here, and are looked for only where the positions were found.
  const auto reached = [](const ConsistencyReport& report) { return report.feasible || !report.velocities_feasible; };
  const auto projected_from = [&](const Eigen::VectorXd& guess) {
    return consistent_state(run_.path.system(), {t, guess, {}}, options).report;
  };
  const ConsistencyReport projected = projected_from(q);
  if (reached(projected)) return std::nullopt;
  // The solution itself may have left the constraints: then the start still leads to a feasible configuration.
  if (start_.size() > 0 && reached(projected_from(start_))) return std::nullopt;
  // Gauss-Newton also stalls at a singular configuration from which a feasible one can be reached: look around.
  const double magnitude = size(q);
  for (int k = 1; k <= 4; ++k) {
    Eigen::VectorXd nearby = q;
    const double shift = 0.02 * k * (magnitude > 0.0 ? magnitude : 1.0);
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double scale = run_.path.system()->natural_scales()[i];
      nearby[i] += shift * scale * std::sin(2.4 * static_cast<double>((i + 1) * k));
    }
    if (reached(projected_from(nearby))) return std::nullopt;
  }
  return projected.status;
}

std::optional<Status> Feasibility::ends_here(double last_step, const std::string& what_happened) const {
  if (found_) return std::nullopt;
  const PathSample& s = run_.path.newest();
  const double ahead = near_in_run * run_.span();
  const double near = 0.1 * size(s.q);  // velocities are of no use where they grow without bound
  for (double later = std::max(last_step, 1e-3 * ahead);; later *= 4.0) {
    const double probe = std::min(later, ahead);
    const bool straight_on = probe * size(s.v) <= near;
    const std::optional<Status> ends =
        infeasible_at(s.t + probe, straight_on ? (s.q + probe * s.v).eval() : s.q, feasibility_threshold.failing);
    if (ends) return Status{Outcome::infeasible, ends->message + " (" + what_happened + ")"};
    if (probe >= ahead) return std::nullopt;
  }
}

void Feasibility::finish(Status& status) {
  if (!found_) return;
  const bool more = !status.finished() || !status.message.empty();
  const bool said = status.message == found_->message;
  status = {Outcome::infeasible, found_->message + (more && !said ? "; then: " + status.message : "")};
}

void Feasibility::judge(const ExpectedAccuracy& expected, Doubts& doubts) const {
  const Report& r = expected.report;
  if (!r.start.velocities_feasible) {
    doubts.add_if_above(DoubtKind::velocities_infeasible, r.start.velocity_violation_after, 0.0,
                        "no velocity satisfies the velocity constraints at the start: check them and the start");
  } else if (expected.system.motion_law().has_forces && expected.moves) {
    doubts.add_if_above(DoubtKind::velocities_infeasible, r.velocity_infeasibility,
                        ConstraintViolation::suspicious_velocities(r.relative_violation),
                        "no velocity satisfies the velocity constraints any more, relative to the velocities: check "
                        "the rows, which contradict each other");
  }
}

std::unique_ptr<Check> make_feasibility(ObservedRun& run, const CheckList& earlier) {
  return std::make_unique<Feasibility>(run, earlier.get<ConstraintViolation>());
}

}  // namespace sunlagrange::internal
