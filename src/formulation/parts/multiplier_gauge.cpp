#include "formulation/parts/multiplier_gauge.hpp"

namespace sunlagrange::internal {

MultiplierGauge::MultiplierGauge(const FormulationInput& input, const LinearSolverOptions& options) {
  const int m = input.system->num_constraints();
  if (m == 0 || options.rank_policy == RankPolicy::strict) return;
  LinearSolverOptions exact = options;  // a regularised projection would shrink what it must keep
  exact.rank_policy = RankPolicy::minimum_norm;
  auto saddle = std::make_unique<SaddlePointSystem>(input.system, exact);
  if (saddle->factorize(input.start.t, input.start.q.data(), input.start.v.data()) != EvaluationResult::ok) return;
  if (saddle->solver().rank() == m) return;
  saddle_ = std::move(saddle);
  top_.resize(input.system->num_positions());
  bottom_.resize(m);
}

EvaluationResult MultiplierGauge::update(double t, const double* q, const double* v) {
  return saddle_->factorize(t, q, v);
}

EvaluationResult MultiplierGauge::correct(const double* value, double* correction, int rows) {
  if (rows < saddle_->m() && saddle_->system().num_velocity_constraints() > 0) return EvaluationResult::ok;
  const ConstVectorMap x = as_vector(value, rows);
  VectorMap change = as_vector(correction, rows);
  bottom_.head(rows) = x + change;
  top_.setZero();
  top_ += saddle_->workspace().G.transposed() * bottom_;
  bottom_.setZero();
  const EvaluationResult result = saddle_->solve(top_.data(), bottom_.data());
  if (result == EvaluationResult::ok) change = bottom_.head(rows) - x;
  return result;
}

}  // namespace sunlagrange::internal
