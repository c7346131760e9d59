#include "simulation/energy_drift.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

EnergyDrift::EnergyDrift(const MechanicalSystem& system)
    : system_(&system),
      quantities_(make_workspace(system, Storage::sparse)),
      rest_(Eigen::VectorXd::Zero(system.num_positions())),
      momentum_(rest_),
      known_(system.energy_known()) {}

void EnergyDrift::restart(const MechanicalSystem& system, double work) {
  system_ = &system;
  quantities_ = make_workspace(system, Storage::sparse);
  history_.forget();
  work_ += work;
}

void EnergyDrift::accept(SampledPath& path, Report& report) {
  if (!known_) return;
  const PathSample& now = path.newest();
  const Workspace& w = path.quantities();
  const double kinetic = kinetic_energy(path);  // all before other points of the path are asked
  const double energy = now.evaluated ? w.energy : Report::none;
  power_before_ = power_;
  moved_before_ = moves_;
  moves_ = now.evaluated && may_move(path);
  power_ = now.evaluated ? w.power + (moves_ ? power_of_constraints(now) : 0.0) : Report::none;
  history_.add(now.t, power_);
  if (std::isnan(start_)) {
    start_ = energy;
    error_ = report.energy_drift = 0.0;
    potential_ = energy - kinetic;
  } else {
    if (path.samples().size() > 1) add_work(path, report);
    error_ = energy - start_ - work_;
    report.energy_drift = std::max(report.energy_drift, std::abs(error_));
    report.energy_held =
        std::max({report.energy_held, kinetic, std::abs(energy - kinetic - potential_), std::abs(work_)});
    if (!std::isfinite(work_) || !std::isfinite(energy)) {
      known_ = false;
      error_ = report.energy_drift = Report::none;
    }
  }
}

double EnergyDrift::kinetic_energy(const SampledPath& path) {
  const PathSample& now = path.newest();
  if (!now.evaluated) return 0.0;
  momentum_.setZero();
  momentum_ += path.quantities().M * now.v;
  return 0.5 * now.v.dot(momentum_);
}

/// Whether g_t = g' - G v is more than rounding at the newest state. Of psi rows, nonlinear in v perhaps, that tells
/// nothing.
bool EnergyDrift::may_move(const SampledPath& path) {
  const Workspace& w = path.quantities();
  if (w.g_rate.size() > w.g.size()) return true;
  const double rounding = 1e-12 * max_abs(w.G.values) * max_abs(path.newest().v);
  rate_ = w.g_rate;
  rate_ -= w.G * path.newest().v;
  return !(max_abs_or_not_finite(rate_) <= rounding);
}

/// lambda^T g_t of moving constraints; for psi rows -lambda^T (psi_v v - psi), zero for constraints homogeneous in v.
double EnergyDrift::power_of_constraints(const PathSample& s) {
  Workspace& w = *quantities_;
  if (!evaluate_system(*system_, request::constraint, {s.t, s.q.data(), rest_.data(), nullptr, nullptr}, w))
    return Report::none;
  double sum = 0.0;
  for (Eigen::Index i = 0; i < w.g_rate.size(); ++i) {
    if (w.g_rate[i] == 0.0) continue;
    driven_ = true;
    sum += s.lambda[i] * w.g_rate[i];
  }
  return sum;
}

/// Power of everything the energy does not contain, inside the last step: other applied forces (from the model) and
/// moving constraints, whose multipliers cost a factorisation.
double EnergyDrift::power_between(SampledPath& path, double t) {
  if (moves_ || moved_before_) {
    const PathSample s = path.between(t);
    return s.evaluated ? path.quantities().power + power_of_constraints(s) : Report::none;
  }
  path.interpolate(t, q_, v_);
  Workspace& w = *quantities_;
  return evaluate_system(*system_, request::energy, {t, q_.data(), v_.data(), nullptr, nullptr}, w) ? w.power
                                                                                                    : Report::none;
}

/// Quadrature of the power over the last step: through its values at the last steps as long as what that leaves open
/// cannot be seen in the drift, otherwise on the dense output. What Simpson's rule makes of it otherwise bounds the
/// error there: a few long steps of an integrator that follows a prescribed motion exactly say little about the work.
void EnergyDrift::add_work(SampledPath& path, Report& report) {
  constexpr double unseen = 0.02;
  if (power_before_ == 0.0 && power_ == 0.0) return;
  const PowerHistory::Work told = history_.work();
  if (interpolated_ + told.uncertainty <= unseen * report.energy_drift) {
    interpolated_ += told.uncertainty;
    report.work_uncertainty += told.uncertainty;
    work_ += told.value;
    return;
  }
  const PathSample& from = path.samples()[path.samples().size() - 2];
  const double h = path.newest().t - from.t;
  double work = 0.0, middle = 0.0;
  int k = 0;
  for (const auto& [t, weight] : gauss_points(from.t, h)) {
    const double there = power_between(path, t);
    work += weight * there;
    if (k++ == 1) middle = there;
  }
  work_ += work;
  report.work_uncertainty += std::abs(work - h / 6.0 * (power_before_ + 4.0 * middle + power_));
}

}  // namespace sunlagrange::internal
