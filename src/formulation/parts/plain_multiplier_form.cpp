// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/plain_multiplier_form.hpp"

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

PlainMultiplierForm::PlainMultiplierForm(const FormulationInput& input, int first_velocity_row, int num_tested)
    : MultiplierForm(input,
                     {input.system->num_positions(), input.system->num_positions(), input.system->num_constraints()},
                     num_tested),
      first_velocity_row_(first_velocity_row),
      newton_(*workspace_, options_, nullptr, GainMatrix{}),
      sides_(n_, m_) {
  num_integrated_ = n_;
  provides_.newton = this;
  provides_.product = this;
  dae().algebraic = {"lambda"};
}

EvaluationResult PlainMultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  const Workspace* w = evaluate(t, y);
  if (w == nullptr) return EvaluationResult::declined;
  q(r) = q(yp) - v(y);
  equations_of_motion(*w, v(yp), lambda(y), v(r));
  lambda(r) = w->g_rate;
  lambda(r).head(first_velocity_row_) = w->g.head(first_velocity_row_);
  return checked(r);
}

EvaluationResult PlainMultiplierForm::linearize_newton(double t, const double* y, const double* yp) {
  const EvaluationResult result = linearize(t, y, yp + n_, y + 2 * n_);
  if (result == EvaluationResult::ok) newton_.store(linearized());
  return result;
}

template <class Scalar>
EvaluationResult PlainMultiplierForm::factorize(Scalar c) {
  const Scalar h = 1.0 / c;
  newton_.constraint_rows(h, first_velocity_row_);
  return newton_.factorize(h);
}

/// Eliminating x_q = h (x_v + b_q) leaves, in the unknowns (x_v, h x_lambda),
///     top = h b_v - h^2 r_q b_q,     bottom = b_g / h - G b_q  (position rows),  b - h V b_q  (velocity rows).
template <class Scalar>
EvaluationResult PlainMultiplierForm::solve(Scalar c, Scalar* b) {
  using kernels::product;
  const Scalar h = kernels::inverse_of(c);
  auto& [top, bottom] = sides_.of<Scalar>();
  const auto b_q = q(b);
  Scalar *b_v = b + n_, *b_g = b + 2 * n_;
  for (int j = 0; j < n_; ++j) top[j] = product(h, b_v[j]);
  for (int i = 0; i < m_; ++i) bottom[i] = i < first_velocity_row_ ? product(c, b_g[i]) : b_g[i];
  if (!vanishes(b_q)) {
    top -= h * h * (newton_.r_q() * b_q);
    newton_.subtract_constraint_q_times(h, first_velocity_row_, b_q, bottom);
  }
  const EvaluationResult result = newton_.solve(top.data(), bottom.data());
  if (result != EvaluationResult::ok) return result;
  for (int j = 0; j < n_; ++j) {
    b[j] = product(h, top[j] + b[j]);
    b_v[j] = top[j];
  }
  for (int i = 0; i < m_; ++i) b_g[i] = product(c, bottom[i]);
  return result;
}

EvaluationResult PlainMultiplierForm::linearize_product(double t, const double* y, const double* yp) {
  return evaluate_tangents(t, y, yp + n_, lambda(y).data());
}

/// The differential of residual() for a change x of y and c x of y'.
EvaluationResult PlainMultiplierForm::jacobian_times(double c, const double* x, double* Jx) {
  const Workspace& w = *workspace_;
  auto& [mass_times, rows] = sides_.of<double>();
  q(Jx) = c * q(x) - v(x);
  mass_times.setZero();
  mass_times += w.M * v(x);
  v(Jx) = c * mass_times;
  v(Jx) += w.r_q * q(x);
  v(Jx) += w.r_v * v(x);
  v(Jx) += w.G.transposed() * lambda(x);
  lambda(Jx).setZero();
  lambda(Jx) += w.V_q * q(x);
  lambda(Jx) += w.G * v(x);
  rows.setZero();
  rows += w.G * q(x);
  lambda(Jx).head(first_velocity_row_) = rows.head(first_velocity_row_);
  return checked(Jx);
}

SparsePattern PlainMultiplierForm::jacobian_pattern() const {
  const std::shared_ptr<const SystemPatterns> p = make_workspace(*system_, Storage::sparse)->patterns;
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n_; ++i) {
    entries.emplace_back(i, i);
    entries.emplace_back(i, n_ + i);
  }
  p->tangent.for_each_entry([&](int i, int j, int) {  // contains the pattern of M
    entries.emplace_back(n_ + i, j);
    entries.emplace_back(n_ + i, n_ + j);
  });
  p->jacobian.for_each_entry([&](int i, int j, int) {
    entries.emplace_back(n_ + j, 2 * n_ + i);
    entries.emplace_back(2 * n_ + i, j);
    if (i >= first_velocity_row_) entries.emplace_back(2 * n_ + i, n_ + j);
  });
  return SparsePattern::from_entries(size(), size(), std::move(entries));
}

template EvaluationResult PlainMultiplierForm::factorize(double);
template EvaluationResult PlainMultiplierForm::factorize(Complex);
template EvaluationResult PlainMultiplierForm::solve(double, double*);
template EvaluationResult PlainMultiplierForm::solve(Complex, Complex*);

}  // namespace sunlagrange::internal
