// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/saddle_point_solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/rank/power_iteration.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

using Pivots = Factors::Pivots;
using Threshold = RankThresholds;

}  // namespace

SaddlePointSolver::SaddlePointSolver(const BlockPattern& pattern, const LinearSolverOptions& options,
                                     std::unique_ptr<Factors> factors)
    : pattern_(pattern),
      options_(options),
      factors_(std::move(factors)),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      rank_threshold_(rank_threshold_for(m_, options.rank_threshold)),
      scaling_(pattern_),
      lost_(n_, m_),
      ritz_(m_, LostDirections::most),
      null_(n_, m_, LostDirections::most),
      lanczos_(m_),
      geometry_(pattern.jacobian, LostDirections::most),
      geometry_of_path_(pattern.jacobian, 1, GeometricRank::Renewal::steady) {
  for (auto* v : {&scaling_.reference, &scaling_.root, &delta_}) v->assign(m_, 0.0);
  for (auto* v : {&u_, &weakest_direction_, &bottom_}) v->resize(m_);
  for (auto* v : {&top_, &w_}) v->resize(n_);
  mode_.assign(m_, NAN);
  weak_rows_.reserve(LostDirections::most);
  factors_->count_in(counts_);
}

EvaluationResult SaddlePointSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  jacobian_ = values.jacobian;
  decision_.counts = false;
  scaling_.has_H = scaling_.has_H && values.same_top_left;
  decision_.weak = nullptr;
  decision_.rank = m_;
  decision_.outcome = factorize_by_policy(values);
  if (decision_.counts) ++counts_.rank_actions;
  if (decision_.outcome != EvaluationResult::ok && !all_finite(pattern_, values))
    decision_.outcome = EvaluationResult::not_finite;
  return decision_.outcome;
}

EvaluationResult SaddlePointSolver::factorize_by_policy(const BlockValues& v) {
  if (scaling_.metric.size() == 0) update_scaling(v, false);
  // S >= C is regular if every row has compliance
  threshold_ = has_exact_rows(v) ? rank_threshold_ : std::min(rank_threshold_, Threshold::least);
  if (regularizes()) return factorize_regularized(v);
  if (decision_.treatment == RankTreatment::proximal) {
    if (!recheck_rank_) return factorize_proximal(v, Pivots::kept);
    recheck_rank_ = false;
    return find_weak_rows(v);
  }
  lost_.relax(weak_rows_, scaling_.reference.data());
  const Pivots pivots = decision_.masses_ill_scaled ? Pivots::chosen : Pivots::kept;
  if (!factors_->factorize(v, lost_.row_compliance(), pivots)) return find_weak_rows(v);
  if (counts_.factorizations % Threshold::matrices_per_scaling == 1) update_scaling(v, true);
  if (!is_regular(v)) return find_weak_rows(v);
  if (!weak_rows_.empty()) return treat_weak_rows(v);
  decision_.treatment = RankTreatment::none;
  return EvaluationResult::ok;
}

bool SaddlePointSolver::has_exact_rows(const BlockValues& v) const {
  if (pattern_.compliance.nonzeros() == 0 || v.compliance == nullptr) return true;
  int soft = 0;
  if (pattern_.compliance.nonzeros() == m_) {  // its diagonal
    for (int i = 0; i < m_; ++i) soft += v.compliance[i] > 0.0 ? 1 : 0;
  } else {
    pattern_.compliance.for_each_entry([&](int i, int j, int e) { soft += i == j && v.compliance[e] > 0.0 ? 1 : 0; });
  }
  return soft < m_;
}

