#include "formulation/parts/stabilized_multiplier_form.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {

StabilizedMultiplierForm::StabilizedMultiplierForm(const FormulationInput& input, int num_tested)
    : MultiplierForm(input, input.system->num_constraints() + input.system->num_position_constraints(), num_tested),
      newton_(*workspace_->patterns, m_g_, options_),
      borrowed_(static_cast<std::size_t>(n_)),
      correction_q_(workspace_->residual_q.size()),
      difference_(static_cast<std::size_t>(n_)),
      rows_of_mu_(static_cast<std::size_t>(m_)),
      zero_(static_cast<std::size_t>(std::max(n_, m_))),
      top_(static_cast<std::size_t>(2 * n_)),
      bottom_(static_cast<std::size_t>(m_g_ + m_)) {
  borrow_masses(input);
}

void StabilizedMultiplierForm::borrow_masses(const FormulationInput& input) {
  Workspace& w = *workspace_;
  const MotionState& s = input.start;
  if (!system_->evaluate(request::mass, {s.t, s.q.data(), s.v.data(), nullptr, nullptr}, w)) return;
  double largest = 0.0;
  for (const double entry : w.mass) largest = std::max(largest, std::abs(entry));
  for (int j = 0; j < n_; ++j) {
    const double mass = w.mass[static_cast<std::size_t>(w.patterns->mass.slot(j, j))];
    if (mass == 0.0) borrowed_[static_cast<std::size_t>(j)] = largest > 0.0 ? largest : 1.0;
  }
}

EvaluationResult StabilizedMultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  if (!evaluate(t, y)) return failures.count(EvaluationResult::declined);
  const Workspace& w = *workspace_;
  const double* lambda = multipliers(y, yp);
  const double* mu = lambda + m_;
  for (std::size_t i = 0; i < difference_.size(); ++i) difference_[i] = yp[i] - y[difference_.size() + i];
  std::copy(mu, mu + m_g_, rows_of_mu_.begin());
  std::fill(r, r + n_, 0.0);
  add_product(w.patterns->mass, w.mass, difference_.data(), r);
  for (std::size_t i = 0; i < difference_.size(); ++i) r[i] += borrowed_[i] * difference_[i];
  add_transposed_product(w.patterns->jacobian, w.jacobian, rows_of_mu_.data(), r);
  equations_of_motion(yp + n_, lambda, r + n_);
  double* rows = std::copy(w.velocity.begin(), w.velocity.end(), r + 2 * n_);
  std::copy(w.position.begin(), w.position.end(), rows);
  return checked(r);
}

/// N = d(M (q' - v) + G_g^T mu)/dq: the tangent of r at (a, lambda) = (q' - v, (mu, 0)) less that at (0, 0). Vanishes
/// on the solution; near singular configurations mu is large enough to matter.
bool StabilizedMultiplierForm::evaluate_correction(double t, const double* y, const double* yp) {
  Workspace& w = *workspace_;
  const auto tangent_at = [&](const double* a, const double* lambda) {
    return system_->evaluate(request::tangent, {t, y, y + n_, a, lambda}, w);
  };
  if (!tangent_at(zero_.data(), zero_.data())) return false;
  correction_q_ = w.residual_q;
  const double* mu = multipliers(y, yp) + m_;
  for (std::size_t i = 0; i < difference_.size(); ++i) difference_[i] = yp[i] - y[difference_.size() + i];
  std::copy(mu, mu + m_g_, rows_of_mu_.begin());
  if (!tangent_at(difference_.data(), rows_of_mu_.data())) return false;
  for (std::size_t e = 0; e < correction_q_.size(); ++e) correction_q_[e] = w.residual_q[e] - correction_q_[e];
  return true;
}

EvaluationResult StabilizedMultiplierForm::factorize_newton(double t, const double* y, const double* yp, double c) {
  if (!evaluate_correction(t, y, yp)) return failures.count(EvaluationResult::declined);
  const EvaluationResult result = linearize(t, y, yp + n_, multipliers(y, yp), c);
  if (result != EvaluationResult::ok) return failures.count(result);
  return failures.count(from_linear(newton_.factorize(h_, *workspace_, correction_q_, borrowed_)));
}

/// The rows of CoupledNewtonBlocks: (b_q, h b_v), (b_g / h - b_g', b_g', b_psi); its unknowns: (w, x_v),
/// (x_mu, h x_lambda) with x_q = h (x_v + w).
EvaluationResult StabilizedMultiplierForm::solve_newton(double c, double* b) {
  h_ = 1.0 / c;
  double* b_q = b;
  double* b_v = b + n_;
  double* b_lambda = b + 2 * n_;
  double* b_mu = b_lambda + m_;
  double* w = top_.data();
  double* x_v = w + n_;
  double* x_mu = bottom_.data();
  double* x_lambda = x_mu + m_g_;
  std::copy(b_q, b_q + n_, w);
  for (int i = 0; i < n_; ++i) x_v[i] = h_ * b_v[i];
  for (int i = 0; i < m_g_; ++i) x_mu[i] = b_mu[i] / h_ - b_lambda[i];
  std::copy(b_lambda, b_lambda + m_, x_lambda);
  EvaluationResult result = from_linear(newton_.solve(top_.data(), bottom_.data()));
  if (result != EvaluationResult::ok) return failures.count(result);
  const double change = change_of_unknowns(h_);
  for (int i = 0; i < n_; ++i) b_q[i] = h_ * (x_v[i] + w[i]);
  std::copy(x_v, x_v + n_, b_v);
  for (int i = 0; i < m_; ++i) b_lambda[i] = change / h_ * x_lambda[i];
  for (int i = 0; i < m_g_; ++i) b_mu[i] = change * x_mu[i];
  result = gauged(0, m_, b_lambda);
  if (result == EvaluationResult::ok) result = gauged(m_, m_g_, b_mu);
  return failures.count(result);
}

void StabilizedMultiplierForm::weigh(double h, const double* y, double* weight) {
  const double factor = h / change_of_unknowns(h);
  MultiplierForm::weigh(factor, y, weight);
  weights_.multipliers(*workspace_, weight, factor, 0, m_g_, weight + 2 * n_ + m_);
}

}  // namespace sunlagrange
