#include "formulation/parts/multiplier_form.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/pattern_products.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
namespace {

/// Corrections of q below this times max |q| may be rounding of q itself.
constexpr double near_rounding = 1e-13;

}  // namespace

MultiplierForm::MultiplierForm(const FormulationInput& input, ConstraintLevels levels)
    : DaeFormulation(input.system->num_positions()),
      levels_(levels),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      m_g_(input.system->num_position_constraints()),
      m_mu_(levels.position && levels.velocity ? m_g_ : 0),
      time_(input.start.t),
      system_(input.system),
      options_(resolve_linear_solver(input.linear_solver, n_, m_)),
      workspace_(system_->make_workspace(storage_of(options_))),
      weights_(input),
      gauge_(input, options_),
      difference_(static_cast<std::size_t>(n_)) {
  if (corrected()) {
    coupled_ = std::make_unique<CoupledNewtonBlocks>(*workspace_->patterns, m_g_, options_);
  } else {
    plain_ = std::make_unique<NewtonBlocks>(*workspace_, options_, nullptr, GainMatrix{});
  }
  if (corrected()) borrow_masses(input);
  top_.resize(static_cast<std::size_t>(corrected() ? 2 * n_ : n_));
  bottom_.resize(static_cast<std::size_t>(m_ + m_mu_));
  multipliers_.resize(bottom_.size());
  correction_q_.resize(workspace_->r_q.size());
  zero_.resize(static_cast<std::size_t>(std::max(n_, m_)));
  settings_.suppress_algebraic = !levels.integrated_multipliers;
  settings_.nonlinear_coefficient = 1e-3;
  if (masked_velocities()) {  // nothing else controls v: Newton errors of size coefficient x tolerance / h go into it
    settings_.nonlinear_coefficient = std::max(1e-7, std::min(1e-3, 3e-15 * weights_.scales().position / input.atol));
  }
  settings_.max_nonlinear_iterations = 8;
  settings_.initial_step = weights_.initial_step();
}

/// D of the correction (M + D) (q' - v) + G_g^T mu = 0: without it nothing would tie q' to v in coordinates without
/// mass that only psi rows hold. They borrow the largest mass.
void MultiplierForm::borrow_masses(const FormulationInput& input) {
  borrowed_.assign(static_cast<std::size_t>(n_), 0.0);
  Workspace& w = *workspace_;
  const MotionState& s = input.start;
  if (!system_->evaluate(request::mass, {s.t, s.q.data(), s.v.data(), nullptr, nullptr}, w)) return;
  double largest = 0.0;
  for (const double entry : w.M) largest = std::max(largest, std::abs(entry));
  for (int j = 0; j < n_; ++j) {
    const double mass = w.M[static_cast<std::size_t>(w.patterns->mass.slot(j, j))];
    if (mass == 0.0) borrowed_[static_cast<std::size_t>(j)] = largest > 0.0 ? largest : 1.0;
  }
}

void MultiplierForm::pack(const MotionState& state, double* y, double* yp) const {
  std::copy(state.q.data(), state.q.data() + n_, y);
  std::copy(state.v.data(), state.v.data() + n_, y + n_);
  std::fill(y + 2 * n_, y + size(), 0.0);
  if (!levels_.integrated_multipliers) std::copy(state.lambda.data(), state.lambda.data() + m_, y + 2 * n_);
  if (yp == nullptr) return;
  std::copy(state.v.data(), state.v.data() + n_, yp);
  std::copy(state.a.data(), state.a.data() + n_, yp + n_);
  std::fill(yp + 2 * n_, yp + size(), 0.0);
  if (levels_.integrated_multipliers) std::copy(state.lambda.data(), state.lambda.data() + m_, yp + 2 * n_);
}

EvaluationResult MultiplierForm::residual(double t, const double* y, const double* yp, double* r) {
  time_ = t;
  std::copy(y + 2 * n_, y + size(), multipliers_.begin());
  Workspace& w = *workspace_;
  if (!system_->evaluate(request::mass | request::force | request::jacobian, {t, y, y + n_, nullptr, nullptr}, w)) {
    return failures.count(EvaluationResult::declined);
  }
  const double* multipliers = (levels_.integrated_multipliers ? yp : y) + 2 * n_;
  for (int i = 0; i < n_; ++i) {
    r[i] = yp[i] - y[n_ + i];
    r[n_ + i] = -w.f[static_cast<std::size_t>(i)];
  }
  if (corrected()) {
    std::copy(r, r + n_, difference_.begin());
    std::fill(r, r + n_, 0.0);
    add_product(w.patterns->mass, w.M, difference_.data(), r);
    for (int i = 0; i < n_; ++i)
      r[i] += borrowed_[static_cast<std::size_t>(i)] * difference_[static_cast<std::size_t>(i)];
    std::fill(bottom_.begin(), bottom_.end(), 0.0);  // (mu, 0): the psi rows have no second multiplier
    std::copy(multipliers + m_, multipliers + m_ + m_mu_, bottom_.begin());
    add_transposed_product(w.patterns->jacobian, w.G, bottom_.data(), r);
  }
  add_product(w.patterns->mass, w.M, yp + n_, r + n_);
  add_transposed_product(w.patterns->jacobian, w.G, multipliers, r + n_);
  const auto rows = static_cast<std::size_t>(m_);
  const std::size_t positions = levels_.velocity ? 0 : static_cast<std::size_t>(m_g_);
  for (std::size_t i = 0; i < rows; ++i)
    r[2 * n_ + static_cast<int>(i)] = i < positions ? w.g[i] : w.g_rate[i];
  for (int i = 0; i < m_mu_; ++i) r[2 * n_ + m_ + i] = w.g[static_cast<std::size_t>(i)];
  for (int i = 0; i < size(); ++i) {
    if (!std::isfinite(r[i])) return failures.count(EvaluationResult::not_finite);
  }
  return EvaluationResult::ok;
}

