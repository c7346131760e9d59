// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/singular_passages.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "base/words.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "simulation/altered_passage.hpp"
#include "simulation/alternatives.hpp"
#include "simulation/crossing.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Thresholds of the search for singular poses and of the judgement of passages; decisions 6 and 36 have the reasons.
/// Held by branches_test; calibrated in the campaign (decision 17).
struct PassageThresholds {
  // smallest eigenvalues of the scaled Schur complement (squares of singular values), relative to the largest of the
  // run where nothing else is said
  double suspicious_drop = 0.5;  ///< a rank drop below this absolute value is examined
  double deep_drop = 0.03;  ///< a rank drop is searched to the end below this: all values are small if masses lie far
                            ///< apart
  double near_critical = 0.0625;  ///< a critical pose is looked for below this absolute value: a singular value of 1/4
  double resolved_drop = 0.9;  ///< of the middle of three samples: if their parabola stays above, they show the whole
                               ///< rank drop
  double lower_than_ends = 0.9999;  ///< of the value at its ends: a rank drop is lower; otherwise two directions have
                                    ///< taken turns in being the weakest
  double singular = 1e-3;           ///< a rank drop below this and below the rank threshold is a singular pose
  double regular = 1e-2;            ///< samples above this have accelerations that can be used
  double edge = 30.0;      ///< in rank thresholds: samples above it are regular, for directions are tapered below 10
  double crossing = 1e-6;  ///< AtSingularity::project crosses from the first state below this
  double crossing_ahead = 1e-5;  ///< and from a state below this if the next step would lead through the singular pose

  // change of velocity that the accelerations do not explain, relative to the velocities
  double smooth_change = 0.1;    ///< below it the passage was smooth if the energy agrees
  double proving_change = 0.03;  ///< below it the passage was smooth if nothing is known of the energy
  double certain_change = 0.5;   ///< above it the motion has changed its branch, unless the equations are altered

  double energy = 0.1;      ///< that one passage may gain or lose at tight tolerances, in that of a run
  double known_work = 0.3;  ///< of that: what the work of moving constraints may leave open for the energy to count

  double shortest = 1e-4;         ///< of the run: passages closer to each other are the same one
  std::size_t most_poses = 1000;  ///< kept
  int samples_at_end = 8;         ///< of the last step, which has no sample behind it
  int most_cuts = 40;             ///< of the search for the lowest point of a rank drop
  int cuts_of_shallow = 10;       ///< the same of a drop that is not deep
  double resolution = 1e-9;       ///< of t, relative: width at which the search ends
  double share = 0.01;            ///< squared part in the lost direction of a row that a message names
};
constexpr PassageThresholds passage_threshold;

/// Returns the lowest point of the parabola through the smallest eigenvalues of three samples. It may lie outside
/// the samples if the middle one is not the smallest.
double lowest_of_parabola(const PathSample& left, const PathSample& middle, const PathSample& right) {
  const double h = middle.t - left.t, k = right.t - middle.t;
  const double back = (middle.smallest - left.smallest) / h, forth = (right.smallest - middle.smallest) / k;
  const double curvature = (forth - back) / (h + k);
  const double slope = (back * k + forth * h) / (h + k);  // at the middle
  return curvature > 0.0 ? middle.smallest - 0.25 * slope * slope / curvature : middle.smallest;
}

/// Returns true if the singular value reaches zero within a step like the last one. The singular value is linear in
/// time beside a singular pose; `smallest` is its square, an eigenvalue.
bool leads_to_zero(const PathSample& before, const PathSample& now) {
  return 2.0 * std::sqrt(now.smallest) < std::sqrt(before.smallest);
}

/// Returns true if a compliance, of the formulation or of the rank policy, makes the equations regular at singular
/// poses.
bool solves_altered_equations(std::string_view formulation, RankPolicy policy) {
  return policy == RankPolicy::regularized || find_formulation(formulation).accuracy.altered_motion > 0.0;
}

/// Returns the energy that a motion may gain or lose in one passage, relative to Report::energy_scale.
double energy_allowed(const SimulationOptions& options) {
  const EnergyThresholds& run = energy_threshold;
  if (find_integrator(options.integrator).fixed_step) return run.most;
  return std::clamp(passage_threshold.energy * run.tolerances * options.rtol, passage_threshold.energy * run.least,
                    run.most);
}

