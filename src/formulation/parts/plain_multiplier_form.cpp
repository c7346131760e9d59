#include "formulation/parts/plain_multiplier_form.hpp"

namespace sunlagrange::internal {

PlainMultiplierForm::PlainMultiplierForm(const FormulationInput& input, int first_velocity_row, int num_tested)
    : MultiplierForm(input,
                     {input.system->num_positions(), input.system->num_positions(), input.system->num_constraints()},
                     num_tested),
      first_velocity_row_(first_velocity_row),
      newton_(*workspace_, options_, nullptr, GainMatrix{}),
      top_(n_),
      bottom_(m_) {}

EvaluationResult PlainMultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  if (!evaluate(t, y)) return failures.count(EvaluationResult::declined);
  const Workspace& w = *workspace_;
  q(r) = q(yp) - v(y);
  equations_of_motion(v(yp), lambda(y), v(r));
  lambda(r) = w.g_rate;
  lambda(r).head(first_velocity_row_) = w.g.head(first_velocity_row_);
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
  const VectorMap b_q = q(b);
  top_ = h_ * v(b);
  top_ -= h_ * h_ * (newton_.r_q() * b_q);
  bottom_ = lambda(b);
  bottom_.head(first_velocity_row_) /= h_;
  newton_.subtract_constraint_q_times(h_, first_velocity_row_, b_q, bottom_);
  const EvaluationResult result = from_linear(newton_.solve(top_.data(), bottom_.data()));
  if (result != EvaluationResult::ok) return failures.count(result);
  q(b) = h_ * (top_ + b_q);
  v(b) = top_;
  if (stalled(b)) {
    as_vector(b, size()).setZero();
    return EvaluationResult::ok;
  }
  lambda(b) = 1.0 / h_ * bottom_;
  return failures.count(gauged(0, m_, lambda(b).data()));
}

}  // namespace sunlagrange::internal
