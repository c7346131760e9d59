#include "simulation/passages.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "simulation/alternatives.hpp"
#include "simulation/crossing.hpp"

namespace sunlagrange::internal {
namespace {

/// A dip of the smallest singular value below the first is looked at; searched to the end only below the second,
/// relative to the largest of the run: where masses lie far apart all are small.
constexpr double suspicious_dip = 0.5;
constexpr double deep_dip = 0.03;

/// Where the parabola through three samples stays above this share of the middle one, they show all of the dip: beside
/// singular configurations the value grows with the square of the distance, and the parabola leads to zero. Deep dips
/// are searched in any case: a motion that changes branch there has a kink between the samples.
constexpr double resolved_dip = 0.9;

constexpr std::size_t most_events = 1000;

/// Accelerations are of use only where the smallest singular value exceeds this many rank thresholds; lost
/// directions are tapered below tapered_below. AtSingularity::project leaves out the neighbourhood below.
constexpr double edge_of_singularity = 30.0;

/// AtSingularity::project crosses from the first state below the first of these, relative to the largest of the run,
/// and below the second if the next step would lead through the singular configuration: stages inside leave an error
/// that no step control sees. From farther away the extrapolation would be less accurate than the run.
constexpr double edge_of_crossing = 1e-6;
constexpr double near_crossing = 1e-5;

/// Change of velocity that the accelerations do not explain, relative to the velocities: below the first the passage
/// was smooth if the energy agrees, below the second if nothing is known of it, above the third the motion changed
/// branch.
constexpr double smooth_kink = 0.1;
constexpr double proving_kink = 0.03;
constexpr double certain_kink = 0.5;

/// Share of its energy that a motion may win or lose in one passage: this many relative tolerances, within bounds.
constexpr double passage_tolerances = 1e3;
constexpr double least_passage_energy = 1e-4;
constexpr double most_passage_energy = 0.05;

/// Of that, what the work of moving constraints may leave open if the passage is to be judged by the energy.
constexpr double known_work = 0.3;

/// Of the smallest singular values; where the middle one is not the smallest, perhaps of what lies beside them.
double lowest_of_parabola(const PathSample& left, const PathSample& middle, const PathSample& right) {
  const double h = middle.t - left.t, k = right.t - middle.t;
  const double back = (middle.smallest - left.smallest) / h, forth = (right.smallest - middle.smallest) / k;
  const double curvature = (forth - back) / (h + k);
  const double slope = (back * k + forth * h) / (h + k);  // at the middle
  return curvature > 0.0 ? middle.smallest - 0.25 * slope * slope / curvature : middle.smallest;
}

/// Will the singular value, linear beside a singular configuration, be zero within a step like the last one?
/// Eigenvalues are its square.
bool leads_to_zero(const PathSample& before, const PathSample& now) {
  return 2.0 * std::sqrt(now.smallest) < std::sqrt(before.smallest);
}

/// A compliance, of the formulation or of the rank policy, makes them regular at singular configurations.
bool solves_altered_equations(std::string_view formulation, RankPolicy policy) {
  return policy == RankPolicy::regularized || find_formulation(formulation).accuracy.altered_motion > 0.0;
}

double energy_allowed(const SimulationOptions& options) {
  if (find_integrator(options.integrator).fixed_step) return most_passage_energy;
  return std::clamp(passage_tolerances * options.rtol, least_passage_energy, most_passage_energy);
}

}  // namespace

/// The lowest point of a dip, and the probes on the way there.
struct SingularPassages::Dip {
  double smallest;
  double with_masses;
  int weakest_row;

