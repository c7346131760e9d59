// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/energy_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <sunlagrange/internal/differences.hpp>
#include <sunlagrange/model/not_smooth.hpp>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

EnergyBalanceCheck::EnergyBalanceCheck(ObservedRun& run)
    : run_(run),
      system_(run.path.system().get()),
      rest_(Eigen::VectorXd::Zero(system_->num_positions())),
      momentum_(rest_),
      known_(system_->motion_law().has_forces || system_->energy_known()),
      model_gives_energy_(system_->energy_known()),
      conservative_(model_gives_energy_),
      rtol_(run.options.rtol),
      tolerances_(*system_, run.options),
      displaced_(rest_),
      largest_(rest_),
      fastest_(rest_),
      corners_(times_not_smooth(*system_)) {}

void EnergyBalanceCheck::restart(double event_work) {
  system_ = run_.path.system().get();
  quantities_.reset();
  history_.forget();
  if (model_gives_energy_) work_ += event_work;
  if (states_ > 0) {  // else the run goes on from a checkpoint
    displaced_.setZero();
    turns_ = 0;
  }
  restarted_ = !model_gives_energy_;
}

void EnergyBalanceCheck::describe(Figures& state) {
  state("start", start_, "J", "energy at the start");
  state("potential", potential_, "J", "potential energy at the start");
  state("work", work_, "J", "work since the start");
  state("error", error_, "J", "change of energy minus work");
  state("known", known_, "true if energy and work were finite so far");
  state("driven", driven_, "true if a constraint moved");
  state("conservative", conservative_, "true if nothing but its own energy drives the motion");
  state("displaced", displaced_, "unit of q", "displacement that the error of the energy has caused");
  state("largest", largest_, "unit of q", "largest value of each coordinate");
  state("fastest", fastest_, "unit of v", "largest rate of each coordinate");
  state("first_turn", first_turns_[0], "s", "time at which the motion turned back first");
  state("second_turn", first_turns_[1], "s", "the next one");
  state("third_turn", first_turns_[2], "s", "the next one");
  state("turns", turns_, "1", "how often the motion turned back");
  state("uncertainty_of_history", uncertainty_of_history_, "J", "uncertainty of the work by the history of the power");
  state("net_difference", net_difference_, "J", "difference between two quadratures of the work");
  state("largest_difference", largest_difference_, "J", "its largest size so far");
  state("unseen_change", unseen_change_, "J", "largest change in a step that its error test did not see");
}

void EnergyBalanceCheck::observe(const AcceptedStep& step) {
  if (!known_) return;
  const SampledPath& path = run_.path;
  Report& report = run_.report;
  const PathSample& now = path.newest();
  const Workspace& w = path.quantities();
  const double kinetic = kinetic_energy();  // before other points of the path are evaluated
  const double tolerated_before = tolerated_;
  tolerated_ = tolerated_change(now);
  const double energy = model_gives_energy_ ? w.energy : now.evaluated ? kinetic : Report::none;
  power_before_ = power_;
  moving_before_ = moving_;
  moving_ = false;
  power_ = model_gives_energy_ ? w.power : now.evaluated ? power_of_forces(now.t, now.q, now.v, w.f) : Report::none;
  driving_power_ = power_of_constraints(now);
  power_ += driving_power_;
  conservative_ = conservative_ && power_ == 0.0;
  remember_power(now.t);
  ++states_;
  if (std::isnan(start_)) {
    start_ = energy;
    error_ = report.energy_drift = 0.0;
    potential_ = energy - kinetic;
  } else {
    uncertainty_of_step_ = 0.0;
    if (path.samples().size() > 1) add_work();
    conservative_ = conservative_ && !driven_;
    if (restarted_) start_ = energy - work_ - error_;
    restarted_ = false;
    error_ = energy - start_ - work_;
    report.energy_drift = std::max(report.energy_drift, std::abs(error_));
    report.energy_scale =
        std::max({report.energy_scale, kinetic, std::abs(energy - kinetic - potential_), std::abs(work_)});
    const double change = std::abs(error_ - error_before_) - uncertainty_of_step_;
    const double tolerated = std::min(tolerated_before, tolerated_);  // 0: at rest, or not evaluated
    if (step.stepper != nullptr && tolerated > 0.0 && change > accuracy_threshold.tolerances * tolerated)
      unseen_change_ = std::max(unseen_change_, change);
    if (conservative_ && now.evaluated && path.samples().size() > 1) measure_displacement(kinetic);
    if (!std::isfinite(work_) || !std::isfinite(energy)) {
      known_ = false;
      error_ = report.energy_drift = Report::none;
    }
  }
  kinetic_before_ = kinetic;
  error_before_ = error_;
}

