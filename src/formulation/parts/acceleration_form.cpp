// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/acceleration_form.hpp"

#include <cmath>
#include <type_traits>

#include "base/numerics.hpp"

namespace sunlagrange::internal {

namespace {

constexpr long evaluations_per_check = 32;  // of rows that contradict each other, which they do for many steps

}  // namespace

AccelerationForm::AccelerationForm(const FormulationInput& input, Stabilization stabilization, Compliance compliance)
    : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      options_(resolve_linear_solver(input.linear_solver, *input.system)),
      stabilization_(std::move(stabilization)),
      compliance_(std::move(compliance)),
      evaluator_(evaluator_for(input.system, options_)),
      saddle_(evaluator_, options_, compliance_.C),
      sides_(n_, m_),
      rows_(m_),
      right_side_(m_),
      contradictions_(*input.system) {
  for (auto* x : {&last_.q, &last_.v, &last_.a}) x->resize(n_);
  last_.lambda.resize(m_);
  last_.quantities = &evaluator_.quantities();
  no_parameter_.set_zero(*input.system);
  num_integrated_ = n_;
  facts_ = stabilization_.facts;
  facts_.Lambda = compliance_.Lambda;
  provides_.newton = this;
  provides_.product = this;
  provides_.feedback = this;
  provides_.last = &last_;
  if (stabilization_.varying) return;
  provides_.sensitivities = this;
  provides_.adjoint = this;
  provides_.adjoint_newton = this;
}

EvaluationResult AccelerationForm::accelerations(double t, const double* q, const double* v) {
  last_.t = NAN;
  EvaluationResult result = saddle_.factorize(evaluator_.at(t, q, v));
  const Workspace& w = evaluator_.quantities();
  if (result == EvaluationResult::ok) result = renew_gains(t, q, v, w, stabilization_);
  if (result != EvaluationResult::ok) return result;
  last_.a = w.f;
  add_forces(t, w, last_.a);
  stabilization_.right_hand_side(w, last_.lambda);
  result = solve_saddle(last_.a.data(), last_.lambda.data());
  if (result != EvaluationResult::ok) return result;
  if (evaluations_++ % evaluations_per_check == 0) check_contradictions(w);
  last_.version = evaluator_.version();
  last_.t = t;
  last_.q = as_vector(q, n_);
  last_.v = as_vector(v, n_);
  last_.system = compliance_.C.size() > 0 || lost_rank() ? nullptr : &saddle_;
  return result;
}

void AccelerationForm::check_contradictions(const Workspace& w) {
  const bool opposed = compliance_.C.size() == 0 ? saddle_.solver().rank() < m_ : constraint_forces_cancel(w);
  if (!opposed) return;
  stabilization_.right_hand_side(w, right_side_);
  contradictions_.record(w, last_.a, right_side_);
}

/// With a compliance no rank is lost. Dependent rows that contradict each other then have large multipliers whose
/// constraint forces cancel.
bool AccelerationForm::constraint_forces_cancel(const Workspace& w) {
  constexpr double least_share = 1e-2;
  double remaining = 0.0, applied = 0.0;
  for (int j = 0; j < n_; ++j) {
    double sum = 0.0, sizes = 0.0;
    w.patterns->jacobian.for_each_entry_of(j, [&](int i, int, int k) {
      const double force = w.G.data()[k] * last_.lambda[i];
      sum += force;
      sizes += std::abs(force);
    });
    remaining += std::abs(sum);
    applied += sizes;
  }
  return remaining < least_share * applied;
}

EvaluationResult AccelerationForm::with_feedback(double t, const double* q, const double* v, double* a,
                                                 double* lambda) {
  const EvaluationResult result = accelerations(t, q, v);
  as_vector(a, n_) = last_.a;
  as_vector(lambda, m_) = last_.lambda;
  return result;
}

EvaluationResult AccelerationForm::rhs(double t, const double* y, double* ydot) {
  const EvaluationResult result = accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return result;
  q(ydot) = v(y);
  v(ydot) = last_.a;
  return result;
}

EvaluationResult AccelerationForm::linearize(double t, const double* y) {
  const bool just_evaluated = t == last_.t && q(y) == last_.q && v(y) == last_.v;
  const EvaluationResult result = just_evaluated ? EvaluationResult::ok : accelerations(t, y, y + n_);
  if (result != EvaluationResult::ok) return result;
  const Point point{t, y, y + n_, last_.a.data(), last_.lambda.data()};
  return evaluator_.add(request::tangent, point) != nullptr ? EvaluationResult::ok : EvaluationResult::declined;
}

EvaluationResult AccelerationForm::linearize_newton(double t, const double* y, const double*) {
  const EvaluationResult result = linearize(t, y);
  if (result != EvaluationResult::ok) return result;
  const Workspace& w = evaluator_.quantities();
  if (newton_ == nullptr) newton_ = std::make_unique<NewtonBlocks>(w, options_, &stabilization_, newton_compliance());
  newton_->store(w);
  linearized_ = true;
  return EvaluationResult::ok;
}

template <class Scalar>
EvaluationResult AccelerationForm::factorize(Scalar gamma) {
  newton_->acceleration_rows(gamma, stabilization_);
  return newton_->factorize(gamma);
}

/// (I - gamma J)(x_q, x_v) = (b_q, b_v): eliminating x_q = b_q + gamma x_v leaves the blocks of NewtonBlocks with
///     top = M b_v - gamma r_q b_q,     bottom = G b_v - gamma s_q b_q.
template <class Scalar>
EvaluationResult AccelerationForm::solve(Scalar gamma, Scalar* b) {
  auto& [top, bottom] = sides_.of<Scalar>();
  auto b_q = q(b), b_v = v(b);
  top.setZero();
  top += newton_->M() * b_v;
  bottom.setZero();
  bottom += newton_->G() * b_v;
  if (!vanishes(b_q)) {
    top -= gamma * (newton_->r_q() * b_q);
    newton_->subtract_stabilized_q_times(gamma, b_q, stabilization_, bottom);
  }
  const EvaluationResult result = newton_->solve(top.data(), bottom.data());
  if (result != EvaluationResult::ok) return result;
  b_q += gamma * top;
  b_v = top;
  return result;
}

EvaluationResult AccelerationForm::linearize_sensitivities(double t, const double* y, const double*, const double*& a,
                                                           const double*& lambda) {
  a = last_.a.data();
  lambda = last_.lambda.data();
  return linearize_newton(t, y, nullptr);
}

/// The differential of M v' + G^T lambda = f and of the rows: with the factors of the right-hand side itself
///     top = -(r_q s_q + r_v s_v + r_p),     bottom = -(A_q s_q + A_v s_v + A_p) - K_D d(g', psi) - K_P dg.
EvaluationResult AccelerationForm::tangent_motion(const double* s, const ParameterTerms& p, double* sdot,
                                                  double* lambda) {
  const Workspace& w = evaluator_.quantities();
  auto& [top, bottom] = sides_.of<double>();
  top = -p.r;
  top -= w.r_q * q(s);
  top -= w.r_v * v(s);
  bottom = -p.A;
  bottom -= w.A_q * q(s);
  bottom -= w.A_v * v(s);
  rows_ = p.g_rate;
  rows_ += w.V_q * q(s);
  rows_ += w.G * v(s);
  bottom -= stabilization_.rate * rows_;
  rows_.setZero();
  rows_.head(p.g.size()) = p.g;
  rows_ += w.G * q(s);
  bottom -= stabilization_.position * rows_;
  const EvaluationResult result = solve_saddle(top.data(), bottom.data());
  if (result != EvaluationResult::ok) return result;
  q(sdot) = v(s);
  v(sdot) = top;
  if (lambda != nullptr) as_vector(lambda, m_) = bottom;
  return result;
}

EvaluationResult AccelerationForm::project_tangent(double* s, const ParameterTerms& p) {
  const Workspace& w = evaluator_.quantities();
  auto& [top, bottom] = sides_.of<double>();
  const auto m_g = p.g.size();
  top.setZero();
  bottom.setZero();
  bottom -= w.G * q(s);
  bottom.head(m_g) -= p.g;
  bottom.tail(m_ - m_g).setZero();
  EvaluationResult result = saddle_.solve(top.data(), bottom.data());
  if (result == EvaluationResult::ok) {
    q(s) += top;
    top.setZero();
    bottom = -p.g_rate;
    bottom -= w.V_q * q(s);
    bottom -= w.G * v(s);
    result = saddle_.solve(top.data(), bottom.data());
    v(s) += top;
  }
  return result;
}

/// The saddle-point matrix is symmetric: with (x, z) = [M G^T; G -C]^-1 (rate_v, lambda)
///     s_q = -(r_q^T x + A_q^T z + V_q^T K_D^T z + G^T K_P^T z),     s_v = rate_q - (r_v^T x + A_v^T z + G^T K_D^T z).
EvaluationResult AccelerationForm::adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) {
  const Workspace& w = evaluator_.quantities();
  RightHandSides<double>& sides = sides_.of<double>();
  Eigen::VectorXd &x = sides.top, &z = sides.bottom;
  x = v(rate);
  if (lambda != nullptr)
    z = as_vector(lambda, m_);
  else
    z.setZero();
  const EvaluationResult result = saddle_.solve(x.data(), z.data());
  if (result != EvaluationResult::ok) return result;
  p.r = -x;
  p.A = -z;
  p.g_rate.setZero(m_);
  stabilization_.rate.for_each_entry([&](int i, int j, double entry) { p.g_rate[j] -= entry * z[i]; });
  rows_.setZero();
  stabilization_.position.for_each_entry([&](int i, int j, double entry) { rows_[j] -= entry * z[i]; });
  p.g = rows_.head(saddle_.system().num_position_constraints());
  x = q(rate);
  x += w.r_v.transposed() * p.r;
  x += w.A_v.transposed() * p.A;
  x += w.G.transposed() * p.g_rate;
  v(s) = x;
  x.setZero();
  x += w.r_q.transposed() * p.r;
  x += w.A_q.transposed() * p.A;
  x += w.V_q.transposed() * p.g_rate;
  x += w.G.transposed() * rows_;
  q(s) = x;
  return result;
}

