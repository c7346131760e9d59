#include "formulation/parts/dae_weights.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

DaeWeights::DaeWeights(const FormulationInput& input)
    : n_(input.system->num_positions()),
      rtol_(input.rtol),
      atol_(input.atol),
      scales_(characteristic_scales(input.start, input.t_span)),
      row_sum_(input.system->num_constraints()) {
  double sum = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double x = input.start.a[i] / (rtol_ * std::abs(input.start.q[i]) + atol_);
    sum += x * x;
  }
  const double h = sum > 0.0 ? 0.1 / std::sqrt(std::sqrt(sum / n_)) : 1e-3 * scales_.time;
  initial_step_ = std::min(h, 1e-3 * (input.t_span > 0.0 ? input.t_span : scales_.time));
}

void DaeWeights::positions(const double* q, double* weight) const {
  for (int i = 0; i < n_; ++i) weight[i] = 1.0 / (rtol_ * std::abs(q[i]) + atol_);
}

void DaeWeights::velocities(const double* v, double* weight) const {
  for (int i = 0; i < n_; ++i) weight[i] = 1.0 / (rtol_ * std::abs(v[i]) + atol_ / scales_.time);
}

void DaeWeights::multipliers(const Workspace& w, const double* state_weight, double factor, int first, int last,
                             double* weight) {
  row_sum_.setZero();
  for (int j = 0; j < n_; ++j) {
    const double mass = w.M(j, j);
    if (!(mass > 0.0)) continue;
    w.G.pattern().for_each_entry_of(j, [&](int i, int, int k) {
      const double entry = state_weight[j] * w.G.values[k] / mass;
      row_sum_[i] += entry * entry;
    });
  }
  for (int i = first; i < last; ++i) {
    const double rms = std::sqrt(row_sum_[i] / n_);
    weight[i - first] = factor * (rms > 0.0 ? rms : 1.0 / atol_);
  }
}

}  // namespace sunlagrange::internal
