#include "simulation/doubts.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "model/natural_scales.hpp"
#include "simulation/feasibility.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double tolerances_allowed = 1e3;  // violation of forms that hold the constraints to tolerance
constexpr double rounding_allowed = 1e-8;   // of those that hold them to rounding
constexpr double drift_allowed = 1e-2;      // of those that drift, and of fixed steps, which have no tolerance
constexpr double energy_tolerances = 1e4;   // times rtol: energy that may go astray, of what the run held
constexpr double least_energy_allowed = 1e-3;
constexpr double least_energy_of_tight_runs = 1e-5;  // which control the velocities
constexpr double most_energy_allowed = 0.05;         // twice the velocity that it is the energy of
constexpr double energy_of_fixed_steps = 0.1;
constexpr double energy_excused = 0.1;           // of what the run held, for work that its steps did not resolve
constexpr double displacement_allowed = 0.1;     // of the size: a motion displaced by more is no result
constexpr double least_way = 1e3;                // tolerances: what moves less is at rest, and its energy all error
constexpr double least_way_of_size = 0.3;        // the same at rough tolerances, or of a natural scale if that is more,
constexpr double noise = 5.0;                    // but more tolerances than what rests may tremble by
constexpr double move_allowed = 0.3;             // of the size of the start
constexpr double velocity_change_allowed = 0.3;  // of the largest velocity given
constexpr double least_velocity = 1e-3;          // of the largest: a start that loses less does not know it
constexpr double share_of_policy_allowed = 0.5;
constexpr double share_tapered_allowed = 0.1;
constexpr double alterations_allowed = 100.0;  // violation that altered equations have at any tolerance, times how much
constexpr double softness_allowed = 10.0;      // alteration of the accelerations, in promises or tolerances
constexpr double givens_allowed = 10.0;        // violation on the way, times that of a start taken as given
constexpr double given_left = 0.5;             // of it at the end, where the formulation takes it back
constexpr double clock_allowed = 1e-2;  // way, relative to the size, that the motion may lose in the last digits of t
constexpr double growth_allowed = 1.0;  // of the constraint error by its own law, as a logarithm
constexpr double astray_allowed = 0.3;  // of the largest velocity, over the fixed steps of ten turns
constexpr double most_turned = 60.0;    // [rad]
constexpr double share_unconverged_allowed = 1e-2;
constexpr long few_failures = 20;  // a short run may fail more often than it steps

/// Of a whole run, for the judgement of its violations.
struct Judged {
  const MechanicalSystem& system;
  const Report& report;
  const SimulationOptions& used;
  Accuracy accuracy = find_formulation(used.formulation).accuracy;
  bool fixed_step = find_integrator(used.integrator).fixed_step;

  /// Violation of the constraints of one level, relative to `size`.
  double allowed(ConstraintAccuracy held, double size) const {
    const double law = alterations_allowed * accuracy.altered_motion;
    const double most =
        held == ConstraintAccuracy::drifts || (held == ConstraintAccuracy::to_tolerance && fixed_step) ? drift_allowed
        : held == ConstraintAccuracy::to_rounding ? rounding_allowed
                                                  : tolerances_allowed * std::max(used.rtol, used.atol / size);
    return std::clamp(most, rounding_allowed, drift_allowed) + law;
  }

  bool law_varies() const { return !std::isnan(report.error_growth); }
  std::string gains() const { return std::string(find_formulation(used.formulation).feedback_of(system)); }
  bool has_gains() const { return report.used.advice.has_value() || report.used.Lambda.has_value(); }

  /// What may help against a violation. @param held  by the formulation
  std::string remedy(ConstraintAccuracy held) const {
    if (fixed_step) {
      if (!has_gains()) return "shorten the step";
      return "shorten the step, or change " + gains() + ": step x " + (gains() == "K_N" ? "" : "rate of ") + gains() +
             " must stay inside the stability region";
    }
    if (accuracy.altered_motion > 0.0) {
      const char* of_start = used.gains.Lambda.automatic() ? ", which is chosen for the loads of the start," : "";
      return std::string("Lambda") + of_start + " may be too soft for those of the motion: raise it, or take baumgarte";
    }
    if (system.first_order()) return "tighten the tolerances" + (has_gains() ? ", or raise " + gains() : "");
    if (held == ConstraintAccuracy::drifts)
      return "take a formulation that does not let them drift: baumgarte, ggl, projected";
    return std::string("tighten the tolerances, ") + (has_gains() ? "raise its gains, " : "") +
           "or take another formulation";
  }
};