/// N = d(M (q' - v) + G_g^T mu)/dq: the tangent of r at (a, lambda) = (q' - v, (mu, 0)) less that at (0, 0). Vanishes
/// on the solution; near singular configurations mu is large enough to matter.
bool MultiplierForm::evaluate_correction(double t, const double* y, const double* yp) {
  Workspace& w = *workspace_;
  const auto tangent_at = [&](const double* a, const double* lambda) {
    return system_->evaluate(request::tangent, {t, y, y + n_, a, lambda}, w);
  };
  if (!tangent_at(zero_.data(), zero_.data())) return false;
  correction_q_ = w.r_q;
  for (int i = 0; i < n_; ++i) difference_[static_cast<std::size_t>(i)] = yp[i] - y[n_ + i];
  const double* mu = (levels_.integrated_multipliers ? yp : y) + 2 * n_ + m_;
  std::fill(bottom_.begin(), bottom_.end(), 0.0);
  std::copy(mu, mu + m_mu_, bottom_.begin());
  if (!tangent_at(difference_.data(), bottom_.data())) return false;
  for (std::size_t e = 0; e < correction_q_.size(); ++e) correction_q_[e] = w.r_q[e] - correction_q_[e];
  return true;
}

EvaluationResult MultiplierForm::factorize_newton(double t, const double* y, const double* yp, double c) {
  Workspace& w = *workspace_;
  if (corrected() && !evaluate_correction(t, y, yp)) return failures.count(EvaluationResult::declined);
  const double* lambda = (levels_.integrated_multipliers ? yp : y) + 2 * n_;
  if (!system_->evaluate(request::acceleration_level | request::tangent, {t, y, y + n_, yp + n_, lambda}, w)) {
    return failures.count(EvaluationResult::declined);
  }
  h_ = 1.0 / c;
  largest_position_ = max_abs(y);
  if (gauge_.active()) {
    const EvaluationResult result = gauge_.update(t, y, y + n_);
    if (result != EvaluationResult::ok) return failures.count(result);
  }
  if (corrected()) return failures.count(from_linear(coupled_->factorize(h_, w, correction_q_, borrowed_)));
  plain_->store(w);
  plain_->constraint_rows(h_, levels_.velocity ? 0 : m_g_);
  return failures.count(from_linear(plain_->factorize(h_)));
}

/// Eliminating x_q = h (x_v + b_q) leaves, in the unknowns (x_v, h x_lambda),
///     top = h b_v - h^2 r_q b_q,     bottom = b_g / h - G b_q  (position rows),  b - h V b_q  (velocity rows).
void MultiplierForm::solve_plain(const double* b_q, const double* b_rows) {
  const int positions = levels_.velocity ? 0 : m_g_;
  plain_->add_residual_q_times(-h_ * h_, b_q, top_.data());
  for (int i = 0; i < m_; ++i) bottom_[static_cast<std::size_t>(i)] = i < positions ? b_rows[i] / h_ : b_rows[i];
  plain_->add_constraint_q_times(-1.0, h_, positions, b_q, bottom_.data());
}

/// The rows of CoupledNewtonBlocks: (b_q, h b_v), (b_g / h - b_g', b_g', b_psi).
void MultiplierForm::solve_corrected(const double* b_q, const double* b_rows) {
  std::copy(b_q, b_q + n_, top_.begin());
  for (int i = 0; i < m_mu_; ++i) bottom_[static_cast<std::size_t>(i)] = b_rows[m_ + i] / h_ - b_rows[i];
  std::copy(b_rows, b_rows + m_, bottom_.begin() + m_mu_);
}

double MultiplierForm::max_abs(const double* q) const {
  double largest = 0.0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(q[i]));
  return largest;
}

/// True: Newton has stalled where y cannot do better. g = 0 is met to the rounding of q; divided by h in v and by h^2
/// in lambda that looks like slow convergence to IDA, and the shorter step it would try next only makes it worse.
bool MultiplierForm::stalled_at_rounding(const double* x_q) {
  const double now = max_abs(x_q);
  const double before = last_correction_;
  last_correction_ = now;
  return now > 0.0 && now <= near_rounding * largest_position_ && now >= 0.5 * before;
}

