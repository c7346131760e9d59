#include "formulation/parts/plain_multiplier_form.hpp"

#include <algorithm>

namespace sunlagrange {

PlainMultiplierForm::PlainMultiplierForm(const FormulationInput& input, int first_velocity_row, int num_tested)
    : MultiplierForm(input, input.system->num_constraints(), num_tested),
      first_velocity_row_(first_velocity_row),
      newton_(*workspace_, options_, nullptr, GainMatrix{}),
      top_(static_cast<std::size_t>(n_)),
      bottom_(static_cast<std::size_t>(m_)) {}

EvaluationResult PlainMultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  if (!evaluate(t, y)) return failures.count(EvaluationResult::declined);
  const Workspace& w = *workspace_;
  for (int i = 0; i < n_; ++i) r[i] = yp[i] - y[n_ + i];
  equations_of_motion(yp + n_, y + 2 * n_, r + n_);
  double* rows = r + 2 * n_;
  std::copy(w.velocity.begin(), w.velocity.end(), rows);
  std::copy(w.position.begin(), w.position.begin() + first_velocity_row_, rows);
  return checked(r);
}

EvaluationResult PlainMultiplierForm::factorize_newton(double t, const double* y, const double* yp, double c) {
  const EvaluationResult result = linearize(t, y, yp + n_, y + 2 * n_, c);
  if (result != EvaluationResult::ok) return failures.count(result);
  newton_.store(*workspace_);
  newton_.constraint_rows(h_, first_velocity_row_);
  return failures.count(from_linear(newton_.factorize(h_)));
}

/// Eliminating x_q = h (x_v + b_q) leaves, in the unknowns (x_v, h x_lambda),
///     top = h b_v - h^2 r_q b_q,     bottom = b_g / h - G b_q  (position rows),  b - h V b_q  (velocity rows).
EvaluationResult PlainMultiplierForm::solve_newton(double c, double* b) {
  h_ = 1.0 / c;
  double* b_q = b;
  double* b_v = b + n_;
  double* b_rows = b + 2 * n_;
  for (std::size_t i = 0; i < top_.size(); ++i) top_[i] = h_ * b_v[i];
  newton_.add_residual_q_times(-h_ * h_, b_q, top_.data());
  std::copy(b_rows, b_rows + m_, bottom_.begin());
  for (int i = 0; i < first_velocity_row_; ++i) bottom_[static_cast<std::size_t>(i)] /= h_;
  newton_.add_constraint_q_times(-1.0, h_, first_velocity_row_, b_q, bottom_.data());
  const EvaluationResult result = from_linear(newton_.solve(top_.data(), bottom_.data()));
  if (result != EvaluationResult::ok) return failures.count(result);
  for (std::size_t i = 0; i < top_.size(); ++i) {
    b_q[i] = h_ * (top_[i] + b_q[i]);
    b_v[i] = top_[i];
  }
  if (stalled(b_q)) {
    std::fill(b, b + size(), 0.0);
    return EvaluationResult::ok;
  }
  for (std::size_t i = 0; i < bottom_.size(); ++i) b_rows[i] = 1.0 / h_ * bottom_[i];
  return failures.count(gauged(0, m_, b_rows));
}

}  // namespace sunlagrange