EvaluationResult AccelerationForm::project_covector(double* s, ParameterTerms& p) {
  const Workspace& w = evaluator_.quantities();
  auto& [x, z] = sides_.of<double>();
  const auto m_g = p.g.size();
  x = v(s);
  z.setZero();
  EvaluationResult result = saddle_.solve(x.data(), z.data());
  if (result == EvaluationResult::ok) {
    p.g_rate -= z;
    x = q(s);
    x -= w.V_q.transposed() * z;
    q(s) = x;
    rows_ = z;
    z.setZero();
    result = saddle_.solve(x.data(), z.data());
    z.tail(m_ - m_g).setZero();
    p.g -= z.head(m_g);
    x = q(s);
    x -= w.G.transposed() * z;
    q(s) = x;
    x = v(s);
    x -= w.G.transposed() * rows_;
    v(s) = x;
  }
  return result;
}

EvaluationResult AccelerationForm::factorize_adjoint(double gamma) {
  adjoint_gamma_ = gamma;
  newton_->acceleration_rows(gamma, stabilization_);
  return newton_->factorize_transposed(gamma);
}

/// The transpose of solve(), in the opposite order: (u, z) = N^-T (gamma b_q + b_v, 0), then
///     x_q = b_q - gamma r_q^T u - gamma s_q^T z,     x_v = M u + G^T z.
EvaluationResult AccelerationForm::solve_adjoint(double* b) {
  const double gamma = adjoint_gamma_;
  auto& [u, z] = sides_.of<double>();
  auto b_q = q(b), b_v = v(b);
  u = gamma * b_q + b_v;
  z.setZero();
  const EvaluationResult result = newton_->solve_transposed(u.data(), z.data());
  if (result != EvaluationResult::ok) return result;
  b_v.setZero();
  b_v += newton_->M() * u;
  b_q -= gamma * (newton_->r_q().transposed() * u);
  newton_->add_stabilized_rows_transposed(gamma, z, stabilization_, b_v, b_q);
  return result;
}