EvaluationResult MultiplierForm::solve_newton(double c, double* b) {
  h_ = 1.0 / c;
  double* b_q = b;
  double* b_v = b + n_;
  double* b_rows = b + 2 * n_;
  double* x_v = top_.data() + (corrected() ? n_ : 0);
  for (int i = 0; i < n_; ++i) x_v[i] = h_ * b_v[i];
  LinearOutcome outcome = LinearOutcome::ok;
  if (corrected()) {
    solve_corrected(b_q, b_rows);
    outcome = coupled_->solve(top_.data(), bottom_.data());
  } else {
    solve_plain(b_q, b_rows);
    outcome = plain_->solve(top_.data(), bottom_.data());
  }
  if (outcome != LinearOutcome::ok) return failures.count(from_linear(outcome));
  for (int i = 0; i < n_; ++i) {
    b_q[i] = h_ * (x_v[i] + (corrected() ? top_[static_cast<std::size_t>(i)] : b_q[i]));
    b_v[i] = x_v[i];
  }
  if (masked_velocities() && stalled_at_rounding(b_q)) {
    std::fill(b, b + size(), 0.0);  // converged
    return EvaluationResult::ok;
  }
  // bottom_ = (x_mu, h x_lambda); with lambda = L', mu = U' the unknowns are x_L = h x_lambda, x_U = h x_mu
  const double lambda_scale = levels_.integrated_multipliers ? 1.0 : 1.0 / h_;
  const double mu_scale = levels_.integrated_multipliers ? h_ : 1.0;
  for (int i = 0; i < m_; ++i) b_rows[i] = lambda_scale * bottom_[static_cast<std::size_t>(m_mu_ + i)];
  for (int i = 0; i < m_mu_; ++i) b_rows[m_ + i] = mu_scale * bottom_[static_cast<std::size_t>(i)];
  if (!gauge_.active()) return EvaluationResult::ok;
  EvaluationResult result = gauge_.correct(multipliers_.data(), b_rows, m_);
  if (result == EvaluationResult::ok) result = gauge_.correct(multipliers_.data() + m_, b_rows + m_, m_mu_);
  return failures.count(result);
}

void MultiplierForm::ids(double* id) const {
  std::fill(id, id + size(), 1.0);
  if (levels_.integrated_multipliers) return;
  std::fill(id + (masked_velocities() ? n_ : 2 * n_), id + size(), 0.0);
}

EvaluationResult MultiplierForm::weights(double h, const double* y, double* weight) {
  if (h <= 0.0) h = settings_.initial_step;
  Workspace& w = *workspace_;
  if (!system_->evaluate(request::mass | request::constraint | request::jacobian, {time_, y, y + n_, nullptr, nullptr},
                         w)) {
    return EvaluationResult::declined;
  }
  double* weight_v = weight + n_;
  double* weight_rows = weight + 2 * n_;
  weights_.positions(y, weight);
  if (masked_velocities()) {
    for (int i = 0; i < n_; ++i) weight_v[i] = h * weight[i];
    weights_.multipliers(w, weight, h * h, 0, m_g_, weight_rows);
    weights_.multipliers(w, weight, h, m_g_, m_, weight_rows + m_g_);
    return EvaluationResult::ok;
  }
  weights_.velocities(y + n_, weight_v);
  const double factor = levels_.integrated_multipliers ? 1.0 : h;
  weights_.multipliers(w, weight_v, factor, 0, m_, weight_rows);
  weights_.multipliers(w, weight, factor, 0, m_mu_, weight_rows + m_);
  return EvaluationResult::ok;
}

Settings MultiplierForm::settings() const {
  const char* masks = masked_velocities()              ? "v, lambda masked in the error test"
                      : levels_.integrated_multipliers ? "everything in the error test"
                      : corrected()                    ? "lambda, mu masked in the error test"
                                                       : "lambda masked in the error test";
  const char* weights = masked_velocities() ? "q: rtol, atol; v: h x that; lambda: h^2 through M^-1 G^T"
                        : corrected()       ? "q: rtol, atol; v: rtol, atol / T; lambda, mu through M^-1 G^T"
                                            : "q: rtol, atol; v: rtol, atol / T; lambda through M^-1 G^T";
  Settings list = {{"ids", "", masks},
                   {"error weights", "", weights},
                   {"time scale T", "", text(weights_.scales().time)},
                   {"nonlinear coefficient", "", text(settings_.nonlinear_coefficient)},
                   {"nonlinear iterations", "", std::to_string(settings_.max_nonlinear_iterations)},
                   {"initial step", "", text(settings_.initial_step)}};
  if (gauge_.active()) list.push_back({"redundant multipliers", "", "kept at least norm in every Newton iteration"});
  return list;
}

LinearCounts MultiplierForm::counts() const {
  return corrected() ? coupled_->solver().counts() : plain_->solver().counts();
}
std::string MultiplierForm::linear_solver_description() const {
  return corrected() ? coupled_->solver().description() : plain_->solver().description();
}

}  // namespace sunlagrange
