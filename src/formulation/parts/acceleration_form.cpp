#include "formulation/parts/acceleration_form.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {

AccelerationForm::AccelerationForm(const FormulationInput& input, Stabilization stabilization, Compliance compliance)
    : OdeFormulation(input.system->num_positions()),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      options_(resolve_linear_solver(input.linear_solver, n_, m_)),
      stabilization_(std::move(stabilization)),
      compliance_(std::move(compliance)),
      saddle_(input.system, options_, compliance_.C),
      a_(static_cast<std::size_t>(n_)),
      lambda_(static_cast<std::size_t>(m_)),
      top_(static_cast<std::size_t>(n_)),
      bottom_(static_cast<std::size_t>(m_)) {}

void AccelerationForm::pack(const MotionState& state, double* y, double* yp) const {
  std::copy(state.q.data(), state.q.data() + n_, y);
  std::copy(state.v.data(), state.v.data() + n_, y + n_);
  if (yp == nullptr) return;
  std::copy(state.v.data(), state.v.data() + n_, yp);
  std::copy(state.a.data(), state.a.data() + n_, yp + n_);
}

EvaluationResult AccelerationForm::accelerations(double t, const double* q, const double* v) {
  EvaluationResult result = saddle_.factorize(t, q, v);
  const Workspace& w = saddle_.workspace();
  if (result == EvaluationResult::ok) result = renew_gains(t, q, v, w, stabilization_);
  if (result != EvaluationResult::ok) return result;
  std::copy(w.force.begin(), w.force.end(), a_.begin());
  stabilization_.right_hand_side(w, lambda_.data());
  return solve_saddle(saddle_, a_.data(), lambda_.data());
}

EvaluationResult AccelerationForm::with_feedback(double t, const double* q, const double* v, double* a,
                                                 double* lambda) {
  const EvaluationResult result = accelerations(t, q, v);
  std::copy(a_.begin(), a_.end(), a);
  std::copy(lambda_.begin(), lambda_.end(), lambda);
  return result;
}

EvaluationResult AccelerationForm::rhs(double t, const double* y, double* ydot) {
  const EvaluationResult result = accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return failures.count(result);
  std::copy(y + n_, y + 2 * n_, ydot);
  std::copy(a_.begin(), a_.end(), ydot + n_);
  return result;
}

EvaluationResult AccelerationForm::evaluate_blocks(double t, const double* y) {
  const EvaluationResult result = accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return result;
  Workspace& w = saddle_.workspace();
  if (!saddle_.system().evaluate(request::tangent, {t, y, y + n_, a_.data(), lambda_.data()}, w)) {
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
  double* b_q = b;
  double* b_v = b + n_;
  std::fill(top_.begin(), top_.end(), 0.0);
  std::fill(bottom_.begin(), bottom_.end(), 0.0);
  newton_->add_mass_times(1.0, b_v, top_.data());
  newton_->add_residual_q_times(-gamma, b_q, top_.data());
  newton_->add_stabilized_rows_times(gamma, b_v, b_q, stabilization_, bottom_.data());
  const EvaluationResult result = from_linear(newton_->solve(top_.data(), bottom_.data()));
  if (result != EvaluationResult::ok) return failures.count(result);
  for (int i = 0; i < n_; ++i) {
    b_q[i] += gamma * top_[static_cast<std::size_t>(i)];
    b_v[i] = top_[static_cast<std::size_t>(i)];
  }
  return result;
}

/// From the force p = G^T x_lambda by the saddle-point system: S lambda = G M^-1 p with the same rank decision.
EvaluationResult AccelerationForm::newton_multipliers(const double*& multipliers) {
  multipliers = bottom_.data();
  if (saddle_.solver().rank() == m_ || compliance_.C.size() > 0) return EvaluationResult::ok;
  const Workspace& w = saddle_.workspace();
  std::fill(top_.begin(), top_.end(), 0.0);
  add_transposed_product(w.patterns->jacobian, w.jacobian, bottom_.data(), top_.data());
  std::fill(bottom_.begin(), bottom_.end(), 0.0);
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

}  // namespace sunlagrange
