// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/dae_weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

/// Relative accuracy of separate multipliers where rank is lost. Held by multiplier_weights_test.
constexpr double accuracy_of_dependent_rows = 1e-4;

}  // namespace

DaeWeights::DaeWeights(const FormulationInput& input)
    : system_(input.system),
      n_(input.system->num_positions()),
      tolerances_(*input.system, input),
      rtol_(input.rtol),
      atol_(input.atol),
      scales_(characteristic_scales(*input.system, input.start)),
      mass_(n_),
      row_sum_(input.system->num_constraints()) {
  double sum = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double x = input.start.a[i] / tolerances_.of(i, input.start.q[i]);
    sum += x * x;
  }
  const double h = sum > 0.0 ? 0.1 / std::sqrt(std::sqrt(sum / n_)) : 1e-3 * scales_.time;
  initial_step_ = std::min(h, 1e-3 * (input.t_span > 0.0 ? input.t_span : scales_.time));
}

void DaeWeights::positions(const double* q, double* weight) const {
  for (int i = 0; i < n_; ++i) weight[i] = 1.0 / tolerances_.of(i, q[i]);
}

void DaeWeights::velocities(const double* v, double* weight) const {
  for (int i = 0; i < n_; ++i) weight[i] = 1.0 / tolerances_.of(i, v[i], scales_.time);
}

void DaeWeights::multipliers(const Workspace& w, const double* state_weight, double factor, int first, int last,
                             double* weight) {
  for (int j = 0; j < n_; ++j) mass_[j] = w.M(j, j);
  assign_missing_masses(*system_, mass_);
  row_sum_.setZero();
  for (int j = 0; j < n_; ++j) {
    if (!(mass_[j] > 0.0)) continue;
    w.G.pattern().for_each_entry_of(j, [&](int i, int, int k) {
      const double entry = state_weight[j] * w.G.values[k] / mass_[j];
      row_sum_[i] += entry * entry;
    });
  }
  for (int i = first; i < last; ++i) {
    const double rms = std::sqrt(row_sum_[i] / n_);
    weight[i - first] = factor * (rms > 0.0 ? rms : 1.0 / atol_);
  }
}

void DaeWeights::separate_multipliers(const double* lambda, bool lost_rank, double typical, double* weight) const {
  const Eigen::Index m = row_sum_.size();
  const double largest = std::max(typical, max_abs(as_vector(lambda, m)));
  const double accuracy = lost_rank ? std::max(rtol_, accuracy_of_dependent_rows) : rtol_;
  as_vector(weight, m).setConstant(1.0 / (accuracy * largest));
}

double typical_multiplier(const FormulationInput& input) {
  const MotionState& start = input.start;
  double largest = max_abs(start.lambda);
  const auto w = make_workspace(*input.system, Storage::sparse);
  if (evaluate_system(*input.system, request::force | request::jacobian,
                      {start.t, start.q.data(), start.v.data(), nullptr, nullptr}, *w)) {
    const double jacobian = max_abs(w->G.values);
    if (jacobian > 0.0) largest = std::max(largest, max_abs(w->f) / jacobian);
  }
  return largest > 0.0 && std::isfinite(largest) ? largest : 1.0;
}

}  // namespace sunlagrange::internal
