#include "formulation/parts/stabilization.hpp"

namespace sunlagrange {

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

Setting gain_setting(const char* name, const Gain& asked, const std::string& automatic) {
  return {name, asked.text(), asked.automatic() ? automatic : asked.text()};
}

GainAdvice gain_advice(const FormulationInput& input, double relative_penalty) {
  GainQuestion question;
  question.gains = input.gains;
  question.integrator = input.integrator;
  question.rtol = input.rtol;
  question.atol = input.atol;
  question.t_span = input.t_span;
  question.time_scale = input.time_scale;
  question.relative_penalty = relative_penalty;
  question.linear_solver = input.linear_solver;
  if (relative_penalty == 0.0) question.gains.Lambda = Gain();
  return advise_gains(input.system, input.start, question);
}

Stabilization automatic_gains(const FormulationInput& input, double relative_penalty) {
  const GainAdvice advice = gain_advice(input, relative_penalty);
  const Gains& asked = input.gains;
  Stabilization s;
  s.rate = GainMatrix::block_diagonal(advice.K_D, advice.K_N);
  s.position = advice.K_P;
  s.settings = {gain_setting("K_D", asked.K_D, text(2.0 * advice.omega)),
                gain_setting("K_P", asked.K_P, text(advice.omega * advice.omega))};
  if (advice.K_N.size() > 0) s.settings.push_back(gain_setting("K_N", asked.K_N, text(advice.omega)));
  for (Setting& line : advice.settings()) s.settings.push_back(std::move(line));
  return s;
}

}  // namespace sunlagrange