Status stopped_at(const RankEvent& pose) {
  return {Outcome::rank_loss, "stopped as asked at the singular configuration at t = " + text(pose.t) +
                                  ", constraint \"" + pose.constraint + "\", smallest singular value " +
                                  text(pose.smallest) +
                                  "; at_singularity = filter integrates through it, project skips it"};
}

}  // namespace

/// A point of a rank drop, with the eigenvalues of a PathSample.
struct SingularPassages::RankDrop {
  double smallest;
  double with_masses;
  int weakest_row;

  bool operator<(const RankDrop& other) const { return smallest < other.smallest; }
};

SingularPassages::SingularPassages(ObservedRun& run, EnergyBalanceCheck& energy)
    : run_(run),
      path_(run.path),
      energy_(energy),
      poses_(run),
      altered_(solves_altered_equations(run.options.formulation, run.options.linear_solver.rank_policy)),
      energy_allowed_(energy_allowed(run.options)),
      shortest_(passage_threshold.shortest * run.span()) {}

void SingularPassages::restart(double /*event_work*/) {
  before_ = earlier_ = {};
  poses_.restart();
  candidates_.clear();
  largest_ = 0.0;
  restarted_ = true;
  mass_slots_.clear();
}

void SingularPassages::begin_segment(IntegratorStepper& stepper, const double* /*q*/, const double* /*v*/) {
  gains_ = gains_in_use(stepper.attachment().facts());
}

/// Reads M_ii of the point that was sampled last: a scale need not be that of the newest state.
void SingularPassages::read_mass_diagonal() {
  const Workspace& w = path_.quantities();
  if (mass_slots_.empty()) {
    const int n = path_.system()->num_positions();
    for (int i = 0; i < n; ++i) mass_slots_.push_back(w.patterns->mass.slot(i, i));
    mass_diagonal_.resize(mass_slots_.size());
  }
  for (std::size_t i = 0; i < mass_slots_.size(); ++i) mass_diagonal_[i] = w.M.values[mass_slots_[i]];
}

void SingularPassages::observe(const AcceptedStep& step) {
  sample_newest();
  if (step.stepper != nullptr && run_.options.at_singularity == AtSingularity::stop && !run_.report.rank_events.empty())
    run_.stop(stopped_at(run_.report.rank_events.front()));
}

void SingularPassages::sample_newest() {
  Report& report = run_.report;
  const PathSample& newest = path_.newest();
  if (path_.system()->num_constraints() == 0) return;
  record_power(energy_.driving_power());
  if (!newest.ranked) return poses_.observe(newest, judged_);
  read_mass_diagonal();
  const std::vector<const PathSample*>& last = path_.ranked();
  if (restarted_) judged_ = report.rank_events.size();
  restarted_ = false;
  report.smallest_singular_value = std::min(report.smallest_singular_value, std::sqrt(newest.with_masses));
  largest_ = std::max(largest_, newest.smallest);
  if (last.size() == 3) {
    const double at_middle = last[1]->smallest;
    if (at_middle <= passage_threshold.suspicious_drop && last[0]->smallest >= at_middle &&
        last[2]->smallest > at_middle) {
      if (at_middle < passage_threshold.deep_drop * largest_ ||
          lowest_of_parabola(*last[0], *last[1], *last[2]) < passage_threshold.resolved_drop * at_middle) {
        const double ends = std::min(last[0]->smallest, last[2]->smallest);
        find_rank_drop(last[0]->t, last[2]->t, ends, at_middle < singular_level());
      } else if (const PathSample& at = *last[1]; may_be_critical(at_middle)) {
        find_pose(event_at(at.t, at_middle, at.weakest_row, true), at);
      }
    }
  }
  const bool regular = newest.regular && newest.smallest >= std::max(passage_threshold.edge * path_.rank_threshold(),
                                                                     passage_threshold.regular * largest_);
  if (regular) judge_passage(before_, newest);
  poses_.observe(newest, judged_);
  if (!regular) return;
  std::swap(earlier_, before_);  // memory is used again
  before_.sample = newest;
  before_.energy_error = energy_.error();
  before_.work_uncertainty = report.work_uncertainty;
  before_.power = before_.greatest_power = std::abs(energy_.driving_power());
}