/// Returns by how much the energy of the newest state differs from that of one whose positions and velocities differ by
/// a tolerance each, with the signs that change it most: v^T M dv - f^T dq.
double EnergyBalanceCheck::tolerated_change(const PathSample& now) const {
  const Workspace& w = run_.path.quantities();
  double sum = 0.0;
  for (Eigen::Index i = 0; now.evaluated && i < momentum_.size(); ++i)
    sum += std::abs(momentum_[i]) * tolerances_.of(i, now.v[i]) + std::abs(w.f[i]) * tolerances_.of(i, now.q[i]);
  return sum;
}

/// No polynomial goes on behind a time where forces are not smooth: states far in front of it would make a step behind
/// it look well known.
void EnergyBalanceCheck::remember_power(double t) {
  history_.add(t, power_);
  const std::size_t before = next_corner_;
  while (next_corner_ < corners_.size() && corners_[next_corner_] <= t) ++next_corner_;
  if (next_corner_ == before) return;
  history_.forget();
  history_.add(t, power_);
}

/// A motion with an error e of its energy is faster by the factor 1 - sqrt(1 - e / T) than without the error, and each
/// part of its path is longer by the same factor. The sum starts again where the motion turns back: T vanishes there,
/// and the error of an oscillation is one of its amplitude, and of its period: measure_lateness().
void EnergyBalanceCheck::measure_displacement(double kinetic) {
  const SampledPath& path = run_.path;
  const PathSample& from = path.samples()[path.samples().size() - 2];
  const PathSample& now = path.newest();
  fastest_ = fastest_.cwiseMax(now.v.cwiseAbs());
  if (from.v.dot(momentum_) < 0.0) {
    displaced_.setZero();
    if (swings_alike()) measure_lateness();
  }
  const double T = 0.5 * (kinetic + kinetic_before_), e = 0.5 * (error_ + error_before_);
  if (!(T > 0.0) || !std::isfinite(e)) return;
  const double share = 1.0 - std::sqrt(std::max(0.0, 1.0 - e / T));
  double displacement = run_.report.energy_displacement;
  for (Eigen::Index i = 0; i < displaced_.size(); ++i) {
    largest_[i] = std::max(std::max(largest_[i], std::abs(from.q[i])), std::abs(now.q[i]));
    displaced_[i] += share * std::abs(now.q[i] - from.q[i]);
    displacement = std::max(displacement, rtol_ * std::abs(displaced_[i]) / tolerances_.of(i, largest_[i]));
  }
  run_.report.energy_displacement = displacement;
}

/// A motion of one freedom with its own energy alone repeats itself, and what its swings differ in is the error of that
/// energy.
bool EnergyBalanceCheck::swings_alike() const {
  return conservative_ && run_.report.start.rank == system_->num_positions() - 1;
}

