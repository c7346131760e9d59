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
  work_ += work;
}

void EnergyDrift::accept(SampledPath& path, Report& report) {
  if (!known_) return;
  const double kinetic = kinetic_energy(path);  // before other points of the path are asked
  const double power_now = power(path.newest());
  const double energy = quantities_->energy;
  if (std::isnan(start_)) {
    start_ = energy;
    error_ = report.energy_drift = 0.0;
    potential_ = energy - kinetic;
  } else {
    if (path.samples().size() > 1) add_work(path, power_now, report);
    error_ = energy - start_ - work_;
    report.energy_drift = std::max(report.energy_drift, std::abs(error_));
    report.energy_held =
        std::max({report.energy_held, kinetic, std::abs(energy - kinetic - potential_), std::abs(work_)});
    if (!std::isfinite(work_) || !std::isfinite(energy)) {
      known_ = false;
      error_ = report.energy_drift = Report::none;
    }
  }
  power_before_ = power_now;
}

double EnergyDrift::kinetic_energy(const SampledPath& path) {
  const PathSample& now = path.newest();
  if (!now.evaluated) return 0.0;
  momentum_.setZero();
  momentum_ += path.quantities().M * now.v;
  return 0.5 * now.v.dot(momentum_);
}

/// Power of everything the energy does not contain: other applied forces (from the model) and moving constraints,
/// lambda^T g_t; for psi rows -lambda^T (psi_v v - psi), zero for constraints homogeneous in v.
double EnergyDrift::power(const PathSample& s) {
  Workspace& w = *quantities_;
  if (!evaluate_system(*system_, request::energy, {s.t, s.q.data(), s.v.data(), nullptr, nullptr}, w))
    return Report::none;
  double sum = w.power;
  if (!evaluate_system(*system_, request::constraint, {s.t, s.q.data(), rest_.data(), nullptr, nullptr}, w))
    return Report::none;
  for (Eigen::Index i = 0; i < w.g_rate.size(); ++i) {
    if (w.g_rate[i] == 0.0) continue;
    driven_ = true;
    sum += s.lambda[i] * w.g_rate[i];
  }
  return sum;
}

/// Quadrature of the power on the dense output of the last step. What Simpson's rule makes of it otherwise bounds the
/// error: a few long steps of an integrator that follows a prescribed motion exactly say little about the work.
void EnergyDrift::add_work(SampledPath& path, double power_now, Report& report) {
  if (power_before_ == 0.0 && power_now == 0.0) return;
  const PathSample& from = path.samples()[path.samples().size() - 2];
  const double h = path.newest().t - from.t;
  double work = 0.0, middle = 0.0;
  int k = 0;
  for (const auto& [t, weight] : gauss_points(from.t, h)) {
    const double there = power(path.between(t));
    work += weight * there;
    if (k++ == 1) middle = there;
  }
  work_ += work;
  report.work_uncertainty += std::abs(work - h / 6.0 * (power_before_ + 4.0 * middle + power_now));
}

}  // namespace sunlagrange::internal
