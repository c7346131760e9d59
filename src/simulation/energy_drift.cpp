#include "simulation/energy_drift.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <sunlagrange/internal/differences.hpp>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

EnergyDrift::EnergyDrift(const MechanicalSystem& system, const Tolerances& tolerances)
    : system_(&system),
      rest_(Eigen::VectorXd::Zero(system.num_positions())),
      momentum_(rest_),
      known_(system.motion_law().has_forces || system.energy_known()),
      told_(system.energy_known()),
      alone_(told_),
      rtol_(tolerances.rtol),
      tolerances_(system, tolerances),
      displaced_(rest_),
      largest_(rest_) {}

void EnergyDrift::restart(const MechanicalSystem& system, double work) {
  system_ = &system;
  quantities_.reset();
  history_.forget();
  if (told_) work_ += work;
  if (states_ > 0) displaced_.setZero();  // else it goes on from a checkpoint
  restarted_ = !told_;
}

void EnergyDrift::resume(const EnergyAccount& account) {
  start_ = account.start;
  potential_ = account.potential;
  work_ = account.work;
  error_ = account.error;
  known_ = account.known;
  driven_ = account.driven;
  if (account.displaced.size() == displaced_.size() && account.largest.size() == largest_.size()) {
    displaced_ = account.displaced;
    largest_ = account.largest;
  }
  alone_ = told_ && work_ == 0.0 && !driven_;
}

void EnergyDrift::accept(SampledPath& path, Report& report) {
  if (!known_) return;
  const PathSample& now = path.newest();
  const Workspace& w = path.quantities();
  const double kinetic = kinetic_energy(path);  // all before other points of the path are asked
  const double energy = told_ ? w.energy : now.evaluated ? kinetic : Report::none;
  power_before_ = power_;
  moved_before_ = moves_;
  moves_ = false;
  power_ = told_ ? w.power : now.evaluated ? power_of_forces(now.t, now.q, now.v, w.f) : Report::none;
  drives_ = power_of_constraints(path, now);
  power_ += drives_;
  alone_ = alone_ && power_ == 0.0;
  history_.add(now.t, power_);
  ++states_;
  if (std::isnan(start_)) {
    start_ = energy;
    error_ = report.energy_drift = 0.0;
    potential_ = energy - kinetic;
  } else {
    if (path.samples().size() > 1) add_work(path, report);
    if (restarted_) start_ = energy - work_ - error_;
    restarted_ = false;
    error_ = energy - start_ - work_;
    report.energy_drift = std::max(report.energy_drift, std::abs(error_));
    report.energy_scale =
        std::max({report.energy_scale, kinetic, std::abs(energy - kinetic - potential_), std::abs(work_)});
    if (alone_ && now.evaluated && path.samples().size() > 1) displace(path, kinetic, report);
    if (!std::isfinite(work_) || !std::isfinite(energy)) {
      known_ = false;
      error_ = report.energy_drift = Report::none;
    }
  }
  kinetic_before_ = kinetic;
  error_before_ = error_;
}

/// A motion with an error e of its energy is faster by the share 1 - sqrt(1 - e / T) than it would be without; what it
/// owes to that is the same share of its way. Where it turns back, the sum begins anew: beside such a point T says
/// nothing, and an oscillation has the wrong amplitude by e, not the wrong place.
void EnergyDrift::displace(const SampledPath& path, double kinetic, Report& report) {
  const PathSample& from = path.samples()[path.samples().size() - 2];
  const PathSample& now = path.newest();
  if (from.v.dot(momentum_) < 0.0) displaced_.setZero();
  const double T = 0.5 * (kinetic + kinetic_before_), e = 0.5 * (error_ + error_before_);
  if (!(T > 0.0) || !std::isfinite(e)) return;
  const double share = 1.0 - std::sqrt(std::max(0.0, 1.0 - e / T));
  double displacement = report.energy_displacement;
  for (Eigen::Index i = 0; i < displaced_.size(); ++i) {
    largest_[i] = std::max(std::max(largest_[i], std::abs(from.q[i])), std::abs(now.q[i]));
    displaced_[i] += share * std::abs(now.q[i] - from.q[i]);
    displacement = std::max(displacement, rtol_ * std::abs(displaced_[i]) / tolerances_.of(i, largest_[i]));
  }
  report.energy_displacement = displacement;
}

/// For points inside the steps, and at rest; made at its first use: many runs never ask.
Workspace& EnergyDrift::quantities() {
  if (quantities_ == nullptr) quantities_ = make_workspace(*system_, Storage::sparse);
  return *quantities_;
}

double EnergyDrift::kinetic_energy(const SampledPath& path) {
  const PathSample& now = path.newest();
  if (!now.evaluated) return 0.0;
  momentum_.setZero();
  momentum_ += path.quantities().M * now.v;
  return 0.5 * now.v.dot(momentum_);
}

