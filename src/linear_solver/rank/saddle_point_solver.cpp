#include "linear_solver/rank/saddle_point_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/numerics.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/rank/power_iteration.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

using Pivots = Factors::Pivots;

constexpr double clearly_above = 20;       // times the threshold: beyond tapered_below
constexpr double found_by_search = 1e-10;  // compliance, relative to the rows, that a search lends a singular matrix
constexpr double accurate_pivot = 1e-6;    // relative, below which `regularized` chooses pivots
constexpr double widest_delta = 1e-4;      // delta of proximal steps is uniform down to this share of the largest S_ii
constexpr double most_lost_pivot = 1e-5;   // relative pivot above which no direction counts as lost, whatever delta
constexpr double proximal_update = 1e-13;  // relative change of the accelerations at which proximal steps end
constexpr int proximal_steps = 7;
constexpr long survey_every = 8;
constexpr int most_steps = 500;   // of power iteration, where
constexpr double smooth = 1e-12;  // the largest eigenvalue must not jump

}  // namespace

SaddlePointSolver::SaddlePointSolver(const BlockPattern& pattern, const LinearSolverOptions& options,
                                     std::unique_ptr<Factors> factors)
    : pattern_(pattern),
      options_(options),
      factors_(std::move(factors)),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      rank_threshold_(rank_threshold_for(m_, options.rank_threshold)),
      scales_(pattern_),
      lost_(n_, m_),
      weak_(m_, LostDirections::most),
      null_(n_, m_, LostDirections::most),
      geometry_(pattern.jacobian, LostDirections::most),
      geometry_of_path_(pattern.jacobian, 1, GeometricRank::Renewal::steady) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* v : {&reference_, &root_, &delta_}) v->assign(m, 0.0);
  for (auto* v : {&u_, &weakest_, &bottom_}) v->resize(m);
  for (auto* v : {&top_, &w_}) v->resize(n);
  mode_.assign(m, NAN);
  suspects_.reserve(static_cast<std::size_t>(LostDirections::most));
  factors_->count_in(counts_);
}

LinearOutcome SaddlePointSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  jacobian_ = values.jacobian;
  acted_ = false;
  surveyed_H_ = surveyed_H_ && values.same_top_left;
  chosen_ = nullptr;
  rank_ = m_;
  outcome_ = decide(values);
  if (acted_) ++counts_.rank_events;
  if (outcome_ != LinearOutcome::ok && !all_finite(pattern_, values)) outcome_ = LinearOutcome::not_finite;
  return outcome_;
}