/// Compares the time at which the motion turns back in the last step with the one that its first full swing predicts:
/// the run is so much early or late.
void EnergyBalanceCheck::measure_lateness() {
  const SampledPath& path = run_.path;
  double early = path.samples()[path.samples().size() - 2].t, late = path.newest().t;
  for (int k = 0; k < energy_threshold.bisections; ++k) {
    const double t = 0.5 * (early + late);
    path.interpolate(t, q_, v_);
    (v_.dot(momentum_) < 0.0 ? early : late) = t;
  }
  const double turn = turns_++;
  if (turn < 3.0) {
    first_turns_[static_cast<std::size_t>(turn)] = late;
    return;
  }
  const double swing = first_turns_[2] - first_turns_[0];
  const double odd = std::fmod(turn, 2.0);
  const double lateness = late - first_turns_[odd > 0.0 ? 1 : 0] - 0.5 * (turn - odd) * swing;
  double& displacement = run_.report.energy_displacement;
  for (Eigen::Index i = 0; i < fastest_.size(); ++i)
    displacement = std::max(displacement, rtol_ * std::abs(lateness) * fastest_[i] / tolerances_.of(i, largest_[i]));
}

/// Made at its first use: many runs never need it.
Workspace& EnergyBalanceCheck::quantities() {
  if (quantities_ == nullptr) quantities_ = make_workspace(*system_, Storage::sparse);
  return *quantities_;
}

double EnergyBalanceCheck::kinetic_energy() {
  const PathSample& now = run_.path.newest();
  if (!now.evaluated) return 0.0;
  momentum_.setZero();
  momentum_ += run_.path.quantities().M * now.v;
  return 0.5 * now.v.dot(momentum_);
}

double EnergyBalanceCheck::quadratic_form(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace& w = quantities();
  if (!evaluate_system(*system_, request::mass, {t, q.data(), v.data(), nullptr, nullptr}, w)) return Report::none;
  momentum_.setZero();
  momentum_ += w.M * v;
  return v.dot(momentum_);
}

/// Returns v^T f + v^T M' v / 2. M' is a central difference along the motion.
double EnergyBalanceCheck::power_of_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                           const Eigen::VectorXd& f) {
  const double applied = v.dot(f);
  const double speed = natural_size(*system_, v);
  if (system_->constant_mass() || !(speed > 0.0)) return applied;
  const double size = natural_size(*system_, q);
  // not farther out of the run than other differences along the motion: the model need not be defined there
  const double h = std::max(std::min(energy_threshold.difference * (size > 0.0 ? size : 1.0) / speed, step_second),
                            1e3 * last_digit(t));
  shifted_ = q + h * v;
  const double later = quadratic_form(t + h, shifted_, v);
  shifted_ = q - h * v;
  return applied + 0.25 / h * (later - quadratic_form(t - h, shifted_, v));
}

/// Computes g_t into rate_ and returns true if it is more than rounding. A difference of two difference quotients is
/// more than rounding, too: until a constraint is known to move, g_t is confirmed with v = 0.
bool EnergyBalanceCheck::constraints_move(const PathSample& s) {
  const Workspace& w = run_.path.quantities();
  const double rounding = 1e-12 * max_abs(w.G.values) * max_abs(s.v);
  rate_ = w.g_rate;
  rate_ -= w.G * s.v;
  if (max_abs_or_not_finite(rate_) <= rounding) return false;
  if (driven_) return true;
  Workspace& still = quantities();
  return evaluate_system(*system_, request::constraint, {s.t, s.q.data(), rest_.data(), nullptr, nullptr}, still) &&
         max_abs_or_not_finite(still.g_rate) > 0.0;
}

double EnergyBalanceCheck::power_of_constraints(const PathSample& s) {
  if (!s.evaluated) return driven_ ? Report::none : 0.0;
  if (!constraints_move(s)) return 0.0;
  driven_ = moving_ = true;
  return s.lambda.dot(rate_);
}

/// Returns the power inside the last step of everything that the energy does not contain: other applied forces, which
/// the model gives, and moving constraints, whose multipliers cost a factorisation.
double EnergyBalanceCheck::power_between(double t) {
  double driving = 0.0;
  if (moving_ || moving_before_) {
    const PathSample inside = run_.path.between(t, false);
    driving = power_of_constraints(inside);
    q_ = inside.q;
    v_ = inside.v;
  } else {
    run_.path.interpolate(t, q_, v_);
  }
  Workspace& w = quantities();
  const unsigned what = model_gives_energy_ ? request::energy : request::force;
  if (!evaluate_system(*system_, what, {t, q_.data(), v_.data(), nullptr, nullptr}, w)) return Report::none;
  return driving + (model_gives_energy_ ? w.power : power_of_forces(t, q_, v_, w.f));
}