double EnergyDrift::quadratic_form(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace& w = quantities();
  if (!evaluate_system(*system_, request::mass, {t, q.data(), v.data(), nullptr, nullptr}, w)) return Report::none;
  momentum_.setZero();
  momentum_ += w.M * v;
  return v.dot(momentum_);
}

/// v^T f + v^T M' v / 2, M' along the motion by a central difference.
double EnergyDrift::power_of_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                    const Eigen::VectorXd& f) {
  const double applied = v.dot(f);
  const double speed = natural_size(*system_, v);
  if (system_->constant_mass() || !(speed > 0.0)) return applied;
  constexpr double share = 1e-5;  // of the size of the mechanism
  const double size = natural_size(*system_, q);
  // at most as far out of the run as other differences along the motion: nobody has to answer there
  const double h = std::max(std::min(share * (size > 0.0 ? size : 1.0) / speed, step_second), 1e3 * last_digit(t));
  shifted_ = q + h * v;
  const double later = quadratic_form(t + h, shifted_, v);
  shifted_ = q - h * v;
  return applied + 0.25 / h * (later - quadratic_form(t - h, shifted_, v));
}

/// Whether g_t is more than rounding there; into rate_. A difference of two difference quotients is more than that,
/// too: until something is known to move the model is asked what is left without velocities.
bool EnergyDrift::moves_at(const SampledPath& path, const PathSample& s) {
  const Workspace& w = path.quantities();
  const double rounding = 1e-12 * max_abs(w.G.values) * max_abs(s.v);
  rate_ = w.g_rate;
  rate_ -= w.G * s.v;
  if (max_abs_or_not_finite(rate_) <= rounding) return false;
  if (driven_) return true;
  Workspace& still = quantities();
  return evaluate_system(*system_, request::constraint, {s.t, s.q.data(), rest_.data(), nullptr, nullptr}, still) &&
         max_abs_or_not_finite(still.g_rate) > 0.0;
}

double EnergyDrift::power_of_constraints(const SampledPath& path, const PathSample& s) {
  if (!s.evaluated) return driven_ ? Report::none : 0.0;
  if (!moves_at(path, s)) return 0.0;
  driven_ = moves_ = true;
  return s.lambda.dot(rate_);
}

/// Power of everything the energy does not contain, inside the last step: other applied forces (from the model) and
/// moving constraints, whose multipliers cost a factorisation.
double EnergyDrift::power_between(SampledPath& path, double t) {
  double drives = 0.0;
  if (moves_ || moved_before_) {
    const PathSample inside = path.between(t, false);
    drives = power_of_constraints(path, inside);
    q_ = inside.q;
    v_ = inside.v;
  } else {
    path.interpolate(t, q_, v_);
  }
  Workspace& w = quantities();
  const unsigned what = told_ ? request::energy : request::force;
  if (!evaluate_system(*system_, what, {t, q_.data(), v_.data(), nullptr, nullptr}, w)) return Report::none;
  return drives + (told_ ? w.power : power_of_forces(t, q_, v_, w.f));
}

/// Work of the last step as the powers told say, unless what they leave open could be seen in the drift. Errors of
/// neighbouring steps are alike: only over many steps they add up like independent ones, before that one by one.
bool EnergyDrift::take(const PowerHistory::Work& told, Report& report) {
  const double unseen = moves_ || moved_before_ ? 0.05 : 0.02;  // multipliers cost more than powers
  constexpr long many = 64;
  const double uncertain =
      states_ < many ? interpolated_ + told.uncertainty : std::hypot(interpolated_, told.uncertainty);
  if (!(uncertain <= unseen * report.energy_drift)) return false;
  report.work_uncertainty += uncertain - interpolated_;
  interpolated_ = uncertain;
  work_ += told.value;
  return true;
}

/// Quadrature of the power over the last step: through its values at the last steps where that is enough, with one in
/// the middle if it costs multipliers, or else on the dense output. What Simpson's rule makes of it otherwise bounds
/// the error there: a few long steps of an integrator that follows a prescribed motion exactly say little about the
/// work.
void EnergyDrift::add_work(SampledPath& path, Report& report) {
  if ((power_before_ == 0.0 && power_ == 0.0) || take(history_.work(), report)) return;
  const PathSample& from = path.samples()[path.samples().size() - 2];
  const double h = path.newest().t - from.t;
  const std::array<QuadraturePoint, 3> points = gauss_points(from.t, h);
  const double middle = power_between(path, points[1].t);
  if ((moves_ || moved_before_) && take(history_.work(middle), report)) return;
  const double work = points[0].weight * power_between(path, points[0].t) + points[1].weight * middle +
                      points[2].weight * power_between(path, points[2].t);
  work_ += work;
  report.work_uncertainty += std::abs(work - h / 6.0 * (power_before_ + 4.0 * middle + power_));
}

}  // namespace sunlagrange::internal
