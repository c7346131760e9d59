// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/stabilization.hpp"

namespace sunlagrange::internal {

/// Rows of psi have no K_P: it acts on the first rows.
void Stabilization::right_hand_side(const Workspace& w, Eigen::VectorXd& b) const {
  b = w.gamma;
  b -= rate * w.g_rate;
  b -= position * w.g;
}

Stabilization Stabilization::none(const MechanicalSystem& system) {
  Stabilization s;
  s.rate = GainMatrix::scalar(system.num_constraints(), 0.0);
  s.position = GainMatrix::scalar(system.num_position_constraints(), 0.0);
  return s;
}

GainAdvice gain_advice(const FormulationInput& input, double relative_penalty) {
  GainQuestion question{input, input, relative_penalty, input.excess};
  if (relative_penalty == 0.0) question.gains.Lambda = Gain();
  return advise_gains(input.system, input.start, question);
}

Stabilization stabilization(const GainAdvice& advice, const Gains& requested) {
  Stabilization s;
  s.rate = GainMatrix::block_diagonal(advice.K_D, advice.K_N);
  s.position = advice.K_P;
  s.facts.K_D = {requested.K_D, advice.K_D};
  s.facts.K_P = {requested.K_P, advice.K_P};
  if (advice.K_N.size() > 0) s.facts.K_N = {requested.K_N, advice.K_N};
  s.facts.advice = advice;
  return s;
}

Stabilization automatic_gains(const FormulationInput& input, double relative_penalty) {
  return stabilization(gain_advice(input, relative_penalty), input.gains);
}

}  // namespace sunlagrange::internal