LinearOutcome SaddlePointSolver::decide(const BlockValues& v) {
  if (metric_.size() == 0) survey(v, false);
  exact_rows_ = has_exact_rows(v);
  // if every row has compliance, S >= C is regular by design
  threshold_ = exact_rows_ ? rank_threshold_ : std::min(rank_threshold_, least_rank_threshold);
  if (regularizes()) return regularize(v);
  if (kept_ == Kept::proximal) {
    if (!asks_again_) return keep_most(v, Pivots::kept);
    asks_again_ = false;
    return search(v);
  }
  lost_.relax(suspects_, reference_.data());
  const Pivots pivots = far_apart_ ? Pivots::chosen : Pivots::kept;
  if (!factors_->factorize(v, lost_.lent(), pivots)) return search(v);
  if (counts_.factorizations % survey_every == 1) survey(v, true);
  if (!regular(v)) return search(v);
  if (!suspects_.empty()) return judge(v);
  kept_ = Kept::all;
  return LinearOutcome::ok;
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

LinearOutcome SaddlePointSolver::regularize(const BlockValues& v) {
  if (counts_.factorizations % survey_every == 1) survey(v, false);
  if (kept_ == Kept::proximal && !asks_again_) return keep_most(v, Pivots::kept);
  asks_again_ = false;
  const Eigen::VectorXd& schur = scales_.schur_diagonal();
  for (int i = 0; i < m_; ++i) delta_.data()[i] = options_.regularization * schur[i];
  if (pattern_.compliance.nonzeros() > 0 && v.compliance != nullptr) {
    pattern_.compliance.for_each_entry([&](int i, int j, int e) {
      if (i == j && v.compliance[e] != 0.0) delta_.data()[i] = 0.0;
    });
  }
  kept_ = Kept::all;
  lost_.relax({}, nullptr);
  const bool usable = factors_->factorize(v, delta_.data(), Pivots::kept);
  const double clear = std::max(accurate_pivot, clearly_above * options_.regularization);
  if (usable && factors_->certainly_regular(clear, {})) return LinearOutcome::ok;
  if (!factors_->factorize(v, delta_.data(), Pivots::chosen)) return LinearOutcome::singular;
  if (pattern_.compliance.nonzeros() > 0) return LinearOutcome::ok;
  geometry_.see(v.jacobian);
  const int lost =
      null_.find(*factors_, delta_.data(), [&](const double* u) { return geometry_.quotient(v.jacobian, metric_, u); });
  if (lost > LostDirections::most) return keep_most(v, Pivots::chosen);
  if (lost == 0) return LinearOutcome::ok;
  lost_.project(lost, null_.directions());
  kept_ = Kept::bordered;
  rank_ = m_ - lost;
  return LinearOutcome::ok;
}

/// Scales of rows and columns, and what G has been; S_ii of lumped masses if the factors of this matrix do not know it
/// better.
void SaddlePointSolver::survey(const BlockValues& v, bool factorized) {
  if (!all_finite(pattern_, v)) return;  // nothing of that may be remembered
  ++surveys_;
  scales_.compute(pattern_, v, nullptr, surveyed_H_);
  surveyed_H_ = true;
  geometry_.see(v.jacobian);
  if (metric_.size() == 0) metric_ = scales_.top();
  const double* known = factorized ? factors_->schur_diagonal() : nullptr;
  for (int i = 0; i < m_; ++i) {
    double& reference = reference_.data()[i];
    const double lent = lost_.lent() != nullptr ? lost_.lent()[i] : 0.0;
    const double found = known != nullptr ? known[i] - lent : 0.0;
    const double present = found > 0.0 ? found : scales_.schur_diagonal()[i];  // which has no zeros
    reference = strict() ? present : std::max(reference, present);
    root_.data()[i] = std::sqrt(reference);
  }
}

/// Is no direction of the matrix that the factors hold weak, or nearly so?
bool SaddlePointSolver::regular(const BlockValues& v) {
  if (factors_->certainly_regular(clearly_above * threshold_, {reference_.data(), surveys_})) return true;
  survey(v, true);
  return regular_by_iteration();
}

/// Leaves the weakest direction in weakest_, in the scale of D.
bool SaddlePointSolver::regular_by_iteration() {
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 8, 0.02, [this](double* u) { scaled_inverse(u); });
  std::swap(u_, weakest_);  // the next line needs u_
  return 1.0 > clearly_above * threshold_ * strongest(8, 0.05) * inverse;
}

/// u <- (D S D)^-1 u with the matrix that the factors hold.
void SaddlePointSolver::scaled_inverse(double* u) {
  double *top = top_.data(), *bottom = bottom_.data();
  std::fill(top, top + n_, 0.0);
  for (int i = 0; i < m_; ++i) bottom[i] = -root_.data()[i] * u[i];
  factors_->solve(top, bottom);
  for (int i = 0; i < m_; ++i) u[i] = root_.data()[i] * bottom[i];
}

LinearOutcome SaddlePointSolver::search(const BlockValues& v) {
  if (!all_finite(pattern_, v)) return LinearOutcome::not_finite;
  survey(v, false);
  suspects_.clear();
  for (;;) {
    lost_.relax(suspects_, reference_.data());
    if (factors_->factorize(v, lost_.lent(), Pivots::chosen)) {
      if (factors_->certainly_regular(clearly_above * threshold_, {reference_.data(), surveys_}) ||
          regular_by_iteration())
        break;
    } else {
      for (int i = 0; i < m_; ++i) delta_.data()[i] = found_by_search * reference_.data()[i];
      for (const int i : suspects_) delta_.data()[i] = reference_.data()[i];
      if (!factors_->factorize(v, delta_.data(), Pivots::chosen)) return LinearOutcome::singular;
      regular_by_iteration();
    }
    for (const int i : suspects_) weakest_.data()[i] = 0.0;
    const int row = largest_entry(weakest_);
    if (row < 0 || !(std::abs(weakest_.data()[row]) > 0.0)) return LinearOutcome::singular;
    if (static_cast<int>(suspects_.size()) == LostDirections::most) return keep_most(v, Pivots::chosen);
    suspects_.push_back(row);
  }
  kept_ = Kept::all;
  return suspects_.empty() ? LinearOutcome::ok : judge(v);
}

