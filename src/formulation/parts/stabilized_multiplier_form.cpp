// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/stabilized_multiplier_form.hpp"

#include <algorithm>
#include <cmath>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

StabilizedMultiplierForm::StabilizedMultiplierForm(const FormulationInput& input, bool integrated_multipliers,
                                                   int num_tested)
    : MultiplierForm(input,
                     {input.system->num_positions(), input.system->num_positions(), input.system->num_constraints(),
                      input.system->num_position_constraints(), integrated_multipliers},
                     num_tested),
      newton_(*workspace_->patterns, m_g_, options_),
      added_masses_(Eigen::VectorXd::Zero(n_)),
      correction_q_(workspace_->r_q.values),
      difference_(n_),
      rows_of_mu_(Eigen::VectorXd::Zero(m_)),
      zero_(Eigen::VectorXd::Zero(std::max(n_, m_))),
      sides_(2 * n_, m_g_ + m_) {
  add_masses(input);
  provides_.newton = this;
  provides_.product = this;
  // not with redundant rows: the gauge of the multipliers acts on y, and Newton's solver serves both
  if (provides_.gauge == nullptr) provides_.sensitivities = this;
  if (m_g_ > 0) dae().error_weights = "q: rtol, atol; v: rtol, atol / T; lambda, mu through M^-1 G^T";
}

void StabilizedMultiplierForm::add_masses(const FormulationInput& input) {
  Workspace& w = *workspace_;
  const MotionState& s = input.start;
  if (!evaluate_system(*system_, request::mass, {s.t, s.q.data(), s.v.data(), nullptr, nullptr}, w)) return;
  double largest = 0.0;
  const Eigen::VectorXd& scales = system_->natural_scales();
  w.M.for_each_entry(
      [&](int i, int j, double entry) { largest = std::max(largest, std::abs(entry) * scales[i] * scales[j]); });
  for (int j = 0; j < n_; ++j) {
    if (w.M(j, j) == 0.0) added_masses_[j] = (largest > 0.0 ? largest : 1.0) / (scales[j] * scales[j]);
  }
}

/// (M + D) (q' - v) + G_g^T mu
void StabilizedMultiplierForm::position_rows(const Workspace& w, const double* y, const double* yp,
                                             const double* multipliers, double* r) {
  difference_ = q(yp) - v(y);
  rows_of_mu_.head(m_g_) = mu(multipliers);
  q(r).setZero();
  q(r) += w.M * difference_;
  q(r) += added_masses_.cwiseProduct(difference_);
  q(r) += w.G.transposed() * rows_of_mu_;
}

EvaluationResult StabilizedMultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  const Workspace* evaluated = evaluate(t, y);
  if (evaluated == nullptr) return EvaluationResult::declined;
  const Workspace& w = *evaluated;
  const double* multipliers = layout().with_multipliers(y, yp);
  keep_multipliers(multipliers);
  position_rows(w, y, yp, multipliers, r);
  equations_of_motion(w, v(yp), lambda(multipliers), v(r));
  lambda(r) = w.g_rate;
  mu(r) = w.g;
  return checked(r);
}

/// N = d(M (q' - v) + G_g^T mu)/dq: the tangent of r at (a, lambda) = (q' - v, (mu, 0)) less that at (0, 0). Vanishes
/// on the solution; near singular configurations mu is large enough to matter.
EvaluationResult StabilizedMultiplierForm::evaluate_correction(double t, const double* y, const double* yp) {
  Workspace& w = *workspace_;
  const auto tangent_at = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& multipliers) {
    return evaluate_system(*system_, request::tangent, {t, y, y + n_, a.data(), multipliers.data()}, w);
  };
  if (!tangent_at(zero_, zero_)) return EvaluationResult::declined;
  correction_q_ = w.r_q.values;
  difference_ = q(yp) - v(y);
  rows_of_mu_.head(m_g_) = mu(layout().with_multipliers(y, yp));
  if (!tangent_at(difference_, rows_of_mu_)) return EvaluationResult::declined;
  correction_q_ = w.r_q.values - correction_q_;
  return EvaluationResult::ok;
}

EvaluationResult StabilizedMultiplierForm::linearize_newton(double t, const double* y, const double* yp) {
  EvaluationResult result = evaluate_correction(t, y, yp);
  if (result == EvaluationResult::ok)
    result = linearize(t, y, yp + n_, lambda(layout().with_multipliers(y, yp)).data());
  if (result == EvaluationResult::ok) newton_.store(linearized(), correction_q_, added_masses_);
  return result;
}

EvaluationResult StabilizedMultiplierForm::linearize_sensitivities(double t, const double* y, const double* yp,
                                                                   const double*& a, const double*& multipliers) {
  a = yp + n_;
  multipliers = lambda(layout().with_multipliers(y, yp)).data();
  return evaluate_tangents(t, y, a, multipliers);
}