/// A list of doubts that takes what is above its bound.
class Doubts {
 public:
  void note(DoubtKind kind, double value, double allowed, std::string found) {
    if (value <= allowed) return;  // not a number: doubted
    found += " (" + text(value) + ", at most " + text(allowed) + " expected)";
    list.push_back({kind, value, allowed, std::move(found)});
  }
  std::vector<Doubt> list;
};

/// A start that is taken as given may violate the constraints, but what the formulation takes back is gone at the end.
void judge_positions(const Judged& run, Doubts& doubts) {
  const Report& r = run.report;
  const ConstraintAccuracy held = run.accuracy.positions;
  const double allowed = run.allowed(held, r.max_position);
  const bool left =
      held != ConstraintAccuracy::drifts && r.violation_at_end > std::max(allowed, given_left * r.violation_at_start);
  if (left && r.violation_at_start > allowed) {
    doubts.note(DoubtKind::position_violation, r.violation_at_end, given_left * r.violation_at_start,
                "the violation of the start, taken as given, is still there: no solution leads from it to the "
                "constraints; use start = consistent, or a longer run");
    return;
  }
  doubts.note(DoubtKind::position_violation, r.relative_violation, allowed + givens_allowed * r.violation_at_start,
              "the constraints are violated by more than formulation " + run.used.formulation +
                  " promises, relative to the size of the mechanism: " + run.remedy(held));
  // the dense output of a run is as good as its steps, never better
  const ConstraintAccuracy between = held == ConstraintAccuracy::to_rounding ? ConstraintAccuracy::to_tolerance : held;
  doubts.note(DoubtKind::dense_output, r.violation_between_steps,
              std::max(run.allowed(between, r.max_position) + givens_allowed * r.violation_at_start,
                       2.0 * r.relative_violation),
              "between the steps the trajectory leaves the constraints, relative to the size of the mechanism: take "
              "states at the steps, at Record::at_times or from consistent_state_at(), or " +
                  std::string(run.fixed_step ? "shorten the step" : "tighten the tolerances"));
}

/// @param moves  what is at rest has no velocities to compare with
void judge_velocities(const Judged& run, bool moves, Doubts& doubts) {
  const Report& r = run.report;
  if (!r.start.velocities_feasible) {
    doubts.note(DoubtKind::velocities_infeasible, r.start.velocity_violation_after, 0.0,
                "no velocity satisfies the velocity constraints at the start: check them and the start");
    return;
  }
  if (run.system.first_order() || !moves) return;
  const double size_of_contradiction = r.velocity_infeasibility;
  const double contradiction = suspicious_velocities(r.relative_violation);
  doubts.note(DoubtKind::velocities_infeasible, size_of_contradiction, contradiction,
              "no velocity satisfies the velocity constraints any more, relative to the velocities: check the rows, "
              "which contradict each other");
  if (size_of_contradiction > contradiction) return;
  const ConstraintAccuracy held = run.accuracy.velocities;
  const double allowed =
      std::max(run.allowed(held, r.max_velocity), tolerances_allowed * run.used.atol / r.max_velocity);
  // feedback takes a violation of the positions back by one of the velocities
  const double on_the_way =
      r.used.advice ? r.used.advice->fastest * r.violation_at_start * r.max_position / r.max_velocity : 0.0;
  doubts.note(DoubtKind::velocity_violation, r.relative_velocity_violation,
              allowed + givens_allowed * r.velocity_violation_at_start + on_the_way,
              "the velocities violate the constraints by more than formulation " + run.used.formulation +
                  " promises, relative to the largest velocity: " + run.remedy(held));
}

/// A step that leaves the constraints by more than forms without a projection may ever do has met a jump.
void judge_projections(const Judged& run, const Observed& observed, bool moves, Doubts& doubts) {
  const Report& r = run.report;
  if (!moves || !(r.max_velocity > 0.0)) return;
  const double allowed = std::max(run.allowed(ConstraintAccuracy::to_tolerance, r.max_velocity),
                                  tolerances_allowed * run.used.atol / r.max_velocity);
  doubts.note(
      DoubtKind::velocity_violation, observed.taken_out / r.max_velocity,
      allowed + givens_allowed * r.velocity_violation_at_start,
      "the step to t = " + text(observed.t_taken_out) +
          " left the velocity constraints, and the projection, which no error test sees, took it out, relative to the "
          "largest velocity: where a prescribed motion jumps, make that an event; where it begins within a step, "
          "give max_step; else " +
          run.remedy(ConstraintAccuracy::to_tolerance));
}