/// Adds the work of the last step as the history of the power gives it, unless its uncertainty matters beside the
/// drift. Errors of neighbouring steps are alike; they add up like independent ones over many steps only.
bool EnergyBalanceCheck::accept_estimate(const PowerHistory::Work& estimate) {
  const double unseen = moving_ || moving_before_ ? energy_threshold.unseen_of_multipliers : energy_threshold.unseen;
  const double uncertain = states_ < energy_threshold.many_states
                               ? uncertainty_of_history_ + estimate.uncertainty
                               : std::hypot(uncertainty_of_history_, estimate.uncertainty);
  if (!(uncertain <= unseen * run_.report.energy_drift)) return false;
  run_.report.work_uncertainty += uncertain - uncertainty_of_history_;
  uncertainty_of_step_ = estimate.uncertainty;
  uncertainty_of_history_ = uncertain;
  work_ += estimate.value;
  return true;
}

/// Returns true if the last step has moved the positions, and the velocities at its ends do not show it: a prescribed
/// motion from rest to rest within one step.
bool EnergyBalanceCheck::moved_unseen() const {
  const PathSample& from = run_.path.samples()[run_.path.samples().size() - 2];
  const PathSample& to = run_.path.newest();
  const double h = to.t - from.t;
  double moved = 0.0, shown = 0.0;
  for (Eigen::Index i = 0; i < to.q.size(); ++i) {
    const double scale = system_->natural_scales()[i];
    moved = std::max(moved, std::abs(to.q[i] - from.q[i]) / scale);
    shown = std::max(shown, h * std::max(std::abs(from.v[i]), std::abs(to.v[i])) / scale);
  }
  return moved > energy_threshold.unseen_motion * shown &&
         moved > run_.options.atol + run_.options.rtol * natural_size(*system_, to.q);
}

/// Integrates the power over the last step: with the polynomial through its values at the last states if that is
/// accurate enough, with one more value in the middle if multipliers are needed, else with Gauss points on the dense
/// output. The difference to Simpson's rule bounds the error then: a few long steps of an integrator that follows a
/// prescribed motion exactly show little of the work. A step in which it matters is divided.
void EnergyBalanceCheck::add_work() {
  const bool at_rest_at_both_ends = power_before_ == 0.0 && power_ == 0.0;
  if (at_rest_at_both_ends && !moved_unseen()) return;
  if (!at_rest_at_both_ends && accept_estimate(history_.work())) return;
  moving_ = moving_ || at_rest_at_both_ends;  // perhaps
  const auto& samples = run_.path.samples();
  const PathSample& from = samples[samples.size() - 2];
  const double h = run_.path.newest().t - from.t;
  const std::array<QuadraturePoint, 3> points = gauss_points(from.t, h);
  const double middle = power_between(points[1].t);
  if ((moving_ || moving_before_) && accept_estimate(history_.work(middle))) return;
  double work = points[0].weight * power_between(points[0].t) + points[1].weight * middle +
                points[2].weight * power_between(points[2].t);
  double difference = work - h / 6.0 * (power_before_ + 4.0 * middle + power_);
  const double enough = energy_threshold.known_work * std::max(run_.report.energy_scale, std::abs(work));
  for (int parts = 2; parts <= energy_threshold.most_parts && std::abs(difference) > enough; parts *= 2) {
    double sum = 0.0;
    for (int k = 0; k < parts; ++k) {
      for (const auto& [t, weight] : gauss_points(from.t + h * k / parts, h / parts)) sum += weight * power_between(t);
    }
    difference = sum - work;
    work = sum;
  }
  work_ += work;
  run_.report.work_uncertainty += uncertainty_of_step_ = std::abs(difference);
  net_difference_ += difference;
  largest_difference_ = std::max(largest_difference_, std::abs(net_difference_));
}

