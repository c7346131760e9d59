// SPDX-License-Identifier: BSD-3-Clause
#include "consistency/kinematic_field.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {

KinematicField::KinematicField(std::shared_ptr<const MechanicalSystem> program, const LinearSolverOptions& options,
                               GainMatrix K)
    : evaluator_(evaluator_for(std::move(program), options)),
      saddle_(evaluator_, options),
      K_(std::move(K)),
      feedback_(saddle_.system().program()->feedback.get()),
      n_(saddle_.n()),
      m_(saddle_.m()) {
  for (auto* x : {&y_, &v_, &zero_, &shifted_}) x->setZero(n_);
  for (auto* x : {&mu_, &f_, &required_rate_, &rate_, &rows_, &other_rows_}) x->setZero(m_);
}

/// Computes a at the point, with f = f_.
bool KinematicField::feedback(Eigen::VectorXd& a) const {
  if (feedback_ != nullptr) return feedback_->evaluate(t_, y_.data(), f_.data(), a.data());
  a.setZero();
  a -= K_ * f_;
  return true;
}

bool KinematicField::feedback_derivative(double* a_f) const {
  return feedback_->derivative(t_, y_.data(), f_.data(), a_f);
}

/// Evaluates at zero velocities, where (g', psi) equals f_t.
EvaluationResult KinematicField::velocity(double t, const double* y) {
  t_ = t;
  y_ = as_vector(y, n_);
  const EvaluationResult result = saddle_.factorize(evaluator_.at(t, y, zero_.data()));
  if (result != EvaluationResult::ok) return result;
  const Workspace& w = evaluator_.quantities();
  v_ = w.f;
  f_ = w.g;
  if (!feedback(mu_)) return EvaluationResult::declined;
  mu_ -= w.g_rate;
  required_rate_ = mu_;
  return saddle_.solve(v_.data(), mu_.data());
}

EvaluationResult KinematicField::linearize() {
  const Point point{t_, y_.data(), v_.data(), v_.data(), mu_.data()};
  return evaluator_.add(request::tangent, point) != nullptr ? EvaluationResult::ok : EvaluationResult::declined;
}

EvaluationResult KinematicField::acceleration(double* a) {
  EvaluationResult result = linearize();
  if (result != EvaluationResult::ok) return result;
  const Workspace& w = evaluator_.quantities();
  VectorMap top = as_vector(a, n_);
  top.setZero();
  top -= w.r_q * v_;
  if (evaluator_.at(t_, y_.data(), v_.data(), request::constraint) == nullptr) return EvaluationResult::declined;
  rows_ = w.gamma;
  rate_ = w.g_rate;
  if (!add_rate_of_feedback() || !add_explicit_time(top)) return EvaluationResult::declined;
  return saddle_.solve(a, rows_.data());
}

/// Returns the time step of central differences.
double KinematicField::time_step() const {
  const double size = max_abs(y_);
  const double speed = max_abs(v_);
  const double scale = size > 0.0 && speed > 0.0 ? size / speed : 1.0;
  return difference_step * std::max(scale, std::abs(t_));
}

/// Adds a' along y' = v, f' = rate_ to rows_.
bool KinematicField::add_rate_of_feedback() {
  if (feedback_ == nullptr) {
    rows_ -= K_ * rate_;
    return true;
  }
  const double h = time_step();
  for (const double side : {h, -h}) {
    shifted_ = y_ + side * v_;
    rate_ = f_ + side * evaluator_.quantities().g_rate;
    if (!feedback_->evaluate(t_ + side, shifted_.data(), rate_.data(), other_rows_.data())) return false;
    rows_ += other_rows_ / (2.0 * side);
  }
  return true;
}

/// Adds w_t - (A_t)^T mu.
bool KinematicField::add_explicit_time(VectorMap top) {
  const double h = time_step();
  for (const double side : {h, -h}) {
    const Workspace* w = evaluator_.at(t_ + side, y_.data(), zero_.data(), request::force | request::jacobian);
    if (w == nullptr) return false;
    shifted_ = w->f;
    shifted_ -= w->G.transposed() * mu_;
    top += shifted_ / (2.0 * side);
  }
  return true;
}

}  // namespace sunlagrange::internal
