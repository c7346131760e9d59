#include "simulation/feasibility.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"

namespace sunlagrange::internal {
namespace {

/// Violations above this, relative to max|G| max|q|, start a feasibility check; the second where the formulation holds
/// the constraints to rounding.
constexpr double suspicious_violation = 2e-5;
constexpr double suspicious_rounding = 1e-6;

/// A run that fails meets its constraints better than this: what is above it is the reason.
constexpr double failing_violation = 1e-9;

/// Singular configurations, where no velocity takes a violation back either, are passed in less checks.
constexpr int checks_of_contradiction = 3;

/// Every so many steps the path is looked at between them.
constexpr int steps_unseen = 16;

}  // namespace

Feasibility::Feasibility(SampledPath& path, const SimulationOptions& options, double t_start, double t_end)
    : path_(path),
      t_start_(t_start),
      t_end_(t_end),
      suspicious_(find_formulation(options.formulation).accuracy.positions == ConstraintAccuracy::to_rounding
                      ? suspicious_rounding
                      : suspicious_violation),
      tolerances_(*path.system(), options),
      sizes_(*path.system()),
      own_scale_(*path.system()) {}

void Feasibility::resume(const Report& report) {
  const auto of = [](double relative, double size) { return size > 0.0 ? relative * size : relative; };
  off_ = of(report.relative_violation, report.max_position);
  off_at_start_ = of(report.violation_at_start, report.max_position);
  off_between_ = of(report.violation_between_steps, report.max_position);
  off_velocity_ = of(report.relative_velocity_violation, report.max_velocity);
  off_velocity_at_start_ = of(report.velocity_violation_at_start, report.max_velocity);
  off_contradiction_ = of(report.velocity_infeasibility, report.max_velocity);
}

bool Feasibility::Check::due(double now, double at, double span) {
  if (now < 1.5 * violation && at - t < 0.01 * span) return false;
  violation = now;
  t = at;
  return true;
}

/// The largest of the violations, of g or (g', psi), and in `entry` the largest |G_ij| beside it. Rows of a scale of
/// their own count as if their largest term were that of the others.
/// @param x  what they are violations of: q or v
double Feasibility::measure(const Eigen::VectorXd& x, const Eigen::VectorXd& violations, double& entry) {
  const Workspace& w = path_.quantities();
  if (path_.system()->natural_scales_are_one()) {
    entry = max_abs(w.G.values);
    return max_abs_or_not_finite(violations);
  }
  const Eigen::Index m = w.gamma.size();
  const double magnitude = size(x);
  sizes_.measure(x, magnitude > 0.0 ? magnitude : 1.0);
  own_scale_.update(w.G, m);
  entries_.setZero(m);
  w.G.for_each_entry(
      [&](int i, int j, double G) { entries_[i] = std::max(entries_[i], std::abs(G) * sizes_.relative(j)); });
  entry = 0.0;
  bool any_own = false;
  for (Eigen::Index i = 0; i < m; ++i) {
    any_own = any_own || own_scale_(i);
    if (!own_scale_(i)) entry = std::max(entry, entries_[i]);
  }
  if (any_own && !(entry > 0.0)) entry = 1.0;
  scaled_ = violations;
  for (Eigen::Index i = 0; i < scaled_.size(); ++i) {
    if (own_scale_(i)) scaled_[i] *= entry / entries_[i];
  }
  return max_abs_or_not_finite(scaled_);
}

void Feasibility::accept(Report& report, bool inside_a_step) {
  const PathSample& now = path_.newest();
  if (!now.evaluated) return;
  const Workspace& w = path_.quantities();
  report.max_position_violation = std::max(report.max_position_violation, max_abs_or_not_finite(w.g));
  report.max_velocity_violation =
      std::max(path_.system()->motion_law().velocity_violation(w.g_rate), report.max_velocity_violation);
  const double magnitude = size(now.q);
  double entry = 0.0;
  const double violation = measure(now.q, w.g, entry);
  const double scale = entry > 0.0 ? entry * (magnitude > 0.0 ? magnitude : 1.0) : 1.0;
  if (start_q_.size() == 0) {
    start_q_ = now.q;
    // a start that happens to be near q = 0 is measured by the way that lies ahead
    const double ahead = t_end_ - now.t;
    const double way = std::max(size(now.v) * ahead, now.regular ? 0.5 * size(now.a) * ahead * ahead : 0.0);
    start_scale_ = std::max({start_scale_, scale, magnitude > 1e-3 * way ? 0.0 : entry * way});
  }
  relative_violation_ = violation / std::max(scale, 1e-3 * start_scale_);  // q may pass zero
  divergence_ = violation / start_scale_;
  report.max_position = std::max(report.max_position, magnitude);
  note_way(now.q, report);
  if (last_q_.size() > 0) {
    last_q_ -= now.q;
    report.path_length += size(last_q_);
  }
  last_q_ = now.q;
  const double off = entry > 0.0 ? violation / entry : violation;
  double& largest = inside_a_step ? off_between_ : off_;
  largest = std::max(largest, off);
  if (report.steps == 0) off_at_start_ = off;
  const auto over_size = [&report](double x) { return report.max_position > 0.0 ? x / report.max_position : x; };
  report.relative_violation = over_size(off_);
  report.violation_at_start = over_size(off_at_start_);
  report.violation_at_end = over_size(off);
  report.violation_between_steps = over_size(off_between_);
  if (path_.system()->motion_law().has_forces) note_velocities(report, inside_a_step);
}

/// How far the motion has led from its start.
void Feasibility::note_way(const Eigen::VectorXd& q, Report& report) const {
  const Eigen::VectorXd& scales = path_.system()->natural_scales();
  double way = report.max_displacement, in_tolerances = report.max_displacement_in_tolerances;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double moved = std::abs(q[i] - start_q_[i]);
    way = std::max(way, moved / scales[i]);
    in_tolerances = std::max(in_tolerances, moved / tolerances_.of(i, q[i]));
  }
  report.max_displacement = way;
  report.max_displacement_in_tolerances = in_tolerances;
}