/// With the factors of the matrix whose suspects are relaxed: which directions are weak, and by whose judgement?
LinearOutcome SaddlePointSolver::judge(const BlockValues& v) {
  survey(v, true);
  lost_.respond(*factors_);
  largest_ = strongest(most_steps, smooth);
  const double limit = tapered_below * threshold_;
  weak_.span(lost_.relaxed(), lost_.responses(), reference_.data());
  weak_.find_from_given(lost_.form());
  int weak = weak_.count_below(limit * largest_);
  far_apart_ = false;
  if (weak == 0) {
    suspects_.clear();
    return keep_all(v);
  }
  chosen_ = &weak_;
  if (pattern_.compliance.nonzeros() == 0) {  // compliance keeps rows regular that the geometry has lost
    geometry_.measure(v.jacobian, metric_, lost_.relaxed(), lost_.responses());
    for (int l = 0; l < weak && !far_apart_; ++l) {
      far_apart_ = geometry_.directions().quotient(l) / geometry_.largest() >
                   comparable * std::max(weak_.quotient(l) / largest_, lost_pivot);
    }
    if (far_apart_) {
      chosen_ = &geometry_.directions();
      largest_ = geometry_.largest();
    }
  }
  const int lost = chosen_->count_below(threshold_ * largest_);
  weak = far_apart_ ? lost : weak;
  rank_ = m_ - lost;
  acted_ = weak > 0 && (!strict() || lost > 0);
  if (strict() && lost > 0) return LinearOutcome::rank_loss;
  if (weak == 0 || strict()) return keep_all(v);
  kept_ = Kept::bordered;
  if (weak < lost_.relaxed() || far_apart_) {
    lost_.relax(lost_.best_rows(*chosen_, weak, reference_.data()), reference_.data());
    if (!factors_->factorize(v, lost_.lent(), Pivots::chosen)) return LinearOutcome::singular;
    if (far_apart_) {
      lost_.project(*chosen_);
      return LinearOutcome::ok;
    }
    lost_.respond(*factors_);
  }
  if (weak > lost) ++counts_.tapered;
  return lost_.border(*factors_, *chosen_, weak, limit * largest_, largest_) ? LinearOutcome::ok
                                                                             : LinearOutcome::singular;
}

LinearOutcome SaddlePointSolver::keep_all(const BlockValues& v) {
  kept_ = Kept::all;
  lost_.relax({}, nullptr);
  return factors_->factorize(v, nullptr, Pivots::chosen) ? LinearOutcome::ok : LinearOutcome::singular;
}

/// More are lost than are followed. The same delta for all rows (Euclidean norm of the multipliers), but not so large
/// for a row of small entries that the proximal steps slow down.
LinearOutcome SaddlePointSolver::keep_most(const BlockValues& v, Pivots pivots) {
  kept_ = Kept::proximal;
  acted_ = true;
  suspects_.clear();
  lost_.relax({}, nullptr);
  const Eigen::VectorXd& schur = scales_.schur_diagonal();
  const double most = schur.maxCoeff();
  double largest = 0.0;
  for (int i = 0; i < m_; ++i) {
    delta_.data()[i] = options_.regularization * std::min(most, schur[i] / widest_delta);
    largest = std::max(largest, delta_.data()[i] / schur[i]);
  }
  if (!factors_->factorize(v, delta_.data(), pivots)) {
    kept_ = Kept::all;
    return LinearOutcome::singular;
  }
  rank_ = m_ - factors_->count_pivots_below(std::min(most_lost_pivot, 1e2 * largest));
  return strict() ? LinearOutcome::rank_loss : LinearOutcome::ok;
}

LinearOutcome SaddlePointSolver::solve(double* top, double* bottom) {
  if (outcome_ != LinearOutcome::ok) return outcome_;
  ++counts_.solves;
  switch (kept_) {
    case Kept::all:
      factors_->solve(top, bottom);
      break;
    case Kept::bordered:
      lost_.solve(*factors_, top, bottom);
      break;
    case Kept::proximal:
      proximal(top, bottom);
      break;
  }
  return are_finite(top, n_) && are_finite(bottom, m_) ? LinearOutcome::ok : LinearOutcome::not_finite;
}

