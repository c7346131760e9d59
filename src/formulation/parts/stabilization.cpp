#include "formulation/parts/stabilization.hpp"

namespace sunlagrange {

/// Rows of psi have no K_P: it acts on the first rows.
void Stabilization::right_hand_side(const Workspace& w, Eigen::VectorXd& b) const {
  b = w.gamma;
  b -= rate * w.g_rate;
  b -= position * w.g;
}

Stabilization Stabilization::from_gains(const Gains& gains, int m_g, int m_psi, double omega) {
  const auto resolve = [](const Gain& gain, int m, const char* field, double automatic) {
    return gain.automatic() ? GainMatrix::scalar(m, automatic) : gain.matrix(m, field, true);
  };
  Stabilization s;
  s.rate = GainMatrix::block_diagonal(resolve(gains.K_D, m_g, "K_D", 2.0 * omega), resolve(gains.K_N, m_psi, "K_N", omega));
  s.position = resolve(gains.K_P, m_g, "K_P", omega * omega);
  return s;
}

Stabilization Stabilization::from_advice(const GainAdvice& advice) {
  Stabilization s;
  s.rate = GainMatrix::block_diagonal(advice.K_D, advice.K_N);
  s.position = advice.K_P;
  return s;
}

Stabilization Stabilization::none(int m_g, int m_psi) {
  Stabilization s;
  s.rate = GainMatrix::scalar(m_g + m_psi, 0.0);
  s.position = GainMatrix::scalar(m_g, 0.0);
  return s;
}

Setting gain_setting(const char* name, const Gain& asked, const std::string& automatic) {
  return {name, asked.text(), asked.automatic() ? automatic : asked.text()};
}

Settings Stabilization::gain_settings(const Gains& gains, int m_psi, double omega) {
  Settings settings{gain_setting("K_D", gains.K_D, text(2.0 * omega)),
                    gain_setting("K_P", gains.K_P, text(omega * omega))};
  if (m_psi > 0) settings.push_back(gain_setting("K_N", gains.K_N, text(omega)));
  return settings;
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

Settings advice_settings(const FormulationInput& input, const GainAdvice& advice) {
  Settings settings = Stabilization::gain_settings(input.gains, input.system->num_velocity_constraints(), advice.omega);
  for (Setting& line : advice.settings()) settings.push_back(std::move(line));
  return settings;
}

}  // namespace sunlagrange