void Feasibility::note_velocities(Report& report, bool inside_a_step) {
  const PathSample& now = path_.newest();
  const double magnitude = size(now.v);
  double entry = 0.0;
  const double violation = measure(now.v, path_.quantities().g_rate, entry);
  const double off = entry > 0.0 ? violation / entry : violation;
  report.max_velocity = std::max(report.max_velocity, magnitude);
  if (!inside_a_step) off_velocity_ = std::max(off_velocity_, off);
  if (report.steps == 0) off_velocity_at_start_ = off;
  const auto over_speed = [&report](double x) { return report.max_velocity > 0.0 ? x / report.max_velocity : x; };
  report.relative_velocity_violation = over_speed(off_velocity_);
  report.velocity_violation_at_start = over_speed(off_velocity_at_start_);
  report.velocity_infeasibility = over_speed(off_contradiction_);
  report.velocity_violation_at_end = relative_velocity_ = over_speed(off);
}

void Feasibility::look_between(Report& report) {
  const auto& samples = path_.samples();
  if (samples.size() < 2 || path_.system()->num_position_constraints() == 0) return;
  const double before = samples[samples.size() - 2].t, h = path_.newest().t - before;
  if (h <= longest_step_ && ++not_looked_ < steps_unseen) return;
  not_looked_ = 0;
  longest_step_ = std::max(1.1 * longest_step_, h);
  if (!path_.evaluate_between(before + 0.5 * h, between_)) return;
  double entry = 0.0;
  const double violation = measure(between_.q, path_.quantities().g, entry);
  off_between_ = std::max(off_between_, entry > 0.0 ? violation / entry : violation);
  report.violation_between_steps = report.max_position > 0.0 ? off_between_ / report.max_position : off_between_;
}

std::optional<Status> Feasibility::infeasible_at(double t, const Eigen::VectorXd& q, double tolerance) const {
  ConsistencyOptions options;
  options.linear_solver = path_.linear_solver();
  options.tolerance = tolerance;
  options.typical_position = size(q);  // a start at q = 0 has no size of its own
  // Velocities do not matter here, and are looked for only where the positions were found.
  const auto reached = [](const ConsistencyReport& report) { return report.feasible || !report.velocities_feasible; };
  const auto projected_from = [&](const Eigen::VectorXd& guess) {
    return consistent_state(path_.system(), {t, guess, {}}, options).report;
  };
  const ConsistencyReport projected = projected_from(q);
  if (reached(projected)) return std::nullopt;
  // The solution itself may have gone astray: then the start still leads to a feasible configuration.
  if (start_q_.size() > 0 && reached(projected_from(start_q_))) return std::nullopt;
  // Gauss-Newton also stalls at a singular configuration from which a feasible one can be reached: look around.
  const double magnitude = size(q);
  for (int k = 1; k <= 4; ++k) {
    Eigen::VectorXd nearby = q;
    const double shift = 0.02 * k * (magnitude > 0.0 ? magnitude : 1.0);
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double scale = path_.system()->natural_scales()[i];
      nearby[i] += shift * scale * std::sin(2.4 * static_cast<double>((i + 1) * k));
    }
    if (reached(projected_from(nearby))) return std::nullopt;
  }
  return projected.status;
}

bool Feasibility::became_infeasible() {
  const PathSample& now = path_.newest();
  if (found_.has_value() || now.t == t_start_ || relative_violation_ < suspicious_) return false;
  if (!positions_checked_.due(relative_violation_, now.t, t_end_ - t_start_)) return false;
  if (path_.meets_constraints_nearby(SampledPath::Level::positions, 0.1 * suspicious_)) return false;
  found_ = infeasible_at(now.t, now.q, suspicious_);
  return found_.has_value();
}

void Feasibility::look_at_velocities(Report& report) {
  const PathSample& now = path_.newest();
  const double allowed = suspicious_velocities(relative_violation_);
  if (!now.evaluated || !(report.max_velocity > 0.0) || !(relative_velocity_ > allowed)) {
    contradictions_ = 0;
    return;
  }
  if (!velocities_checked_.due(relative_velocity_, now.t, t_end_ - t_start_)) return;
  const bool meets = path_.meets_constraints_nearby(SampledPath::Level::velocities, 0.1 * allowed);
  contradictions_ = meets ? 0 : contradictions_ + 1;
  if (contradictions_ < checks_of_contradiction) return;
  off_contradiction_ = std::max(off_contradiction_, relative_velocity_ * report.max_velocity);
  report.velocity_infeasibility = off_contradiction_ / report.max_velocity;
}

std::optional<Status> Feasibility::motion_ends_here(double last_step, double ahead) const {
  const PathSample& s = path_.newest();
  const double near = 0.1 * size(s.q);  // velocities are of no use where they grow without bound
  for (double later = std::max(last_step, 1e-3 * ahead);; later *= 4.0) {
    const double probe = std::min(later, ahead);
    const bool straight_on = probe * size(s.v) <= near;
    const std::optional<Status> ends =
        infeasible_at(s.t + probe, straight_on ? (s.q + probe * s.v).eval() : s.q, failing_violation);
    if (ends.has_value() || probe >= ahead) return ends;
  }
}

}  // namespace sunlagrange::internal