/// G a - delta lambda = b - delta lambda_before, from lambda_before = 0: the method of multipliers, whose limit are the
/// multipliers of smallest norm.
void SaddlePointSolver::proximal(double* top, double* bottom) {
  double *f = w_.data(), *b = bottom_.data(), *before = top_.data();
  std::copy(top, top + n_, f);
  std::copy(bottom, bottom + m_, b);
  factors_->solve(top, bottom);
  for (int step = 1; step < proximal_steps; ++step) {
    ++counts_.refinements;
    std::copy(top, top + n_, before);
    std::copy(f, f + n_, top);
    for (int i = 0; i < m_; ++i) bottom[i] = b[i] - delta_.data()[i] * bottom[i];
    factors_->solve(top, bottom);
    double change = 0.0;
    for (int j = 0; j < n_; ++j) change = std::max(change, std::abs(top[j] - before[j]));
    if (!(change > proximal_update * max_abs(as_vector(top, n_)))) return;
  }
  // delta is no small part of the weakest regular direction (long chains), or the rows contradict each other. Rank may
  // be back.
  asks_again_ = unconverged_++ % 16 == 0;
}

/// Largest eigenvalue of D S D, of lumped masses.
double SaddlePointSolver::strongest(int steps, double tolerance) {
  double* w = w_.data();
  const double *top = scales_.top().data(), *G = jacobian_;
  fill_start_vector(u_);
  const double value = power_iteration(u_, steps, tolerance, [&](double* u) {
    for (int i = 0; i < m_; ++i) u[i] /= root_.data()[i];
    std::fill(w, w + n_, 0.0);
    pattern_.jacobian.for_each_entry([&](int i, int j, int e) { w[j] += G[e] * u[i]; });
    for (int j = 0; j < n_; ++j) w[j] *= top[j] * top[j];
    std::fill(u, u + m_, 0.0);
    pattern_.jacobian.for_each_entry([&](int i, int j, int e) { u[i] += G[e] * w[j]; });
    for (int i = 0; i < m_; ++i) u[i] /= root_.data()[i];
  });
  return value > 0.0 ? value : 1.0;
}

WeakestMode SaddlePointSolver::weakest_mode(int lost) {
  if (m_ <= lost) return {};
  if (chosen_ != nullptr && lost < chosen_->size()) {
    return {std::min(1.0, chosen_->quotient(lost) / largest_), chosen_->row(lost)};
  }
  if (outcome_ != LinearOutcome::ok) return {0.0, -1};
  if (kept_ == Kept::proximal && lost > 0) {  // only whether further rank is lost
    if (rank_ + lost >= m_) return {};
    follow_mode(mode_, [this](double* u) { scaled_inverse(u); });
    return {0.0, largest_entry(mode_)};
  }
  const double inverse = follow_mode(mode_, [this](double* u) {
    if (kept_ != Kept::bordered) return scaled_inverse(u);
    double *top = top_.data(), *bottom = bottom_.data();
    std::fill(top, top + n_, 0.0);
    for (int i = 0; i < m_; ++i) bottom[i] = -root_.data()[i] * u[i];
    lost_.solve(*factors_, top, bottom);
    for (int i = 0; i < m_; ++i) u[i] = root_.data()[i] * bottom[i];
  });
  if (inverse == 0.0) return {};  // every row holds a coordinate without inertia: S is infinite
  if (!(inverse > 0.0)) return {0.0, -1};
  double lent = 0.0;  // u^T delta u: part of the eigenvalue that the policy added
  for (int i = 0; i < m_ && (regularizes() || kept_ != Kept::bordered); ++i) {
    const double u = mode_.data()[i] / root_.data()[i];
    lent += (regularizes() || kept_ == Kept::proximal ? delta_.data()[i] : 0.0) * u * u;
  }
  const double value = std::min(1.0, std::max(0.0, 1.0 / inverse - lent) / strongest(8, 0.05));
  WeakestMode weakest{value, largest_entry(mode_), geometry_of_mode()};
  if (pattern_.compliance.nonzeros() == 0) weakest.shortest_row = geometry_of_path_.shortest_row(jacobian_);
  return weakest;
}

double SaddlePointSolver::geometry_of_mode() {
  if (pattern_.compliance.nonzeros() > 0) return 0.0;
  for (int i = 0; i < m_; ++i) u_.data()[i] = mode_.data()[i] / root_.data()[i];
  geometry_of_path_.see(jacobian_);
  return geometry_of_path_.quotient(jacobian_, metric_, u_.data());
}

std::string SaddlePointSolver::description() const {
  std::string text = factors_->description();
  if (regularizes() && kept_ != Kept::proximal) return text + ", regularized by delta";
  if (kept_ == Kept::bordered) text += ", minimum norm: bordered by the lost directions";
  if (kept_ == Kept::proximal) text += ", minimum norm: delta and proximal steps";
  if (far_apart_) text += ", rank by the geometry of G: masses far apart";
  return text;
}

}  // namespace sunlagrange::internal