void EnergyBalanceCheck::judge(const ExpectedAccuracy& expected, Doubts& doubts) const {
  const EnergyThresholds& c = energy_threshold;
  const Report& r = expected.report;
  if (!expected.moves || r.start.position_violation_after > expected.rest_displacement) return;
  if (!expected.system.motion_law().has_forces && std::isnan(r.energy_drift)) return;
  // multipliers of moving constraints grow without bound at singular poses, and their work with them
  const auto unknown = std::find_if(r.rank_events.begin(), r.rank_events.end(),
                                    [this](const RankEvent& e) { return driven_ && std::isnan(e.energy_error); });
  if (unknown != r.rank_events.end()) {
    return doubts.not_checked(
        "energy could not be checked: the work of moving constraints is not known at the singular "
        "pose at t = " +
        text(unknown->t));
  }
  if (std::isnan(r.energy_drift)) {
    return doubts.not_checked("energy could not be checked: forces or accelerations are not known at every step");
  }
  if (!(r.energy_drift > 0.0 && r.energy_scale > 0.0)) return;
  const double promised = expected.fixed_step ? c.of_fixed_steps : std::min(c.most, c.tolerances * expected.used.rtol);
  // an error e of the energy is e / 2 of the speed, which displaces by e / 2 of the path, unless that was measured
  const double harmless = swings_alike() ? promised : 2.0 * c.displacement * r.max_position / r.path_length;
  const double least = expected.fixed_step || !expected.promised.velocities_controlled
                           ? c.least
                           : std::clamp(promised, c.least_of_tight_runs, c.least);
  const double allowed = std::max(least, std::min(promised, harmless));
  const double drift = r.energy_drift / r.energy_scale;
  // Two quadratures of the work tell how well it is known. No error test chose fixed steps: work that they do not
  // resolve is no excuse.
  const double uncertain = (uncertainty_of_history_ + largest_difference_) / r.energy_scale;
  const bool unresolved = !expected.fixed_step && uncertain > drift;
  const std::string remedy = std::string(expected.fixed_step ? "shorten the step"
                                         : unresolved        ? "forces change within the steps: give a shorter max_step"
                                                             : "tighten the tolerances") +
                             ", or check that forces and potential energy belong together";
  if (drift > allowed && unresolved && uncertain <= c.excused_work) {
    return doubts.not_checked("energy could not be checked: it changed by " + text(drift) +
                              " of the largest kinetic energy and work, and the work within the steps is known to " +
                              text(uncertain) + " only; give a shorter max_step");
  }
  doubts.add_if_above(DoubtKind::energy_balance, drift, allowed,
                      "energy changed without work, relative to the largest kinetic energy and work: " + remedy);
  // Where as many rows as coordinates are independent, the motion is the one that they prescribe, whatever the energy.
  const bool prescribed = r.start.rank == expected.system.num_positions() && r.events.empty();
  if (drift > allowed || prescribed) return;
  if (!expected.fixed_step && expected.promised.velocities_controlled) {
    doubts.add_if_above(
        DoubtKind::energy_balance, unseen_change_ / r.energy_scale, least,
        "within one step energy changed without work, by more than a thousand tolerances of position "
        "and velocity explain (relative to the largest kinetic energy and work). The error test did not "
        "see it, because forces begin or end within the step: give a shorter max_step, or tighten the "
        "tolerances");
  }
  doubts.add_if_above(DoubtKind::energy_balance, r.energy_displacement, c.displacement,
                      "energy changed without work, and where the motion is slow that makes it arrive elsewhere, "
                      "relative to the coordinate: " +
                          remedy);
}

std::unique_ptr<Check> make_energy_balance(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<EnergyBalanceCheck>(run);
}

}  // namespace sunlagrange::internal