/// Velocities that were given and that the constraints forbid. What is zero was left open; what is small beside the
/// velocities of the run is none of its starts.
void judge_start_velocities(const Judged& run, const Eigen::VectorXd& given, Doubts& doubts) {
  const Report& r = run.report;
  const Eigen::VectorXd& moves = r.start.velocity_moves;
  if (run.system.first_order() || given.size() == 0 || moves.size() != given.size()) return;
  const Eigen::VectorXd changed = (given.array() != 0.0).select(moves, 0.0);
  const double size = natural_size(run.system, given);
  const double change = natural_size(run.system, changed);
  if (!(size > 0.0) || change <= std::max(run.used.atol, least_velocity * r.max_velocity)) return;
  Eigen::Index most = 0;
  changed.cwiseQuotient(run.system.natural_scales()).cwiseAbs().maxCoeff(&most);
  doubts.note(DoubtKind::start_moved, change / size, velocity_change_allowed,
              "the consistent start does not have the velocities given, most \"" +
                  run.system.position_name(static_cast<int>(most)) + "\", which is " + text(given[most] + moves[most]) +
                  " instead of " + text(given[most]) +
                  ", relative to the largest of them: give velocities that the constraints allow, or fix those that "
                  "are known");
}

void judge_rank(const Judged& run, const Observed& observed, bool moves, Doubts& doubts) {
  const Report& r = run.report;
  if (r.factorizations == 0) return;
  const auto factorizations = static_cast<double>(r.factorizations);
  const double tapered = static_cast<double>(observed.tapered) / factorizations;
  if (moves && tapered > share_tapered_allowed && !(run.accuracy.altered_motion > 0.0)) {
    doubts.note(DoubtKind::rank_policy, tapered, share_tapered_allowed,
                "one direction of the constraints is neither lost nor kept in many factorisations, and the motion may "
                "leave them along it: lower rank_threshold to keep it, raise it to drop it");
  } else if (r.start.rank == run.system.num_constraints()) {
    doubts.note(DoubtKind::rank_policy, static_cast<double>(r.rank_actions) / factorizations, share_of_policy_allowed,
                "directions of the constraints counted as lost in most factorisations of a mechanism that starts with "
                "none: lower rank_threshold, or scale masses and constraints");
  }
}

/// @param harmless_violation  of the start: off the constraints the stabilising forces do work
void judge_energy(const Judged& run, double harmless_violation, Doubts& doubts) {
  const Report& report = run.report;
  const bool started_on_them = !(report.start.position_violation_after > harmless_violation);
  // the multipliers of moving constraints grow without bound at singular configurations, and with them their work
  const bool work_known = std::none_of(report.rank_events.begin(), report.rank_events.end(),
                                       [](const RankEvent& e) { return std::isnan(e.energy_error); });
  if (!(started_on_them && work_known && report.energy_drift > 0.0 && report.energy_scale > 0.0)) return;
  const double promised =
      run.fixed_step ? energy_of_fixed_steps : std::min(most_energy_allowed, energy_tolerances * run.used.rtol);
  // a share e of the energy is e / 2 of the speed, which displaces by e / 2 of the path
  const double harmless = 2.0 * displacement_allowed * report.max_position / report.path_length;
  const double least = run.fixed_step || !run.accuracy.velocities_controlled
                           ? least_energy_allowed
                           : std::clamp(promised, least_energy_of_tight_runs, least_energy_allowed);
  const double allowed = std::max(least, std::min(promised, harmless));
  // no error test chose fixed steps: work that they do not resolve is no excuse, but a sign
  const double most_excused = run.fixed_step ? 0.0 : energy_excused * report.energy_scale;
  const double uncertain = std::min(report.work_uncertainty, most_excused);
  const double drift = (report.energy_drift - uncertain) / report.energy_scale;
  const bool unresolved = !run.fixed_step && report.work_uncertainty > most_excused;
  const std::string remedy = std::string(run.fixed_step ? "shorten the step"
                                         : unresolved   ? "forces change within the steps: give a shorter max_step"
                                                        : "tighten the tolerances") +
                             ", or check that forces and potential energy belong together";
  doubts.note(DoubtKind::energy_balance, drift, allowed,
              "energy came or went without work, relative to the largest kinetic energy and work: " + remedy);
  if (!(drift > allowed)) {
    doubts.note(DoubtKind::energy_balance, report.energy_displacement, displacement_allowed,
                "energy came or went without work, and where the motion is slow that makes it arrive elsewhere, "
                "relative to the coordinate: " +
                    remedy);
  }
}

/// What the steps do wrong may add up; where something takes it back, as damping does, a long run is no worse than ten
/// turns of it.
void judge_fixed_steps(const Report& r, const Observed& observed, Doubts& doubts) {
  if (!(observed.steps_astray > 0.0)) return;
  const double turned = observed.velocity_gained / r.max_velocity;  // [rad] of a motion that goes round
  doubts.note(DoubtKind::coarse_steps, observed.steps_astray / r.max_velocity * std::min(1.0, most_turned / turned),
              astray_allowed,
              "the motion turns within the fixed steps: what the velocities gain over them is not what the "
              "accelerations say, relative to the largest velocity, over ten turns at most: shorten the step");
}