/// A power that is not finite counts as infinite: nothing is known of the work from then on.
void SingularPassages::record_power(double power) {
  const double size = std::isfinite(power) ? std::abs(power) : INFINITY;
  for (RegularSample* from : {&earlier_, &before_}) from->greatest_power = std::max(from->greatest_power, size);
}

/// A rank drop inside the last step has no third sample behind it: samples inside the step show it, the middle first.
void SingularPassages::search_last_step() {
  if (path_.system()->num_constraints() == 0 || path_.samples().size() < 2 || largest_ == 0.0) return;
  if (!path_.newest().ranked) {
    path_.rank_newest();
    sample_newest();
  }
  const std::vector<const PathSample*>& last = path_.ranked();
  if (last.size() < 2) return;
  const PathSample& a = *last[last.size() - 2];
  const PathSample& b = *last.back();
  const double ends = std::min(a.smallest, b.smallest);
  const PathSample middle = path_.between(0.5 * (a.t + b.t));
  const bool resolved = middle.smallest >= passage_threshold.deep_drop * largest_ &&
                        lowest_of_parabola(a, middle, b) >= passage_threshold.resolved_drop * middle.smallest;
  const int samples = passage_threshold.samples_at_end;
  for (int k = 1; k < samples && !resolved && !restarted_; ++k) {
    const double inside = path_.between(a.t + (b.t - a.t) * k / samples).smallest;
    if (!(inside < ends) || inside > passage_threshold.suspicious_drop) continue;
    find_rank_drop(a.t, b.t, ends, ends < singular_level());
    break;
  }
  if (b.regular && b.smallest >= passage_threshold.edge * path_.rank_threshold())
    judge_passage(before_.sample.t < b.t ? before_ : earlier_, b);
}

/// Returns true if there is a gap between the branches ahead: the motion turns there, and what lies straight ahead is
/// the other branch. Looked for once in each approach.
bool SingularPassages::gap_ahead() {
  if (approach_ == before_.sample.t) return gap_ahead_;
  approach_ = before_.sample.t;
  gap_ahead_ = false;
  if (!before_.sample.regular || !CriticalPose::can_be_found(*path_.system())) return false;
  const std::optional<CriticalPose> pose = CriticalPose::find(*path_.system(), path_.newest(), before_.sample);
  gap_ahead_ = pose && !pose->exact();
  return gap_ahead_;
}

std::optional<MotionState> SingularPassages::state_behind_pose() {
  if (run_.options.at_singularity != AtSingularity::project || path_.samples().size() < 2) return std::nullopt;
  const PathSample& now = path_.newest();
  const PathSample& previous = path_.samples()[path_.samples().size() - 2];
  if (!now.ranked || !(now.smallest < previous.smallest)) return std::nullopt;
  const double level = passage_threshold.edge * path_.rank_threshold();
  const bool at_edge = now.smallest < std::max(level, passage_threshold.crossing * largest_);
  const bool steps_over = now.smallest < passage_threshold.crossing_ahead * largest_ && leads_to_zero(previous, now);
  if ((!at_edge && !steps_over) || gap_ahead()) return std::nullopt;
  return cross_singularity(path_.system(), path_.linear_solver(), before_.sample, now, level, run_.report.t_end);
}

double SingularPassages::singular_level() const {
  return std::min(path_.rank_threshold(), passage_threshold.singular * largest_);
}