/// The differential of residual() where q' = v and mu = 0, as on the solution.
void StabilizedMultiplierForm::tangent_residual(const double* s, const double* sp, double* r) {
  const Workspace& w = *workspace_;
  const double* multipliers = layout().with_multipliers(s, sp);
  position_rows(w, s, sp, multipliers, r);
  v(r).setZero();
  v(r) += w.r_q * q(s);
  v(r) += w.r_v * v(s);
  v(r) += w.M * v(sp);
  v(r) += w.G.transposed() * lambda(multipliers);
  lambda(r).setZero();
  lambda(r) += w.V_q * q(s);
  lambda(r) += w.G * v(s);
  rows_of_mu_.setZero();
  rows_of_mu_ += w.G * q(s);
  mu(r) = rows_of_mu_.head(m_g_);
  rows_of_mu_.setZero();
}

EvaluationResult StabilizedMultiplierForm::sensitivity_equations(const double* s, const double* sp,
                                                                 const ParameterTerms& p, double* r) {
  tangent_residual(s, sp, r);
  v(r) += p.r;
  lambda(r) += p.g_rate;
  mu(r) += p.g;
  return checked(r);
}

EvaluationResult StabilizedMultiplierForm::linearize_product(double t, const double* y, const double* yp) {
  const double* multipliers = lambda(layout().with_multipliers(y, yp)).data();
  const EvaluationResult result = evaluate_correction(t, y, yp);
  return result == EvaluationResult::ok ? evaluate_tangents(t, y, yp + n_, multipliers) : result;
}

/// Off the solution N takes part, as in the Newton matrix.
EvaluationResult StabilizedMultiplierForm::jacobian_times(double c, const double* x, double* Jx) {
  rates_ = c * as_vector(x, size());
  tangent_residual(x, rates_.data(), Jx);
  const auto q_x = q(x);
  auto q_r = q(Jx);
  workspace_->r_q.pattern().for_each_entry([&](int i, int j, int e) { q_r[i] += correction_q_[e] * q_x[j]; });
  return checked(Jx);
}

SparsePattern StabilizedMultiplierForm::jacobian_pattern() const {
  const std::shared_ptr<const SystemPatterns> p = make_workspace(*system_, Storage::sparse)->patterns;
  const int lambda = 2 * n_, mu = 2 * n_ + m_;
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n_; ++i) {  // the added masses
    entries.emplace_back(i, i);
    entries.emplace_back(i, n_ + i);
  }
  p->tangent.for_each_entry([&](int i, int j, int) {  // contains the pattern of M
    for (const int row : {i, n_ + i}) {
      entries.emplace_back(row, j);
      entries.emplace_back(row, n_ + j);
    }
  });
  p->jacobian.for_each_entry([&](int i, int j, int) {
    entries.emplace_back(n_ + j, lambda + i);
    entries.emplace_back(lambda + i, j);
    entries.emplace_back(lambda + i, n_ + j);
    if (i >= m_g_) return;
    entries.emplace_back(j, mu + i);
    entries.emplace_back(mu + i, j);
  });
  return SparsePattern::from_entries(size(), size(), std::move(entries));
}

template <class Scalar>
EvaluationResult StabilizedMultiplierForm::factorize(Scalar c) {
  const Scalar h = 1.0 / c;
  return newton_.factorize(h);
}

/// The rows of CoupledNewtonBlocks: (b_q, h b_v), (b_g / h - b_g', b_g', b_psi); its unknowns: (w, x_v),
/// (x_mu, h x_lambda) with x_q = h (x_v + w).
template <class Scalar>
EvaluationResult StabilizedMultiplierForm::solve(Scalar c, Scalar* b) {
  const Scalar h = 1.0 / c;
  auto& [top, bottom] = sides_.of<Scalar>();
  top << q(b), h * v(b);
  bottom << c * mu(b) - lambda(b).head(m_g_), lambda(b);
  const EvaluationResult result = newton_.solve(top.data(), bottom.data());
  if (result != EvaluationResult::ok) return result;
  const Scalar change = change_of_unknowns(h);
  multipliers_per_unknown_ = std::abs(1.0 / change);
  q(b) = h * (top.tail(n_) + top.head(n_));
  v(b) = top.tail(n_);
  lambda(b) = change * c * bottom.tail(m_);
  mu(b) = change * bottom.head(m_g_);
  return result;
}

void StabilizedMultiplierForm::compute_weights(const Workspace& w, double h, const double* y, double* weight) {
  const double factor = h / change_of_unknowns(h);
  MultiplierForm::compute_weights(w, factor, y, weight);
  weights_.multipliers(w, weight, factor, 0, m_g_, mu(weight).data());
}

template EvaluationResult StabilizedMultiplierForm::factorize(double);
template EvaluationResult StabilizedMultiplierForm::factorize(Complex);
template EvaluationResult StabilizedMultiplierForm::solve(double, double*);
template EvaluationResult StabilizedMultiplierForm::solve(Complex, Complex*);

}  // namespace sunlagrange::internal
