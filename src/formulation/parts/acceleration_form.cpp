#include "formulation/parts/acceleration_form.hpp"

#include <cmath>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

AccelerationForm::AccelerationForm(const FormulationInput& input, Stabilization stabilization, Compliance compliance)
    : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      options_(resolve_linear_solver(input.linear_solver, *input.system)),
      stabilization_(std::move(stabilization)),
      compliance_(std::move(compliance)),
      saddle_(input.system, options_, compliance_.C),
      a_(n_),
      lambda_(m_),
      where_(2 * n_),
      top_(n_),
      bottom_(m_),
      asked_(m_),
      contradictions_(m_) {}

EvaluationResult AccelerationForm::accelerations(double t, const double* q, const double* v) {
  when_ = NAN;
  EvaluationResult result = saddle_.factorize(t, q, v);
  const Workspace& w = saddle_.workspace();
  if (result == EvaluationResult::ok) result = renew_gains(t, q, v, w, stabilization_);
  if (result != EvaluationResult::ok) return result;
  a_ = w.f;
  add_forces(t, w, a_);
  stabilization_.right_hand_side(w, lambda_);
  result = solve_saddle(saddle_, a_.data(), lambda_.data());
  if (result != EvaluationResult::ok) return result;
  const bool opposed = compliance_.C.size() == 0 ? saddle_.solver().rank() < m_ : constraint_forces_cancel(w);
  if (opposed) {
    stabilization_.right_hand_side(w, asked_);
    contradictions_.note(w, a_, asked_);
  }
  when_ = t;
  where_ << as_vector(q, n_), as_vector(v, n_);
  return result;
}

/// With a compliance no rank is lost: rows that depend on each other and ask for different things pull with large
/// multipliers against each other, of which next to nothing acts.
bool AccelerationForm::constraint_forces_cancel(const Workspace& w) {
  constexpr double least_share = 1e-2;
  double acts = 0.0, pulls = 0.0;
  for (int j = 0; j < n_; ++j) {
    double sum = 0.0, sizes = 0.0;
    w.patterns->jacobian.for_each_entry_of(j, [&](int i, int, int k) {
      const double force = w.G.data()[k] * lambda_[i];
      sum += force;
      sizes += std::abs(force);
    });
    acts += std::abs(sum);
    pulls += sizes;
  }
  return acts < least_share * pulls;
}

NearbySolution AccelerationForm::nearby_solution() {
  if (std::isnan(when_) || compliance_.C.size() > 0 || lost_rank()) return {};
  return {when_, &saddle_, a_.data(), lambda_.data()};
}

/// The last stage of a method whose first stage is that of the next step differs from its result by rounding.
bool AccelerationForm::last_rates(double t, const double* y, double* ydot) const {
  constexpr double rounding = 1e-14;
  if (!(std::abs(t - when_) <= 10.0 * rounding * std::abs(t))) return false;  // stop times are met to rounding
  const auto same = [](const auto& x, const auto& other) {
    return (x - other).template lpNorm<Eigen::Infinity>() <= rounding * x.template lpNorm<Eigen::Infinity>();
  };
  if (!same(q(y), where_.head(n_)) || !same(v(y), where_.tail(n_))) return false;
  q(ydot) = v(y);
  v(ydot) = a_;
  return true;
}

EvaluationResult AccelerationForm::with_feedback(double t, const double* q, const double* v, double* a,
                                                 double* lambda) {
  const EvaluationResult result = accelerations(t, q, v);
  as_vector(a, n_) = a_;
  as_vector(lambda, m_) = lambda_;
  return result;
}

EvaluationResult AccelerationForm::rhs(double t, const double* y, double* ydot) {
  const EvaluationResult result = accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return failures.count(result);
  q(ydot) = v(y);
  v(ydot) = a_;
  return result;
}

EvaluationResult AccelerationForm::evaluate_blocks(double t, const double* y) {
  const EvaluationResult result = accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return result;
  Workspace& w = saddle_.workspace();
  if (!evaluate_system(saddle_.system(), request::tangent, {t, y, y + n_, a_.data(), lambda_.data()}, w)) {
    return EvaluationResult::declined;
  }
  if (newton_ == nullptr) newton_ = std::make_unique<NewtonBlocks>(w, options_, &stabilization_, newton_compliance());
  newton_->store(w);
  return EvaluationResult::ok;
}

EvaluationResult AccelerationForm::factorize_newton(double t, const double* y, double gamma, bool reuse) {
  if (!reuse || newton_ == nullptr) {
    const EvaluationResult result = evaluate_blocks(t, y);
    if (result != EvaluationResult::ok) return failures.count(result);
  }
  gamma_ = gamma;
  newton_->acceleration_rows(gamma, stabilization_);
  return failures.count(from_linear(newton_->factorize(gamma)));
}

/// (I - gamma J)(x_q, x_v) = (b_q, b_v): eliminating x_q = b_q + gamma x_v leaves the blocks of NewtonBlocks with
///     top = M b_v - gamma r_q b_q,     bottom = G b_v - gamma s_q b_q.
EvaluationResult AccelerationForm::solve_newton(double gamma, double* b) {
  const VectorMap b_q = q(b), b_v = v(b);
  top_.setZero();
  top_ += newton_->M() * b_v;
  top_ -= gamma * (newton_->r_q() * b_q);
  newton_->stabilized_rows_times(gamma, b_v, b_q, stabilization_, bottom_);
  const EvaluationResult result = from_linear(newton_->solve(top_.data(), bottom_.data()));
  if (result != EvaluationResult::ok) return failures.count(result);
  q(b) += gamma * top_;
  v(b) = top_;
  return result;
}

/// From the force p = G^T x_lambda by the saddle-point system: S lambda = G M^-1 p with the same rank decision.
EvaluationResult AccelerationForm::make_newton_multipliers() {
  if (saddle_.solver().rank() == m_ || compliance_.C.size() > 0) return EvaluationResult::ok;
  top_.setZero();
  top_ += saddle_.workspace().G.transposed() * bottom_;
  bottom_.setZero();
  return failures.count(saddle_.solve(top_.data(), bottom_.data()));
}

FormulationFacts AccelerationForm::facts() const {
  FormulationFacts facts = stabilization_.facts;
  facts.Lambda = compliance_.Lambda;
  return facts;
}

LinearCounts AccelerationForm::counts() const {
  LinearCounts sum = saddle_.solver().counts();
  if (newton_ != nullptr) sum += newton_->solver().counts();
  return sum;
}

}  // namespace sunlagrange::internal