/// Searches the lowest point of a rank drop on the dense output: an integrator may step over a singular
/// pose without noticing.
void SingularPassages::find_rank_drop(double low, double high, double ends, bool noticed) {
  Report& report = run_.report;
  const double deep = passage_threshold.deep_drop * largest_;
  const auto probe = [this](double t) {
    const PathSample sample = path_.between(t);
    if (energy_.driven()) record_power(energy_.power_of_constraints(sample));
    return RankDrop{sample.smallest, sample.with_masses, sample.weakest_row};
  };
  const auto continues = [deep](const GoldenSection<RankDrop>& s) {
    return s.cuts < passage_threshold.most_cuts &&
           s.high - s.low > passage_threshold.resolution * (1.0 + std::abs(s.high)) &&
           !(s.cuts == passage_threshold.cuts_of_shallow && std::min(s.left, s.right).smallest > deep);
  };
  const GoldenSection<RankDrop> found = golden_section(low, high, probe, continues);
  const bool in_left = found.left < found.right;
  const RankDrop& lowest = in_left ? found.left : found.right;
  report.smallest_singular_value = std::min(report.smallest_singular_value, std::sqrt(lowest.with_masses));
  const RankEvent pose = event_at(in_left ? found.x_left : found.x_right, lowest.smallest, lowest.weakest_row, noticed);
  const bool keeps_branch = may_be_critical(lowest.smallest) && !find_pose(pose, path_.between(pose.t));
  if (lowest.smallest >= singular_level()) {
    if (keeps_branch) return;
    if (!(lowest.smallest < deep) || candidates_.size() >= passage_threshold.most_poses) return;
    // With drift the path turns back in front of the singular pose, and the rank drop stays shallow. Where masses lie
    // far apart, two directions may take turns in being the weakest, and the change from one to the other is none.
    const double at_ends = std::min({ends, probe(low).smallest, probe(high).smallest});
    if (lowest.smallest < passage_threshold.lower_than_ends * at_ends) candidates_.push_back(pose);
    return;
  }
  if (report.rank_events.size() >= passage_threshold.most_poses) return;
  if (judged_ < report.rank_events.size() && pose.t - report.rank_events.back().t < shortest_) {
    RankEvent& same = report.rank_events.back();  // the same passage in tiny steps
    if (pose.smallest < same.smallest) same = pose;
    return;
  }
  report.rank_events.push_back(pose);
}

/// Returns true if a critical pose may lie near a sample with this eigenvalue.
bool SingularPassages::may_be_critical(double smallest) const {
  return smallest < passage_threshold.near_critical;
}

/// Looks for a critical pose where the motion may have changed its branch, or at a singular pose, which the report
/// shows. Returns false if the motion has certainly not changed it.
bool SingularPassages::find_pose(const RankEvent& dip, const PathSample& at) {
  if (!CriticalPose::can_be_found(*path_.system())) return true;
  if (at.smallest >= singular_level() && poses_.keeps_branch(at, before_.sample)) return false;
  poses_.find_near(dip, at, before_.sample);
  return true;
}

RankEvent SingularPassages::event_at(double t, double smallest, int weakest_row, bool noticed) const {
  RankEvent event;
  event.t = t;
  event.smallest = std::sqrt(smallest);
  event.constraint = path_.weakest_constraint(weakest_row);
  event.stepped_over = !noticed;
  return event;
}

/// Returns the change of velocity over the passage, of length W, minus W times the mean acceleration, relative to the
/// velocities; O(W^3) if the passage was smooth. Measured in sqrt(M_ii) v_i, so that units and the number of bodies do
/// not matter.
double SingularPassages::unexplained_velocity_change(const PathSample& before, const PathSample& after) const {
  if (!before.regular) return Report::none;
  const double W = after.t - before.t;
  double largest = 0.0;
  double scale = 0.0;
  for (Eigen::Index i = 0; i < after.v.size(); ++i) {
    const double weight = std::sqrt(std::max(0.0, mass_diagonal_[static_cast<std::size_t>(i)]));
    const double mean = 0.5 * W * (before.a[i] + after.a[i]);
    largest = std::max(largest, weight * std::abs(after.v[i] - before.v[i] - mean));
    scale = std::max({scale, weight * std::abs(after.v[i]), weight * std::abs(before.v[i]),
                      weight * 0.5 * W * std::abs(before.a[i]), weight * 0.5 * W * std::abs(after.a[i])});
  }
  return scale > 0.0 ? largest / scale : 0.0;
}

/// Returns the change of energy beyond the uncertainty of the work, relative to Report::energy_scale. Returns
/// Report::none if the work is not known well enough: multipliers of moving constraints may grow without bound there.
double SingularPassages::unexplained_energy(const RegularSample& before, const PathSample& after) const {
  const Report& report = run_.report;
  if (!(report.energy_scale > 0.0)) return Report::none;
  const double beside = std::max(before.power, std::abs(energy_.driving_power()));
  const double grown = (before.greatest_power - beside) * (after.t - before.sample.t);
  const double uncertain = report.work_uncertainty - before.work_uncertainty;
  if (energy_.driven() && !(uncertain + grown <= passage_threshold.known_work * energy_allowed_ * report.energy_scale))
    return Report::none;
  const double change = std::abs(energy_.error() - before.energy_error);
  return std::isnan(change) ? Report::none : std::max(0.0, change - uncertain) / report.energy_scale;
}