/// From the force p = G^T x_lambda by the saddle-point system: S lambda = G M^-1 p with the same rank decision.
template <class Scalar>
EvaluationResult AccelerationForm::make_newton_multipliers() {
  if (saddle_.solver().rank() == m_ || compliance_.C.size() > 0) return EvaluationResult::ok;
  auto& [top, bottom] = sides_.of<Scalar>();
  top.setZero();
  top += evaluator_.quantities().G.transposed() * bottom;
  bottom.setZero();
  if constexpr (std::is_same_v<Scalar, double>) {
    return saddle_.solve(top.data(), bottom.data());
  } else {
    RightHandSides<double>& real = sides_.of<double>();
    EvaluationResult result = EvaluationResult::ok;
    for (const Complex part : {Complex(1.0, 0.0), Complex(0.0, 1.0)}) {
      real.top = (std::conj(part) * top).real();
      real.bottom.setZero();
      if (result == EvaluationResult::ok) result = saddle_.solve(real.top.data(), real.bottom.data());
      for (int i = 0; i < m_; ++i) bottom[i] += part * real.bottom[i];
    }
    return result;
  }
}

template EvaluationResult AccelerationForm::factorize(double);
template EvaluationResult AccelerationForm::factorize(Complex);
template EvaluationResult AccelerationForm::solve(double, double*);
template EvaluationResult AccelerationForm::solve(Complex, Complex*);
template EvaluationResult AccelerationForm::make_newton_multipliers<double>();
template EvaluationResult AccelerationForm::make_newton_multipliers<Complex>();

FormulationCounts AccelerationForm::counts() const {
  FormulationCounts sum = saddle_.solver().counts();
  if (newton_ != nullptr) sum += newton_->counts();
  return sum;
}

}  // namespace sunlagrange::internal