/// Gains that change are judged along the motion, constant ones by what was known at the start.
void judge_law(const Judged& run, Doubts& doubts) {
  const Report& r = run.report;
  const auto& advice = r.used.advice;
  if (run.fixed_step && !run.law_varies() && advice && advice->stability_margin > 0.0) {
    doubts.note(DoubtKind::unstable_gains, 1.0 / advice->stability_margin, 1.0,
                "step x rate of the gains is " + text(advice->step_rate) + ", outside the stability region of " +
                    run.used.integrator + ", in units of its reach: " + run.remedy(run.accuracy.positions));
  }
  if (!run.law_varies()) return;
  const std::string source = run.system.first_order() ? "check the sign of the feedback" : "raise the dissipation c";
  doubts.note(DoubtKind::unstable_gains, r.error_growth, growth_allowed,
              std::string(run.system.first_order() ? "the feedback of the model feeds the constraint error"
                                                   : "the law of the constraint error feeds it") +
                  (run.fixed_step ? ", as " + run.used.integrator + " follows it" : "") +
                  " up to t = " + text(r.t_error_growth) +
                  ", logarithm of its growth: " + (run.fixed_step ? "shorten the step, or " : "") + source);
}

}  // namespace

std::vector<Doubt> doubts_about(const MechanicalSystem& system, const Report& report, const Observed& observed,
                                const SimulationOptions& used) {
  const Judged run{system, report, used};
  Doubts doubts;
  judge_positions(run, doubts);
  const double tolerances = used.atol + used.rtol * report.max_position;
  const double at_rest =
      std::clamp(least_way_of_size * std::max(report.max_position, 1.0) / tolerances, noise, least_way);
  const bool moves = report.max_displacement_in_tolerances > at_rest;
  judge_velocities(run, moves, doubts);
  judge_projections(run, observed, moves, doubts);
  if (moves) judge_energy(run, at_rest * tolerances, doubts);
  if (report.max_position > 0.0) {
    doubts.note(DoubtKind::start_moved, report.start.moved_given / report.max_position, move_allowed,
                "the consistent start lies far from the positions given, most \"" + report.start.most_moved_given +
                    "\", relative to the largest position: check the start values");
  }
  judge_start_velocities(run, observed.given_velocities, doubts);
  judge_rank(run, observed, moves, doubts);
  if (report.rhs_evaluations > 0) {
    doubts.note(DoubtKind::unconverged_iterations,
                static_cast<double>(report.unconverged_iterations) / static_cast<double>(report.rhs_evaluations),
                share_unconverged_allowed,
                "inner iterations of formulation " + used.formulation +
                    " ended at their limit, share of the evaluations: raise Lambda if you set it, or take another "
                    "formulation");
  }
  if (report.max_position > 0.0) {
    doubts.note(DoubtKind::rounded_clock, report.time_rounding * report.max_velocity / report.max_position,
                clock_allowed,
                "the last digits of t, " + text(last_digit(report.t_end)) +
                    " s, do not hold steps so short; way that the motion may lose by it, relative to the size of the "
                    "mechanism: shift the time axis, so that the run starts near t = 0");
  }
  // radau's iterations fail where its long steps are too long for a predictor; the shorter step is judged by its error
  const long iterations = used.integrator == "radau" ? 0 : report.nonlinear_failures;
  const long failures = iterations + report.error_test_failures;
  if (failures > few_failures) {
    doubts.note(DoubtKind::failed_steps,
                static_cast<double>(failures) / static_cast<double>(std::max(report.steps, 1L)), 1.0,
                "more steps failed than were accepted: the model may not be smooth, or the tolerances lie at rounding");
  }
  if (moves) judge_fixed_steps(report, observed, doubts);
  judge_law(run, doubts);
  const auto& advice = report.used.advice;
  if (advice && run.accuracy.altered_motion > 0.0) {
    const double tolerance = run.fixed_step ? 0.0 : std::max(used.rtol, used.atol / report.max_position);
    doubts.note(DoubtKind::altered_motion, advice->alteration,
                softness_allowed * std::max(run.accuracy.altered_motion, tolerance),
                "masses lie so far apart that an automatic Lambda is too soft for the heavy ones; by how much the "
                "accelerations differ, relative to those of the constraint forces: take baumgarte or projected");
  }
  return std::move(doubts.list);
}

}  // namespace sunlagrange::internal