void SingularPassages::judge_passage(const RegularSample& before, const PathSample& after) {
  Report& report = run_.report;
  candidates_.erase(
      std::remove_if(candidates_.begin(), candidates_.end(), [this](RankEvent& c) { return poses_.complete(c); }),
      candidates_.end());
  if (judged_ == report.rank_events.size() && candidates_.empty()) return;
  const double velocity_change = unexplained_velocity_change(before.sample, after);
  const double energy = unexplained_energy(before, after);
  const bool judged_by_energy = altered_ && !std::isnan(energy);
  const bool harmless = velocity_change > passage_threshold.smooth_change
                            ? !(velocity_change > passage_threshold.certain_change) && energy <= energy_allowed_
                            : !(judged_by_energy && energy > energy_allowed_);
  if (!harmless && judged_ == report.rank_events.size() && !candidates_.empty() &&
      report.rank_events.size() < passage_threshold.most_poses) {
    report.rank_events.push_back(
        *std::min_element(candidates_.begin(), candidates_.end(),
                          [](const RankEvent& a, const RankEvent& b) { return a.smallest < b.smallest; }));
  }
  candidates_.clear();
  if (judged_ == report.rank_events.size()) return;
  const bool solution = altered_ && std::isnan(energy) && velocity_change > passage_threshold.proving_change &&
                        velocity_change <= passage_threshold.certain_change && converges(before.sample, after);
  for (; judged_ < report.rank_events.size(); ++judged_) {
    RankEvent& pose = report.rank_events[judged_];
    pose.unexplained_velocity_change = velocity_change;
    pose.energy_error = energy;
    if (!poses_.complete(pose)) pose.passage = verdict(velocity_change, energy, solution);
  }
}

bool SingularPassages::converges(const PathSample& before, const PathSample& after) const {
  FormulationOptions options{run_.options, {}};
  options.gains = gains_;
  Eigen::VectorXd weight(after.v.size());
  for (Eigen::Index i = 0; i < weight.size(); ++i)
    weight[i] = std::sqrt(std::max(0.0, mass_diagonal_[static_cast<std::size_t>(i)]));
  return passage_converges(path_.system(), options, weight, before, after);
}

/// Altered equations are ordinary ones, whose steps the integrator controls: a change of velocity proves nothing
/// against them, the energy decides, and after a large change it cannot prove a smooth passage. Where nothing is known
/// of the energy, as with moving constraints, a small change proves one, and so does the solution of altered equations
/// if the motion `converges` to it.
Passage SingularPassages::verdict(double velocity_change, double energy, bool converges) const {
  const PassageThresholds& c = passage_threshold;
  const bool certain = velocity_change > c.certain_change;
  if (!altered_ && certain) return Passage::jumped;
  const bool smooth = std::isnan(energy)
                          ? velocity_change <= c.proving_change || converges
                          : energy <= energy_allowed_ && !certain && (altered_ || velocity_change <= c.smooth_change);
  return smooth ? Passage::smooth : Passage::unverified;
}

void SingularPassages::finish(Status& status) {
  search_last_step();
  if (!status.finished()) return explain_stop(status);
  const std::vector<RankEvent>& poses = run_.report.rank_events;
  if (poses.empty()) return;
  if (run_.options.at_singularity == AtSingularity::stop) {
    status = stopped_at(poses.front());  // inside the last step
    return;
  }
  const Status passages = summary();
  status.outcome = passages.outcome;
  status.message += (status.message.empty() ? "" : "; ") + passages.message;
}

