#include "formulation/parts/dae_weights.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange {

DaeWeights::DaeWeights(const FormulationInput& input)
    : n_(input.system->num_positions()),
      rtol_(input.rtol),
      atol_(input.atol),
      scales_(characteristic_scales(input.start, input.t_span)),
      row_sum_(static_cast<std::size_t>(input.system->num_constraints())) {
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
  std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
  const SparsePattern& G = w.patterns->jacobian;
  for (int j = 0; j < n_; ++j) {
    const double mass = w.mass[static_cast<std::size_t>(w.patterns->mass.slot(j, j))];
    if (!(mass > 0.0)) continue;
    for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
         ++k) {
      const double entry = state_weight[j] * w.jacobian[static_cast<std::size_t>(k)] / mass;
      row_sum_[static_cast<std::size_t>(G.row_index[static_cast<std::size_t>(k)])] += entry * entry;
    }
  }
  for (int i = first; i < last; ++i) {
    const double rms = std::sqrt(row_sum_[static_cast<std::size_t>(i)] / n_);
    weight[i - first] = factor * (rms > 0.0 ? rms : 1.0 / atol_);
  }
}

}  // namespace sunlagrange
