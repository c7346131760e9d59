// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/multiplier_gauge.hpp"

namespace sunlagrange::internal {

MultiplierGauge::MultiplierGauge(const FormulationInput& input, const StateLayout& layout,
                                 const LinearSolverOptions& options)
    : layout_(layout) {
  const int m = input.system->num_constraints();
  if (m == 0 || options.rank_policy == RankPolicy::strict) return;
  LinearSolverOptions exact = options;  // a regularised projection would shrink what it must keep
  exact.rank_policy = RankPolicy::minimum_norm;
  auto evaluator = std::make_unique<PointEvaluator>(evaluator_for(input.system, exact));
  auto saddle = std::make_unique<SaddlePointSystem>(*evaluator, exact);
  const Workspace* at = evaluator->at(input.start.t, input.start.q.data(), input.start.v.data());
  if (saddle->factorize(at) != EvaluationResult::ok) return;
  if (saddle->solver().rank() == m) return;
  evaluator_ = std::move(evaluator);
  saddle_ = std::move(saddle);
  top_.resize(input.system->num_positions());
  bottom_.resize(m);
}

EvaluationResult MultiplierGauge::update(double t, const double* q, const double* v) {
  return saddle_->factorize(evaluator_->at(t, q, v));
}

EvaluationResult MultiplierGauge::correct(const double* y, double* correction) {
  const EvaluationResult result = correct(layout_.lambda(y), layout_.lambda(correction));
  return result == EvaluationResult::ok && layout_.m_mu > 0 ? correct(layout_.mu(y), layout_.mu(correction)) : result;
}

/// change := P(value + change) - value for the multipliers of all rows, or of the g rows if there are no others, where
/// y = P(x) solves  [M G^T; G 0] (0, y) = (G^T x, 0)  with least norm.
EvaluationResult MultiplierGauge::correct(const ConstVectorMap& value, VectorMap change) {
  const Eigen::Index rows = value.size();
  if (rows < saddle_->m() && saddle_->system().num_velocity_constraints() > 0) return EvaluationResult::ok;
  bottom_.head(rows) = value + change;
  top_.setZero();
  top_ += evaluator_->quantities().G.transposed() * bottom_;
  bottom_.setZero();
  const EvaluationResult result = saddle_->solve(top_.data(), bottom_.data());
  if (result == EvaluationResult::ok) change = bottom_.head(rows) - value;
  return result;
}

}  // namespace sunlagrange::internal
