// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/newton_solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "linear_solver/rank/power_iteration.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

/// Returns the eigenvalue below which a matrix of m rows counts as singular. A straight chain is regular, and has an
/// eigenvalue of (pi / 2m)^2.
double singular_threshold(int m) {
  return std::clamp(RankThresholds::newton_of_chain * std::pow(m, -2.0), RankThresholds::least, RankThresholds::newton);
}

}  // namespace

NewtonSolver::NewtonSolver(const BlockPattern& pattern, std::unique_ptr<Factors> factors, bool strict)
    : pattern_(pattern),
      factors_(std::move(factors)),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      parts_(pattern.complex ? 2 : 1),
      strict_(strict),
      singular_below_(singular_threshold(m_)),
      scales_(pattern_),
      geometry_(pattern.jacobian, 1) {
  delta_.resize(m_);
  for (auto* v : {&u_, &bottom_}) v->resize(parts_ * m_);
  top_.resize(parts_ * n_);
  factors_->count_in(counts_);
}

EvaluationResult NewtonSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  rank_event_ = false;
  outcome_ = factorize_by_policy(values);
  if (rank_event_) ++counts_.rank_actions;
  if (outcome_ != EvaluationResult::ok && !all_finite(pattern_, values)) outcome_ = EvaluationResult::not_finite;
  return outcome_;
}

EvaluationResult NewtonSolver::factorize_by_policy(const BlockValues& v) {
  if (regularized_left_ == 0) {
    const bool usable = factors_->factorize(v, nullptr, Factors::Pivots::kept);
    if (usable && (strict_ || regular(v))) return EvaluationResult::ok;
    if (strict_ && m_ > 0) return EvaluationResult::rank_loss;
    regularized_left_ = RankThresholds::newton_regularized;
  }
  --regularized_left_;
  rank_event_ = true;
  if (!all_finite(pattern_, v)) return EvaluationResult::not_finite;
  scales_.compute(pattern_, v);
  for (int i = 0; i < m_; ++i) delta_[i] = RankThresholds::newton_delta * scales_.schur_diagonal()[i];
  if (factors_->factorize(v, delta_.data(), Factors::Pivots::chosen)) return EvaluationResult::ok;
  regularized_left_ = 0;
  return EvaluationResult::singular;
}

bool NewtonSolver::regular(const BlockValues& v) {
  if (m_ == 0 || factors_->certainly_regular(singular_below_, {})) return true;
  scales_.compute(pattern_, v);
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 3, 0.1, [this](double* u) {
    double *top = top_.data(), *bottom = bottom_.data();
    std::fill(top, top + parts_ * n_, 0.0);
    for (int i = 0; i < parts_ * m_; ++i) bottom[i] = -u[i] / scales_.left()[i / parts_];
    factors_->solve(top, bottom);
    for (int i = 0; i < parts_ * m_; ++i) u[i] = bottom[i] / scales_.right()[i / parts_];
  });
  if (1.0 > singular_below_ * inverse) return true;
  if (!std::isfinite(inverse)) return false;
  // a small eigenvalue is a lost direction, or masses lie far apart
  if (metric_.size() == 0) metric_ = scales_.top();
  const double* u = real_direction();
  for (int i = 0; i < m_; ++i) bottom_[i] = u[i * parts_] * scales_.right()[i];
  geometry_.update_largest_entries(v.jacobian);
  geometry_.measure(v.jacobian, metric_, 1, bottom_.data());
  return geometry_.directions().quotient(0) / geometry_.largest() >
         RankThresholds::comparable * std::max(1.0 / inverse, RankThresholds::lost_pivot);
}

/// A null direction of the real G^T times a complex number: returns the larger of the real and the imaginary part of
/// u_.
const double* NewtonSolver::real_direction() const {
  double sum[2] = {0.0, 0.0};
  for (int i = 0; i < parts_ * m_; ++i) sum[i % parts_] += u_[i] * u_[i];
  return u_.data() + (sum[1] > sum[0] ? 1 : 0);
}

EvaluationResult NewtonSolver::solve(double* top, double* bottom) {
  if (outcome_ != EvaluationResult::ok) return outcome_;
  ++counts_.solves;
  factors_->solve(top, bottom);
  const bool finite = are_finite(top, parts_ * n_) && are_finite(bottom, parts_ * m_);
  return finite ? EvaluationResult::ok : EvaluationResult::not_finite;
}

std::string NewtonSolver::description() const {
  return factors_->description() + (regularized_left_ > 0 ? ", delta in the Newton matrix" : "");
}

}  // namespace sunlagrange::internal