/// Names the singular pose beside the newest state of a run that could not go on there. Projections that fail beside it
/// look like the end of the domain of the model.
void SingularPassages::explain_stop(Status& status) {
  const bool declined = status.outcome == Outcome::model_error;
  if (!declined && status.outcome != Outcome::integrator_failure && status.outcome != Outcome::step_limit) return;
  if (altered_ || path_.samples().empty() || !may_be_critical(path_.newest().smallest)) return;
  const PathSample& newest = path_.newest();
  const RegularSample& from = before_.sample.t < newest.t && before_.sample.regular ? before_ : earlier_;
  if (!from.sample.regular) return;
  const std::optional<CriticalPose> pose = CriticalPose::find(*path_.system(), newest, from.sample);
  if (!pose) return;
  RankEvent event = event_at(newest.t, newest.smallest, newest.weakest_row, true);
  event.misfit = pose->exact() ? 0.0 : pose->largest_misfit();
  event.gap = pose->exact() ? 0.0 : pose->gap();
  std::vector<std::string> rows;
  for (Eigen::Index i = 0; i < pose->direction().size(); ++i) {
    const double share = pose->direction()[i] * pose->direction()[i];
    if (share > passage_threshold.share) rows.push_back(path_.system()->constraint_name(static_cast<int>(i)));
  }
  std::vector<RankEvent>& events = run_.report.rank_events;
  if (!events.empty() && event.t - events.back().t < shortest_)
    events.back() = event;
  else
    events.push_back(event);
  const bool projects = run_.options.at_singularity == AtSingularity::project;
  const std::string words = "stopped beside a singular pose at t = " + text(event.t) + ", where " + quoted(rows) +
                            " lose rank: " + PosePassages::branches_of(event) +
                            (projects ? "" : "; at_singularity = project goes on beyond it");
  if (declined) status.outcome = Outcome::rank_loss;
  status.message = words + " (" + status.message + ")";
}

/// A run through singular poses has finished only if every passage was smooth.
Status SingularPassages::summary() const {
  const Report& report = run_.report;
  const auto worst = [&](Passage passage) {
    return std::find_if(report.rank_events.begin(), report.rank_events.end(),
                        [&](const RankEvent& e) { return e.passage == passage; });
  };
  const auto jumped = worst(Passage::jumped);
  const auto unverified = worst(Passage::unverified);
  const bool smooth = jumped == report.rank_events.end() && unverified == report.rank_events.end();
  const RankEvent& e = jumped != report.rank_events.end()       ? *jumped
                       : unverified != report.rank_events.end() ? *unverified
                                                                : report.rank_events.front();
  Status status;
  status.message = "passed " + std::to_string(report.rank_events.size()) + " nearly singular configuration" +
                   (report.rank_events.size() == 1 ? "" : "s");
  if (smooth) {
    status.message += ", all smoothly (first at t = " + text(e.t) + ", constraint \"" + e.constraint + "\")";
    return status;
  }
  status.outcome = Outcome::uncertain_branch;
  if (const std::string way = PosePassages::text_at(e); !way.empty()) {
    status.message += "; at t = " + text(e.t) + " " + way;
  } else if (e.passage == Passage::jumped) {
    status.message += "; the velocity jumped at t = " + text(e.t) + " by " + text(e.unexplained_velocity_change) +
                      " of its size: the motion left the smooth branch";
  } else if (e.energy_error > 0.0 && (altered_ || e.unexplained_velocity_change <= passage_threshold.smooth_change)) {
    status.message += "; at t = " + text(e.t) + " " + text(e.energy_error) +
                      " of the energy came or went: the motion did not stay on its branch, or not accurately";
  } else {
    status.message += "; at t = " + text(e.t) + " it could not be verified that the motion stayed on its branch";
    if (e.unexplained_velocity_change > passage_threshold.smooth_change)
      status.message += ", where its velocity changed by " + text(e.unexplained_velocity_change) + " of its size";
  }
  status.message += ", constraint \"" + e.constraint + "\"; use tighter tolerances";
  if (run_.path.system()->motion_law().has_forces) {  // these formulations take no program
    const std::string& used = run_.options.formulation;
    status.message += ", or formulation " + (e.misfit > 0.0 ? alternatives({"projected", "ggl"}, used)  // not softer
                                                            : alternatives({"projected", "ggl", "penalty"}, used));
  }
  if (std::isfinite(report.energy_drift)) status.message += "; energy drift " + text(report.energy_drift) + " J";
  return status;
}

std::unique_ptr<Check> make_singular_passages(ObservedRun& run, const CheckList& earlier) {
  return std::make_unique<SingularPassages>(run, earlier.get<EnergyBalanceCheck>());
}

}  // namespace sunlagrange::internal
