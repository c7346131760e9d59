// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/setting.hpp>

#include "base/numerics.hpp"
#include "base/words.hpp"
#include "consistency/numerical_failure.hpp"
#include "consistency/projection.hpp"
#include "model/checks/examination.hpp"
#include "model/known_positions.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

std::string StateProjection::row_name(const Violation& violation) const {
  return violation.row >= 0 ? saddle_.system().constraint_name(violation.row) : "";
}

void StateProjection::describe_given() {
  ConsistencyReport& r = result_.report;
  const Violation positions = position_violation();
  const Violation velocities =
      law_.has_forces ? velocity_violation() : Violation{};  // a program determines its velocities
  r.position_violation_before = max_abs(evaluator_.quantities().g);
  r.velocity_violation_before = law_.velocity_violation(evaluator_.quantities().g_rate);
  r.worst_position_before = row_name(positions);
  r.worst_velocity_before = row_name(velocities);
  if (options_.start == Start::consistent) return;
  const bool off_position = positions.relative > options_.tolerance;
  const bool off_velocity = velocities.relative > options_.tolerance;
  r.worst_constraint = off_position || !off_velocity ? r.worst_position_before : r.worst_velocity_before;
  if (!off_position && !off_velocity) return;
  remark_ = "the start is taken as given although it violates the constraints:";
  if (off_position)
    remark_ += " max |g| = " + text(r.position_violation_before) + ", worst in \"" + r.worst_position_before + "\"";
  if (off_velocity) {
    remark_ += std::string(off_position ? ";" : "") + " max |(g', psi)| = " + text(r.velocity_violation_before) +
               ", worst in \"" + r.worst_velocity_before + "\"";
  }
  remark_ += "; start consistent removes the violation";
}

void StateProjection::describe_motion() {
  ConsistencyReport& r = result_.report;
  r.position_moves = result_.state.q - given_.q;
  r.velocity_moves = result_.state.v - given_.v;
  Eigen::Index where = 0;
  r.moved_positions = r.position_moves.cwiseAbs().maxCoeff(&where);
  const MechanicalSystem& system = saddle_.system();
  Eigen::VectorXd given = r.position_moves;
  bool any_given = false;
  const auto left_open = [&](int i) { return given_.q[i] == position_left_open(system, i); };
  for (int i = 0; i < system.num_positions(); ++i) any_given = any_given || !left_open(i);
  for (int i = 0; i < system.num_positions(); ++i) {
    if ((!any_given || !given_.fixed_positions.empty()) && left_open(i)) given[i] = 0.0;
  }
  r.moved_given = natural_size(system, given);
  for (int i = 0; i < system.num_positions() && r.moved_given > 0.0; ++i) {
    if (std::abs(std::abs(given[i]) / system.natural_scales()[i] - r.moved_given) <= 1e-12 * r.moved_given)
      r.most_moved_given = system.position_name(i);
  }
  if (r.moved_positions > 0.0) r.most_moved = saddle_.system().position_name(static_cast<int>(where));
  r.moved_velocities = r.velocity_moves.cwiseAbs().maxCoeff(&where);
  if (r.moved_velocities > 0.0) r.most_moved_velocity = saddle_.system().position_name(static_cast<int>(where));
}

/// Returns the coordinates of the worst row with their values if all of them are fixed, so that the row cannot be
/// satisfied; else nothing.
std::string StateProjection::fixed_coordinates_of_row() const {
  const MechanicalSystem& system = saddle_.system();
  const std::vector<int>& held = position_metric_.fixed;
  std::string words;
  bool all = true;
  evaluator_.quantities().G.for_each_entry([&](int i, int j, double entry) {
    if (entry == 0.0 || i >= m_g_ || system.constraint_name(i) != result_.report.worst_constraint) return;
    all = all && std::find(held.begin(), held.end(), j) != held.end();
    append_word(words, system.position_name(j) + " is held at " + text(result_.state.q[j]));
  });
  return all ? words : "";
}

Status StateProjection::infeasibility_status() const {
  const ConsistencyReport& r = result_.report;
  const std::string at = " at t = " + text(result_.state.t);
  if (!r.velocities_feasible && given_.fixed_velocities.empty()) {
    return {Outcome::infeasible, "no velocities satisfy the constraints" + at +
                                     ", max |(g', psi)| = " + text(r.velocity_violation_after) + ": the rates of " +
                                     quoted(in_conflict_) + " contradict each other; remove or correct one of them"};
  }
  if (!r.velocities_feasible) {
    return {Outcome::infeasible, "no velocities satisfy the constraints" + at + " with " +
                                     quoted(given_.fixed_velocities) +
                                     " fixed: max |(g', psi)| = " + text(r.velocity_violation_after) + ", worst in \"" +
                                     r.worst_constraint + "\"; fix fewer velocities or give consistent values"};
  }
  const bool fixed = !given_.fixed_positions.empty();
  if (const std::string held = fixed_coordinates_of_row(); !held.empty()) {
    return {Outcome::infeasible, "no configuration satisfies the constraints" + at + ": " + held + ", but \"" +
                                     r.worst_constraint + "\" depends on nothing else and is off by " +
                                     text(r.position_violation_after) +
                                     ": do not hold what it prescribes, or hold the value that it wants"};
  }
  if (!fixed && all_left_open(saddle_.system(), given_.q)) {
    return {Outcome::infeasible,
            "no configuration that satisfies the constraints was found" + at +
                ": no start value was given; all are 0, where max |g| = " + text(r.position_violation_after) +
                ", worst in \"" + r.worst_constraint + "\"; give a rough place and angle of each body"};
  }
  return {Outcome::infeasible,
          "no configuration that satisfies the constraints was found" + at +
              (fixed ? " with " + quoted(given_.fixed_positions) + " fixed" : "") +
              ": Gauss-Newton stalled near the given one with max |g| = " + text(r.position_violation_after) +
              ", worst in \"" + r.worst_constraint + "\"; " + (fixed ? "fix fewer positions, " : "") +
              "check lengths and the given positions, or start closer"};
}

std::string StateProjection::declined_by() const {
  const MotionState& s = result_.state;
  return declining_elements(saddle_.system(), s.t, s.q, s.v);
}

void StateProjection::finish(EvaluationResult e) {
  ConsistencyReport& r = result_.report;
  if (e != EvaluationResult::declined) {
    r.position_violation_after = max_abs(evaluator_.quantities().g);
    r.velocity_violation_after = law_.velocity_violation(evaluator_.quantities().g_rate);
    r.rank = saddle_.solver().rank();
  }
  r.accelerations_known = e == EvaluationResult::ok && r.feasible;
  if (!r.feasible) {
    r.status = infeasibility_status();
  } else if (metric_singular_) {
    r.status = {Outcome::rank_loss, "the mass metric is singular on the coordinates that may move, at t = " +
                                        text(result_.state.t) + "; give position_weights and velocity_weights"};
  } else if (const std::string names = e == EvaluationResult::declined ? declined_by() : ""; !names.empty()) {
    r.status = {
        Outcome::model_error,
        "the start, t = " + text(result_.state.t) + ", is declined by " + names +
            ": no value there, as the force of a spring has no direction where its ends coincide; start elsewhere"};
  } else {
    r.status = numerical_failure(e, evaluator_, saddle_, result_.state.t);
    const std::string where = values_not_finite(saddle_.system(), evaluator_.quantities());
    if (e == EvaluationResult::not_finite && !where.empty()) r.status.message += "; " + where;
  }
  if (!remark_.empty()) r.status.message += (r.status.message.empty() ? "" : "; ") + remark_;
}

}  // namespace sunlagrange::internal