EvaluationResult SaddlePointSolver::factorize_regularized(const BlockValues& v) {
  if (counts_.factorizations % Threshold::matrices_per_scaling == 1) update_scaling(v, false);
  if (decision_.treatment == RankTreatment::proximal && !recheck_rank_) return factorize_proximal(v, Pivots::kept);
  recheck_rank_ = false;
  const Eigen::VectorXd& schur = scaling_.blocks.schur_diagonal();
  for (int i = 0; i < m_; ++i) delta_[i] = options_.regularization * schur[i];
  if (pattern_.compliance.nonzeros() > 0 && v.compliance != nullptr) {
    pattern_.compliance.for_each_entry([&](int i, int j, int e) {
      if (i == j && v.compliance[e] != 0.0) delta_[i] = 0.0;
    });
  }
  decision_.treatment = RankTreatment::none;
  lost_.relax({}, nullptr);
  const bool usable = factors_->factorize(v, delta_.data(), Pivots::kept);
  const double clear = std::max(Threshold::accurate_pivot, Threshold::regular_above * options_.regularization);
  if (usable && factors_->certainly_regular(clear, {})) return EvaluationResult::ok;
  if (!factors_->factorize(v, delta_.data(), Pivots::chosen)) return EvaluationResult::singular;
  if (pattern_.compliance.nonzeros() > 0) return EvaluationResult::ok;
  geometry_.update_largest_entries(v.jacobian);
  const int lost = null_.find(*factors_, delta_.data(),
                              [&](const double* u) { return geometry_.quotient(v.jacobian, scaling_.metric, u); });
  if (lost > LostDirections::most) return factorize_proximal(v, Pivots::chosen);
  if (lost == 0) return EvaluationResult::ok;
  lost_.project(lost, null_.directions(), weights_of_rows());
  decision_.treatment = RankTreatment::bordered;
  decision_.rank = m_ - lost;
  return EvaluationResult::ok;
}

/// Renews the scales of rows and columns and the largest entries of G. The factors of this matrix may know S_ii
/// (`factorized`); else S_ii is that of lumped masses.
void SaddlePointSolver::update_scaling(const BlockValues& v, bool factorized) {
  if (!all_finite(pattern_, v)) return;
  ++scaling_.version;
  scaling_.blocks.compute(pattern_, v, nullptr, scaling_.has_H);
  scaling_.has_H = true;
  geometry_.update_largest_entries(v.jacobian);
  if (scaling_.metric.size() == 0) scaling_.metric = scaling_.blocks.top();
  const double* known = factorized ? factors_->schur_diagonal() : nullptr;
  for (int i = 0; i < m_; ++i) {
    double& reference = scaling_.reference[i];
    const double added = lost_.row_compliance() != nullptr ? lost_.row_compliance()[i] : 0.0;
    const double found = known != nullptr ? known[i] - added : 0.0;
    const double present = found > 0.0 ? found : scaling_.blocks.schur_diagonal()[i];  // has no zeros
    reference = strict() ? present : std::max(reference, present);
    scaling_.root[i] = std::sqrt(reference);
  }
}

/// Returns true if the pivots show that no direction of the factorised matrix is weak or nearly so.
bool SaddlePointSolver::certainly_regular() {
  return factors_->certainly_regular(Threshold::regular_above * threshold_,
                                     {scaling_.reference.data(), scaling_.version});
}

/// The same by the pivots or, if these do not show it, by inverse iteration.
bool SaddlePointSolver::is_regular(const BlockValues& v) {
  if (certainly_regular()) return true;
  update_scaling(v, true);
  return is_regular_by_iteration();
}

/// The same by inverse iteration. Computes weakest_direction_, in the scale of D.
bool SaddlePointSolver::is_regular_by_iteration() {
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 8, 0.02, [this](double* u) { scaled_inverse(u); });
  std::swap(u_, weakest_direction_);  // the next line needs u_
  return 1.0 > Threshold::regular_above * threshold_ * rough_largest_eigenvalue() * inverse;
}

/// u <- (D S D)^-1 u with the factorised matrix, or with the bordered one.
void SaddlePointSolver::scaled_inverse(double* u, bool bordered) {
  double *top = top_.data(), *bottom = bottom_.data();
  std::fill(top, top + n_, 0.0);
  for (int i = 0; i < m_; ++i) bottom[i] = -scaling_.root[i] * u[i];
  if (bordered) {
    lost_.solve(*factors_, top, bottom);
    lost_.remove(bottom);  // the inverse is symmetric with the Euclidean norm alone
  } else {
    factors_->solve(top, bottom);
  }
  for (int i = 0; i < m_; ++i) u[i] = scaling_.root[i] * bottom[i];
}

