#include "simulation/feasibility.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/numerics.hpp"
#include "linear_solver/motion_law.hpp"

namespace sunlagrange::internal {
namespace {

/// Violations above this, relative to sum|G| max|q|, start a feasibility check, again after growth by half and after
/// each hundredth of the interval.
constexpr double suspicious_violation = 2e-5;

}  // namespace

Feasibility::Feasibility(SampledPath& path, double t_start, double t_end)
    : path_(path), t_start_(t_start), t_end_(t_end), sizes_(*path.system()), own_scale_(*path.system()) {}

/// max |g|, and in `entry` the largest |G_ij| beside it. Rows of a scale of their own count as if their largest term
/// were that of the others.
double Feasibility::measure(const PathSample& now, double magnitude, double& entry) {
  const Workspace& w = path_.quantities();
  const Eigen::Index m = w.gamma.size();
  sizes_.measure(now.q, magnitude > 0.0 ? magnitude : 1.0);
  own_scale_.look(w.G, m);
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
  scaled_ = w.g;
  for (Eigen::Index i = 0; i < scaled_.size(); ++i) {
    if (own_scale_(i)) scaled_[i] *= entry / entries_[i];
  }
  return max_abs_or_not_finite(scaled_);
}

void Feasibility::accept(Report& report) {
  const PathSample& now = path_.newest();
  if (!now.evaluated) return;
  const Workspace& w = path_.quantities();
  report.max_position_violation = std::max(report.max_position_violation, max_abs_or_not_finite(w.g));
  report.max_velocity_violation =
      std::max(motion_law(*path_.system()).velocity_violation(w.g_rate), report.max_velocity_violation);
  const double magnitude = size(now.q);
  double entry = 0.0;
  const double violation = measure(now, magnitude, entry);
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
  report.size = std::max(report.size, magnitude);
  report.way = std::max(report.way,
                        (now.q - start_q_).cwiseQuotient(path_.system()->natural_scales()).lpNorm<Eigen::Infinity>());
  off_ = std::max(off_, entry > 0.0 ? violation / entry : violation);
  report.relative_violation = report.size > 0.0 ? off_ / report.size : off_;
}

std::optional<Status> Feasibility::infeasible_at(double t, const Eigen::VectorXd& q) const {
  ConsistencyOptions options;
  options.linear_solver = path_.linear_solver();
  options.tolerance = suspicious_violation;
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
  if (found_.has_value() || now.t == t_start_ || relative_violation_ < suspicious_violation) return false;
  if (relative_violation_ < 1.5 * checked_violation_ && now.t - checked_time_ < 0.01 * (t_end_ - t_start_))
    return false;
  checked_violation_ = relative_violation_;
  checked_time_ = now.t;
  if (path_.meets_constraints_nearby(0.1 * suspicious_violation)) return false;
  found_ = infeasible_at(now.t, now.q);
  return found_.has_value();
}

std::optional<Status> Feasibility::motion_ends_here(double last_step, double ahead) const {
  const PathSample& s = path_.newest();
  const double near = 0.1 * size(s.q);  // velocities are of no use where they grow without bound
  for (double later = std::max(last_step, 1e-3 * ahead);; later *= 4.0) {
    const double probe = std::min(later, ahead);
    const bool straight_on = probe * size(s.v) <= near;
    const std::optional<Status> ends = infeasible_at(s.t + probe, straight_on ? (s.q + probe * s.v).eval() : s.q);
    if (ends.has_value() || probe >= ahead) return ends;
  }
}

}  // namespace sunlagrange::internal
