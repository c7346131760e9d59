#include "consistency/kinematic_field.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>

#include "base/numerics.hpp"
#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {

KinematicField::KinematicField(std::shared_ptr<const MechanicalSystem> program, const LinearSolverOptions& options,
                               GainMatrix K)
    : saddle_(std::move(program), options),
      K_(std::move(K)),
      feedback_(saddle_.system().program()->feedback.get()),
      n_(saddle_.n()),
      m_(saddle_.m()) {
  for (auto* x : {&y_, &v_, &zero_, &shifted_}) x->resize(static_cast<std::size_t>(n_));
  for (auto* x : {&mu_, &f_, &rate_, &rows_, &other_rows_}) x->resize(static_cast<std::size_t>(m_));
}

bool KinematicField::feedback(double t, const double* y, const double* f, double* a) const {
  if (feedback_ != nullptr) return feedback_->evaluate(t, y, f, a);
  std::fill(a, a + m_, 0.0);
  if (K_.size() > 0) K_.subtract_product(f, a);
  return true;
}

bool KinematicField::feedback_derivative(double* a_f) const {
  return feedback_->derivative(t_, y_.data(), f_.data(), a_f);
}

/// With zero velocities the rows on the velocity level are f_t.
EvaluationResult KinematicField::velocity(double t, const double* y) {
  t_ = t;
  std::copy(y, y + n_, y_.begin());
  const EvaluationResult result = saddle_.factorize(t, y, zero_.data());
  if (result != EvaluationResult::ok) return result;
  const Workspace& w = saddle_.workspace();
  std::copy(w.force.begin(), w.force.end(), v_.begin());
  std::copy(w.position.begin(), w.position.end(), f_.begin());
  if (!feedback(t, y, f_.data(), mu_.data())) return EvaluationResult::declined;
  for (std::size_t i = 0; i < mu_.size(); ++i) mu_[i] -= w.velocity[i];
  return saddle_.solve(v_.data(), mu_.data());
}

EvaluationResult KinematicField::linearize() {
  const bool good = saddle_.system().evaluate(request::tangent, {t_, y_.data(), v_.data(), v_.data(), mu_.data()},
                                              saddle_.workspace());
  return good ? EvaluationResult::ok : EvaluationResult::declined;
}

EvaluationResult KinematicField::acceleration(double* a) {
  EvaluationResult result = linearize();
  if (result != EvaluationResult::ok) return result;
  Workspace& w = saddle_.workspace();
  std::fill(a, a + n_, 0.0);
  add_product(w.patterns->tangent, w.residual_q, v_.data(), a, -1.0);
  if (!saddle_.system().evaluate(request::constraint, {t_, y_.data(), v_.data(), nullptr, nullptr}, w))
    return EvaluationResult::declined;
  rows_ = w.bias;
  rate_ = w.velocity;
  if (!add_rate_of_feedback(rows_.data()) || !add_explicit_time(a)) return EvaluationResult::declined;
  return saddle_.solve(a, rows_.data());
}

/// A step over which nothing changes much, small enough for central differences.
double KinematicField::time_step() const {
  const double size = internal::max_abs(y_);
  const double speed = internal::max_abs(v_);
  const double scale = size > 0.0 && speed > 0.0 ? size / speed : 1.0;
  return internal::difference_step * std::max(scale, std::abs(t_));
}

/// a' along y' = v, f' = rate_.
bool KinematicField::add_rate_of_feedback(double* rows) {
  if (feedback_ == nullptr) {
    if (K_.size() > 0) K_.subtract_product(rate_.data(), rows);
    return true;
  }
  const double h = time_step();
  for (const double side : {h, -h}) {
    for (std::size_t i = 0; i < y_.size(); ++i) shifted_[i] = y_[i] + side * v_[i];
    for (std::size_t i = 0; i < f_.size(); ++i) rate_[i] = f_[i] + side * saddle_.workspace().velocity[i];
    if (!feedback_->evaluate(t_ + side, shifted_.data(), rate_.data(), other_rows_.data())) return false;
    for (std::size_t i = 0; i < f_.size(); ++i) rows[i] += other_rows_[i] / (2.0 * side);
  }
  return true;
}

/// w_t - (A_t)^T mu
bool KinematicField::add_explicit_time(double* top) {
  Workspace& w = saddle_.workspace();
  const double h = time_step();
  for (const double side : {h, -h}) {
    const Point point{t_ + side, y_.data(), zero_.data(), nullptr, nullptr};
    if (!saddle_.system().evaluate(request::force | request::jacobian, point, w)) return false;
    const SparsePattern& A = w.patterns->jacobian;
    for (int j = 0; j < n_; ++j) {
      const auto column = static_cast<std::size_t>(j);
      double sum = w.force[column];
      for (int k = A.column_start[column]; k < A.column_start[column + 1]; ++k) {
        const auto e = static_cast<std::size_t>(k);
        sum -= w.jacobian[e] * mu_[static_cast<std::size_t>(A.row_index[e])];
      }
      top[j] += sum / (2.0 * side);
    }
  }
  return true;
}

}  // namespace sunlagrange