/// Relaxes rows until the rest is regular, and classifies the directions that they give.
EvaluationResult SaddlePointSolver::find_weak_rows(const BlockValues& v) {
  if (!all_finite(pattern_, v)) return EvaluationResult::not_finite;
  update_scaling(v, false);
  weak_rows_.clear();
  for (;;) {
    lost_.relax(weak_rows_, scaling_.reference.data());
    if (factors_->factorize(v, lost_.row_compliance(), Pivots::chosen)) {
      if (certainly_regular() || is_regular_by_iteration()) break;
    } else {
      for (int i = 0; i < m_; ++i) delta_[i] = Threshold::search_delta * scaling_.reference[i];
      for (const int i : weak_rows_) delta_[i] = scaling_.reference[i];
      if (!factors_->factorize(v, delta_.data(), Pivots::chosen)) return EvaluationResult::singular;
      is_regular_by_iteration();
    }
    for (const int i : weak_rows_) weakest_direction_[i] = 0.0;
    const int row = largest_entry(weakest_direction_);
    if (row < 0 || !(std::abs(weakest_direction_[row]) > 0.0)) return EvaluationResult::singular;
    if (static_cast<int>(weak_rows_.size()) == LostDirections::most) return factorize_proximal(v, Pivots::chosen);
    weak_rows_.push_back(row);
  }
  decision_.treatment = RankTreatment::none;
  return weak_rows_.empty() ? EvaluationResult::ok : classify_weak_directions(v);
}

/// Treats the weak rows, which are relaxed: those of the last matrix, if they are redundant ones and still are.
EvaluationResult SaddlePointSolver::treat_weak_rows(const BlockValues& v) {
  if (!only_redundant_ || !still_redundant()) return classify_weak_directions(v);
  decision_.rank = m_ - redundant_;
  decision_.counts = true;
  decision_.largest = largest_;
  find_ritz_directions();
  return border(redundant_);
}

/// Returns true if S vanishes in the span of the responses W as it did in the first matrix. Each response w has w^T
/// D^-2 w >= 1 there, so that the trace of W^T S W bounds the eigenvalues.
bool SaddlePointSolver::still_redundant() {
  lost_.solve_responses(*factors_);
  double trace = 0.0;
  for (int l = 0; l < redundant_; ++l) trace += std::abs(lost_.form()[l + l * redundant_]);
  return trace <= Threshold::redundant * largest_;
}

/// Finds the directions at which S is stationary in the span of the responses.
void SaddlePointSolver::find_ritz_directions() {
  ritz_.span(lost_.relaxed(), lost_.responses(), scaling_.reference.data());
  ritz_.find_from_given(lost_.form());
  decision_.weak = &ritz_;
}

/// Borders the matrix with the first `weak` directions.
EvaluationResult SaddlePointSolver::border(int weak) {
  decision_.treatment = RankTreatment::bordered;
  const double largest = decision_.largest;
  return lost_.border(*factors_, *decision_.weak, weak, Threshold::tapered_below * threshold_ * largest, largest,
                      redundant_, redundant_ > 0 ? weights_of_rows() : nullptr)
             ? EvaluationResult::ok
             : EvaluationResult::singular;
}

/// Finds the weak directions with the factors of the matrix whose weak rows are relaxed, decides which of them are
/// lost, by the eigenvalues of D S D or by the geometry of G, and treats them.
EvaluationResult SaddlePointSolver::classify_weak_directions(const BlockValues& v) {
  Decision& d = decision_;
  only_redundant_ = false;
  update_scaling(v, true);
  lost_.solve_responses(*factors_);
  const double largest = lanczos_.largest_eigenvalue([this](double* u) { scaled_product(u); });
  d.largest = largest > 0.0 ? largest : 1.0;
  find_ritz_directions();
  int weak = ritz_.count_below(Threshold::tapered_below * threshold_ * d.largest);
  d.masses_ill_scaled = false;
  if (weak == 0) {
    d.weak = nullptr;
    weak_rows_.clear();
    return factorize_untreated(v);
  }
  if (pattern_.compliance.nonzeros() == 0) {  // with compliance rows are regular that G has lost
    geometry_.measure(v.jacobian, scaling_.metric, lost_.relaxed(), lost_.responses());
    const auto are_far_apart = [&](double largest_of_geometry) {
      for (int l = 0; l < weak; ++l) {
        if (geometry_.directions().quotient(l) / largest_of_geometry >
            Threshold::comparable * std::max(ritz_.quotient(l) / d.largest, Threshold::lost_pivot))
          return true;
      }
      return false;
    };
    if (are_far_apart(geometry_.mean())) {  // the largest eigenvalue is needed
      const double largest_of_geometry = geometry_.largest();
      d.masses_ill_scaled = are_far_apart(largest_of_geometry);
      if (d.masses_ill_scaled) {
        d.weak = &geometry_.directions();
        d.largest = largest_of_geometry;
      }
    }
  }
  const int lost = d.weak->count_below(threshold_ * d.largest);
  weak = d.masses_ill_scaled ? lost : weak;
  d.rank = m_ - lost;
  if (counts_.factorizations == 1) redundant_ = d.weak->count_below(Threshold::redundant * d.largest);
  d.counts = weak > 0 && (!strict() || lost > 0);
  if (strict() && lost > 0) return EvaluationResult::rank_loss;
  if (weak == 0 || strict()) return factorize_untreated(v);
  d.treatment = RankTreatment::bordered;
  if (weak < lost_.relaxed() || d.masses_ill_scaled) {
    lost_.relax(lost_.best_rows(*d.weak, weak, scaling_.reference.data()), scaling_.reference.data());
    if (!factors_->factorize(v, lost_.row_compliance(), Pivots::chosen)) return EvaluationResult::singular;
    if (d.masses_ill_scaled) {
      lost_.project(*d.weak, lost == redundant_ ? weights_of_rows() : nullptr);
      return EvaluationResult::ok;
    }
    lost_.solve_responses(*factors_);
  }
  if (weak > lost) ++counts_.tapered;
  largest_ = d.largest;
  only_redundant_ = pattern_.compliance.nonzeros() == 0 && weak == redundant_ && weak == lost &&
                    weak == static_cast<int>(weak_rows_.size());
  return border(weak);
}