  bool operator<(const Dip& other) const { return smallest < other.smallest; }
};

SingularPassages::SingularPassages(SampledPath& path, EnergyDrift& energy, const SimulationOptions& options,
                                   double t_start, double t_end)
    : path_(path),
      energy_(energy),
      policy_(options.at_singularity),
      altered_(solves_altered_equations(options.formulation, options.linear_solver.rank_policy)),
      energy_allowed_(energy_allowed(options)),
      threshold_(path.linear_solver().rank_threshold),
      t_end_(t_end),
      shortest_(1e-4 * (t_end - t_start)) {}

void SingularPassages::restart() {
  before_ = earlier_ = {};
  suspects_.clear();
  largest_ = 0.0;
  restarted_ = true;
  mass_slots_.clear();
}

/// Of the point that was sampled last: a scale need not be that of the newest state.
void SingularPassages::read_mass_diagonal() {
  const Workspace& w = path_.quantities();
  if (mass_slots_.empty()) {
    const int n = path_.system()->num_positions();
    for (int i = 0; i < n; ++i) mass_slots_.push_back(w.patterns->mass.slot(i, i));
    mass_diagonal_.resize(mass_slots_.size());
  }
  for (std::size_t i = 0; i < mass_slots_.size(); ++i) mass_diagonal_[i] = w.M.values[mass_slots_[i]];
}

void SingularPassages::accept(Report& report) {
  const PathSample& newest = path_.newest();
  if (path_.system()->num_constraints() == 0) return;
  see_power(energy_.power_of_drives());
  if (!newest.ranked) return;
  read_mass_diagonal();
  const std::vector<const PathSample*>& last = path_.ranked();
  if (restarted_) judged_ = report.rank_events.size();
  restarted_ = false;
  report.smallest_singular_value = std::min(report.smallest_singular_value, newest.with_masses);
  largest_ = std::max(largest_, newest.smallest);
  if (last.size() == 3) {
    const double at_middle = last[1]->smallest;
    if (at_middle <= suspicious_dip && last[0]->smallest >= at_middle && last[2]->smallest > at_middle &&
        (at_middle < deep_dip * largest_ ||
         lowest_of_parabola(*last[0], *last[1], *last[2]) < resolved_dip * at_middle)) {
      const double shoulders = std::min(last[0]->smallest, last[2]->smallest);
      find_dip(last[0]->t, last[2]->t, shoulders, at_middle < event_level(), report);
    }
  }
  const bool regular = newest.regular && newest.smallest >= std::max(edge_of_singularity * threshold_, 1e-2 * largest_);
  if (!regular) return;
  judge(before_, newest, report);
  std::swap(earlier_, before_);  // memory is used again
  before_.sample = newest;
  before_.energy_error = energy_.error();
  before_.work_uncertainty = report.work_uncertainty;
  before_.power = before_.greatest_power = std::abs(energy_.power_of_drives());
}

/// Not finite: from the shoulder on nothing is known.
void SingularPassages::see_power(double power) {
  const double size = std::isfinite(power) ? std::abs(power) : INFINITY;
  for (Shoulder* from : {&earlier_, &before_}) from->greatest_power = std::max(from->greatest_power, size);
}

/// A dip inside the last step has no third sample behind it; only its inside can tell, the middle first.
void SingularPassages::finish(Report& report) {
  if (path_.system()->num_constraints() == 0 || path_.samples().size() < 2 || largest_ == 0.0) return;
  if (!path_.newest().ranked) {
    path_.rank_newest();
    accept(report);
  }
  const std::vector<const PathSample*>& last = path_.ranked();
  if (last.size() < 2) return;
  const PathSample& a = *last[last.size() - 2];
  const PathSample& b = *last.back();
  const double ends = std::min(a.smallest, b.smallest);
  const PathSample middle = path_.between(0.5 * (a.t + b.t));
  const bool seen =
      middle.smallest >= deep_dip * largest_ && lowest_of_parabola(a, middle, b) >= resolved_dip * middle.smallest;
  constexpr int looks = 8;
  for (int k = 1; k < looks && !seen && !restarted_; ++k) {
    const double inside = path_.between(a.t + (b.t - a.t) * k / looks).smallest;
    if (!(inside < ends) || inside > suspicious_dip) continue;
    find_dip(a.t, b.t, ends, ends < event_level(), report);
    break;
  }
  if (b.regular && b.smallest >= edge_of_singularity * threshold_)
    judge(before_.sample.t < b.t ? before_ : earlier_, b, report);
}

std::optional<MotionState> SingularPassages::beyond() const {
  if (policy_ != AtSingularity::project || path_.samples().size() < 2) return std::nullopt;
  const PathSample& now = path_.newest();
  const PathSample& previous = path_.samples()[path_.samples().size() - 2];
  if (!now.ranked || !(now.smallest < previous.smallest)) return std::nullopt;
  const double level = edge_of_singularity * threshold_;
  const bool at_edge = now.smallest < std::max(level, edge_of_crossing * largest_);
  const bool steps_over = now.smallest < near_crossing * largest_ && leads_to_zero(previous, now);
  if (!at_edge && !steps_over) return std::nullopt;
  return cross_singularity(path_.system(), path_.linear_solver(), before_.sample, now, level, t_end_);
}

double SingularPassages::event_level() const {
  return std::min(threshold_, 1e-3 * largest_);
}

/// A local minimum of the smallest singular value is searched on the dense output: an integrator may step over a
/// singular configuration without noticing.
void SingularPassages::find_dip(double low, double high, double shoulders, bool noticed, Report& report) {
  const double deep = deep_dip * largest_;
  const auto probe = [this](double t) {
    const PathSample sample = path_.between(t);
    if (energy_.driven()) see_power(energy_.power_of_constraints(path_, sample));
    return Dip{sample.smallest, sample.with_masses, sample.weakest_row};
  };
  const auto worthwhile = [deep](const GoldenSection<Dip>& s) {
    return s.cuts < 40 && s.high - s.low > 1e-9 * (1.0 + std::abs(s.high)) &&
           !(s.cuts == 10 && std::min(s.left, s.right).smallest > deep);
  };
  const GoldenSection<Dip> found = golden_section(low, high, probe, worthwhile);
  const bool in_left = found.left < found.right;
  const Dip& lowest = in_left ? found.left : found.right;
  report.smallest_singular_value = std::min(report.smallest_singular_value, lowest.with_masses);
  RankEvent event;
  event.t = in_left ? found.x_left : found.x_right;
  event.smallest = lowest.smallest;
  event.constraint = path_.weakest_constraint(lowest.weakest_row);
  event.stepped_over = !noticed;
  if (lowest.smallest >= event_level()) {
    if (!(lowest.smallest < deep) || suspects_.size() >= most_events) return;
    // With drift the path turns back in front of the singular configuration, and the dip stays shallow. Where masses
    // lie far apart, two directions may take turns in being the weakest, and what falls at the change is no dip.
    const double seen_again = std::min({shoulders, probe(low).smallest, probe(high).smallest});
    if (lowest.smallest < 0.9999 * seen_again) suspects_.push_back(event);
    return;
  }
  if (report.rank_events.size() >= most_events) return;
  if (judged_ < report.rank_events.size() && event.t - report.rank_events.back().t < shortest_) {
    RankEvent& same = report.rank_events.back();  // the same passage, seen again by tiny steps
    if (event.smallest < same.smallest) same = event;
    return;
  }
  report.rank_events.push_back(event);
}

/// Over the passage of length W the velocity changes by W times the mean acceleration, up to O(W^3), if nothing
/// happened. Measured in sqrt(M_ii) v_i, so that units and the number of bodies do not matter.
double SingularPassages::unexplained_change(const PathSample& before, const PathSample& after) const {
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

/// Beyond what the quadrature of the work leaves open, relative. The multipliers of moving constraints may grow without
/// bound there: where their work is not known well enough to judge by it, the energy says nothing.
double SingularPassages::unexplained_energy(const Shoulder& before, const PathSample& after,
                                            const Report& report) const {
  if (!(report.energy_scale > 0.0)) return Report::none;
  const double beside = std::max(before.power, std::abs(energy_.power_of_drives()));
  const double grown = (before.greatest_power - beside) * (after.t - before.sample.t);
  const double uncertain = report.work_uncertainty - before.work_uncertainty;
  if (energy_.driven() && !(uncertain + grown <= known_work * energy_allowed_ * report.energy_scale))
    return Report::none;
  const double change = std::abs(energy_.error() - before.energy_error);
  return std::isnan(change) ? Report::none : std::max(0.0, change - uncertain) / report.energy_scale;
}

void SingularPassages::judge(const Shoulder& before, const PathSample& after, Report& report) {
  if (judged_ == report.rank_events.size() && suspects_.empty()) return;
  const double kink = unexplained_change(before.sample, after);
  const double energy = unexplained_energy(before, after, report);
  const bool judged_by_energy = altered_ && !std::isnan(energy);
  const bool harmless = kink > smooth_kink ? !(kink > certain_kink) && energy <= energy_allowed_
                                           : !(judged_by_energy && energy > energy_allowed_);
  if (!harmless && judged_ == report.rank_events.size() && !suspects_.empty() &&
      report.rank_events.size() < most_events) {
    report.rank_events.push_back(
        *std::min_element(suspects_.begin(), suspects_.end(),
                          [](const RankEvent& a, const RankEvent& b) { return a.smallest < b.smallest; }));
  }
  suspects_.clear();
  for (; judged_ < report.rank_events.size(); ++judged_) {
    RankEvent& event = report.rank_events[judged_];
    event.unexplained_velocity_change = kink;
    event.energy_error = energy;
    event.passage = verdict(kink, energy);
  }
}

/// Altered equations are ordinary ones, whose steps the integrator controls; a kink is no proof against them, and the
/// energy has to speak for them; after a large kink it proves nothing. Where energy says nothing (moving constraints)
/// only a small kink proves anything.
Passage SingularPassages::verdict(double kink, double energy) const {
  const bool balanced = energy <= energy_allowed_ && !(kink > certain_kink);
  if (!altered_ && kink > certain_kink) return Passage::jumped;
  const bool smooth = std::isnan(energy) ? kink <= proving_kink : balanced && (altered_ || kink <= smooth_kink);
  return smooth ? Passage::smooth : Passage::unverified;
}

/// A run through singular configurations is a plain success only if every passage was seen to be smooth.
Status judge_passages(const Report& report, std::string_view formulation, RankPolicy policy) {
  if (report.rank_events.empty()) return {};
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
  const bool altered = solves_altered_equations(formulation, policy);
  Status status;
  status.message = "passed " + std::to_string(report.rank_events.size()) + " nearly singular configuration" +
                   (report.rank_events.size() == 1 ? "" : "s");
  if (smooth) {
    status.message += ", all smoothly (first at t = " + text(e.t) + ", constraint \"" + e.constraint + "\")";
    return status;
  }
  status.outcome = Outcome::uncertain_branch;
  if (e.passage == Passage::jumped) {
    status.message += "; the velocity jumped at t = " + text(e.t) + " by " + text(e.unexplained_velocity_change) +
                      " of its size: the motion left the smooth branch";
  } else if (e.energy_error > 0.0 && (altered || e.unexplained_velocity_change <= smooth_kink)) {
    status.message += "; at t = " + text(e.t) + " " + text(e.energy_error) +
                      " of the energy came or went: the motion did not stay on its branch, or not accurately";
  } else {
    status.message += "; at t = " + text(e.t) + " it could not be verified that the motion stayed on its branch";
    if (e.unexplained_velocity_change > smooth_kink)
      status.message += ", where its velocity changed by " + text(e.unexplained_velocity_change) + " of its size";
  }
  status.message += ", constraint \"" + e.constraint + "\"; use tighter tolerances, or formulation " +
                    alternatives({"projected", "ggl", "penalty"}, formulation);
  if (std::isfinite(report.energy_drift)) status.message += "; energy drift " + text(report.energy_drift) + " J";
  return status;
}

}  // namespace sunlagrange::internal
