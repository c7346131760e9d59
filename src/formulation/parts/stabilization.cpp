#include "formulation/parts/stabilization.hpp"

namespace sunlagrange {
namespace {

GainMatrix block_diagonal(const GainMatrix& A, const GainMatrix& B) {
  const int a = A.size();
  const int b = B.size();
  GainMatrix result;
  if (A.is_diagonal() && B.is_diagonal()) {
    result.diagonal.resize(a + b);
    result.diagonal << A.diagonal, B.diagonal;
    return result;
  }
  result.full = Eigen::MatrixXd::Zero(a + b, a + b);
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < a; ++j) result.full(i, j) = A(i, j);
  }
  for (int i = 0; i < b; ++i) {
    for (int j = 0; j < b; ++j) result.full(a + i, a + j) = B(i, j);
  }
  return result;
}

}  // namespace

void Stabilization::right_hand_side(const Workspace& w, double* b) const {
  for (std::size_t i = 0; i < w.bias.size(); ++i) b[i] = w.bias[i];
  rate.subtract_product(w.velocity.data(), b);
  position.subtract_product(w.position.data(), b);
}

Stabilization Stabilization::none(const MechanicalSystem& system) {
  Stabilization s;
  s.rate = GainMatrix::scalar(system.num_constraints(), 0.0);
  s.position = GainMatrix::scalar(system.num_position_constraints(), 0.0);
  return s;
}

GainAdvice gain_advice(const FormulationInput& input, double relative_penalty) {
  GainQuestion question{input, input, relative_penalty};
  if (relative_penalty == 0.0) question.gains.Lambda = Gain();
  return advise_gains(input.system, input.start, question);
}

Stabilization automatic_gains(const FormulationInput& input, double relative_penalty) {
  const GainAdvice advice = gain_advice(input, relative_penalty);
  Stabilization s;
  s.rate = block_diagonal(advice.K_D, advice.K_N);
  s.position = advice.K_P;
  s.facts.K_D = {input.gains.K_D, advice.K_D};
  s.facts.K_P = {input.gains.K_P, advice.K_P};
  if (advice.K_N.size() > 0) s.facts.K_N = {input.gains.K_N, advice.K_N};
  s.facts.advice = advice;
  return s;
}

}  // namespace sunlagrange