/// Returns the weights of the multipliers in their norm, for the last matrix; null: all are 1.
const double* SaddlePointSolver::weights_of_rows() {
  if (pattern_.system == nullptr) return nullptr;
  if (row_forces_ == nullptr) {
    row_forces_ = std::make_unique<RowForces>(*row_forces(*pattern_.system));
    row_weights_.assign(m_, 1.0);
  }
  if (row_forces_->all_alike()) return nullptr;
  row_forces_->weigh(pattern_.jacobian, jacobian_, row_weights_.data());
  return row_weights_.data();
}

EvaluationResult SaddlePointSolver::factorize_untreated(const BlockValues& v) {
  decision_.treatment = RankTreatment::none;
  lost_.relax({}, nullptr);
  return factors_->factorize(v, nullptr, Pivots::chosen) ? EvaluationResult::ok : EvaluationResult::singular;
}

/// For more lost directions than are followed. Every row has delta times its weight, so that the multipliers have the
/// least norm; a row with small S_ii has less, so that the proximal steps converge.
EvaluationResult SaddlePointSolver::factorize_proximal(const BlockValues& v, Pivots pivots) {
  decision_.treatment = RankTreatment::proximal;
  decision_.counts = true;
  weak_rows_.clear();
  lost_.relax({}, nullptr);
  const Eigen::VectorXd& schur = scaling_.blocks.schur_diagonal();
  const double most = schur.maxCoeff();
  double largest = 0.0;
  const double* weights = weights_of_rows();
  const double heaviest = weights != nullptr ? *std::max_element(weights, weights + m_) : 1.0;
  for (int i = 0; i < m_; ++i) {
    const double part = weights != nullptr ? weights[i] / heaviest : 1.0;
    delta_[i] = options_.regularization * std::min(part * most, schur[i] / Threshold::narrowest_row);
    largest = std::max(largest, delta_[i] / schur[i]);
  }
  if (!factors_->factorize(v, delta_.data(), pivots)) {
    decision_.treatment = RankTreatment::none;
    return EvaluationResult::singular;
  }
  decision_.rank = m_ - factors_->count_pivots_below(std::min(Threshold::largest_lost_pivot, 1e2 * largest));
  return strict() ? EvaluationResult::rank_loss : EvaluationResult::ok;
}

EvaluationResult SaddlePointSolver::solve(double* top, double* bottom) {
  if (decision_.outcome != EvaluationResult::ok) return decision_.outcome;
  ++counts_.solves;
  switch (decision_.treatment) {
    case RankTreatment::none:
      factors_->solve(top, bottom);
      break;
    case RankTreatment::bordered:
      lost_.solve(*factors_, top, bottom);
      break;
    case RankTreatment::proximal:
      solve_proximal(top, bottom);
      break;
  }
  return are_finite(top, n_) && are_finite(bottom, m_) ? EvaluationResult::ok : EvaluationResult::not_finite;
}

