#include "formulation/parts/multiplier_gauge.hpp"

#include <algorithm>

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {

MultiplierGauge::MultiplierGauge(const FormulationInput& input, const LinearSolverOptions& options) {
  const auto m = static_cast<std::size_t>(input.system->num_constraints());
  if (m == 0 || options.rank_policy == RankPolicy::strict) return;
  LinearSolverOptions exact = options;  // a regularised projection would shrink what it must keep
  exact.rank_policy = RankPolicy::minimum_norm;
  auto saddle = std::make_unique<SaddlePointSystem>(input.system, exact);
  if (saddle->factorize(input.start.t, input.start.q.data(), input.start.v.data()) != EvaluationResult::ok) return;
  if (saddle->solver().rank() == static_cast<int>(m)) return;
  saddle_ = std::move(saddle);
  top_.resize(static_cast<std::size_t>(input.system->num_positions()));
  bottom_.resize(m);
}

EvaluationResult MultiplierGauge::update(double t, const double* q, const double* v) {
  return saddle_->factorize(t, q, v);
}

EvaluationResult MultiplierGauge::correct(const double* value, double* correction, int rows) {
  if (rows < saddle_->m() && saddle_->system().num_velocity_constraints() > 0) return EvaluationResult::ok;
  const Workspace& w = saddle_->workspace();
  for (int i = 0; i < rows; ++i) bottom_[static_cast<std::size_t>(i)] = value[i] + correction[i];
  std::fill(top_.begin(), top_.end(), 0.0);
  add_transposed_product(w.patterns->jacobian, w.jacobian, bottom_.data(), top_.data());
  std::fill(bottom_.begin(), bottom_.end(), 0.0);
  const EvaluationResult result = saddle_->solve(top_.data(), bottom_.data());
  if (result != EvaluationResult::ok) return result;
  for (int i = 0; i < rows; ++i) correction[i] = bottom_[static_cast<std::size_t>(i)] - value[i];
  return result;
}

}  // namespace sunlagrange