/// G a - delta lambda = b - delta lambda_before, from lambda_before = 0: the method of multipliers, whose limit are the
/// multipliers of smallest norm.
void SaddlePointSolver::solve_proximal(double* top, double* bottom) {
  double *f = w_.data(), *b = bottom_.data(), *before = top_.data();
  std::copy(top, top + n_, f);
  std::copy(bottom, bottom + m_, b);
  factors_->solve(top, bottom);
  for (int step = 1; step < Threshold::proximal_steps; ++step) {
    ++counts_.refinements;
    std::copy(top, top + n_, before);
    std::copy(f, f + n_, top);
    for (int i = 0; i < m_; ++i) bottom[i] = b[i] - delta_[i] * bottom[i];
    factors_->solve(top, bottom);
    double change = 0.0;
    for (int j = 0; j < n_; ++j) change = std::max(change, std::abs(top[j] - before[j]));
    if (!(change > Threshold::proximal_update * max_abs(as_vector(top, n_)))) return;
  }
  // Rows contradict each other, delta is not small for the weakest regular direction (long chains), or the rank has
  // risen again.
  recheck_rank_ = unconverged_++ % Threshold::matrices_per_rank_check == 0;
}

/// u <- D S D u with lumped masses
void SaddlePointSolver::scaled_product(double* u) {
  double* w = w_.data();
  const double *top = scaling_.blocks.top().data(), *G = jacobian_;
  for (int i = 0; i < m_; ++i) u[i] /= scaling_.root[i];
  std::fill(w, w + n_, 0.0);
  pattern_.jacobian.for_each_entry([&](int i, int j, int e) { w[j] += G[e] * u[i]; });
  for (int j = 0; j < n_; ++j) w[j] *= top[j] * top[j];
  std::fill(u, u + m_, 0.0);
  pattern_.jacobian.for_each_entry([&](int i, int j, int e) { u[i] += G[e] * w[j]; });
  for (int i = 0; i < m_; ++i) u[i] /= scaling_.root[i];
}

/// Returns the largest eigenvalue of D S D with lumped masses within some per cent.
double SaddlePointSolver::rough_largest_eigenvalue() {
  fill_start_vector(u_);
  const double value = power_iteration(u_, 8, 0.05, [this](double* u) { scaled_product(u); });
  return value > 0.0 ? value : 1.0;
}

WeakestMode SaddlePointSolver::weakest_mode(int lost) {
  if (m_ <= lost) return {};
  if (decision_.weak != nullptr && lost < decision_.weak->size()) {
    return {std::min(1.0, decision_.weak->quotient(lost) / decision_.largest), decision_.weak->row(lost)};
  }
  if (decision_.outcome != EvaluationResult::ok) return {0.0, -1};
  if (decision_.treatment == RankTreatment::proximal && lost > 0) {  // only whether further rank is lost
    if (decision_.rank + lost >= m_) return {};
    follow_mode(mode_, [this](double* u) { scaled_inverse(u); });
    return {0.0, largest_entry(mode_)};
  }
  const bool bordered = decision_.treatment == RankTreatment::bordered;
  const double inverse = follow_mode(mode_, [&](double* u) { scaled_inverse(u, bordered); });
  if (inverse == 0.0) return {};  // every row holds a coordinate without inertia: S is infinite
  if (!(inverse > 0.0)) return {0.0, -1};
  double added = 0.0;  // u^T delta u, the part of the eigenvalue that comes from the compliances of the rank policy
  for (int i = 0; i < m_ && (regularizes() || !bordered); ++i) {
    const double u = mode_[i] / scaling_.root[i];
    added += (regularizes() || decision_.treatment == RankTreatment::proximal ? delta_[i] : 0.0) * u * u;
  }
  const double value = std::min(1.0, std::max(0.0, 1.0 / inverse - added) / rough_largest_eigenvalue());
  WeakestMode weakest{value, largest_entry(mode_), geometry_of_mode()};
  if (pattern_.compliance.nonzeros() == 0) weakest.shortest_row = geometry_of_path_.shortest_row(jacobian_);
  return weakest;
}

double SaddlePointSolver::geometry_of_mode() {
  if (pattern_.compliance.nonzeros() > 0) return 0.0;
  for (int i = 0; i < m_; ++i) u_[i] = mode_[i] / scaling_.root[i];
  geometry_of_path_.update_largest_entries(jacobian_);
  return geometry_of_path_.quotient(jacobian_, scaling_.metric, u_.data());
}

std::string SaddlePointSolver::description() const {
  std::string text = factors_->description();
  if (regularizes() && decision_.treatment != RankTreatment::proximal) return text + ", regularized by delta";
  if (decision_.treatment == RankTreatment::bordered) text += ", minimum norm: bordered by the lost directions";
  if (decision_.treatment == RankTreatment::proximal) text += ", minimum norm: delta and proximal steps";
  if (decision_.masses_ill_scaled) text += ", rank by the geometry of G: masses far apart";
  return text;
}

}  // namespace sunlagrange::internal
