#include <algorithm>
#include <cmath>

#include <sunlagrange/base/status.hpp>

#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/block_scales.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/lost_directions.hpp"
#include "linear_solver/thresholds.hpp"
#include "linear_solver/weakest_direction.hpp"

#ifdef SUNLAGRANGE_WITH_KLU
#include "linear_solver/klu_factors.hpp"
#endif

namespace sunlagrange::internal {

#ifdef SUNLAGRANGE_WITH_KLU
namespace {

using kernels::all_finite;
using kernels::largest;

constexpr double poor_residual = 1e-12;    // relative residual, unit-free, that asks for refinement
constexpr double proximal_update = 1e-13;  // relative change of the accelerations at which proximal steps end
constexpr int proximal_steps = 6;
constexpr double suspicious_drop = 0.1;  // frozen pivots: pivot ratio against that of the last full factorisation
constexpr int check_every = 16;
constexpr double lost_in_newton = 1e-9;       // of the Schur complement of a Newton matrix: redundant rows off the
                                              // constraints leave about 1e-12
constexpr double size_of_klu_threshold = 40;  // from this m on the rank threshold falls as 1/m^4, as the eigenvalues of
                                              // a bent regular chain do
constexpr double least_threshold = 1e-14;     // and not below what rounding leaves of exactly redundant rows
constexpr double most_lost_pivot = 1e-5;      // relative pivot above which no direction counts as lost, whatever delta
constexpr double widest_delta = 1e-4;         // delta is uniform down to this share of the largest Schur diagonal

/// The whole matrix, made unit-free by BlockScales (frozen between full factorisations), factorised by KLU:
///
///     K = [ top H top    top G^T right        ]      delta = 0 at first; positive once rank was lost.
///         [ left B top   -left (C + delta) right ]
///
/// minimum_norm solves the system without delta by proximal steps K dx = rhs - K_0 x, where K_0 is K with delta = 0:
/// the method of multipliers, from lambda = 0, hence the multipliers of smallest norm. regularized solves K itself.
/// Rank is suspected from the pivots and decided by inverse iteration with the factor. The lost directions themselves
/// are followed by LostDirections, and the right-hand side loses what it has along them: off the constraints redundant
/// rows contradict each other a little, and the proximal steps would add that up, times 1 / delta.
///
/// KLU settings, measured on the chain of N four-bar loops (ns per constraint, factorize() + solve() with the residual
/// check, N = 40 / 400 / 4000, one pinned core, -O3): AMD, no BTF, no row scaling, tolerance 0.1: 77 / 82 / 87; with
/// BTF 78 / 80 / 87; COLAMD 84 / 89 / 97; KLU's row scaling 100 / 104 / 111. With KLU's default tolerance 1e-3 frozen
/// pivots get so small that the rank test runs every time: 164 / 164 / 213. Condensed penalty system: 71 / 74 / 77.
class KluSolver final : public LinearSolver {
 public:
  KluSolver(const BlockPattern& pattern, const LinearSolverOptions& options);

  LinearOutcome factorize(const BlockValues& values) override;
  LinearOutcome solve(double* top, double* bottom) override;
  int rank() const override { return rank_; }
  WeakestMode weakest_mode(int lost) override;
  std::string description() const override;

 private:
  using Slots = std::vector<int>;

  void build_matrix();
  Slots slots_of(const SparsePattern& pattern, int row_offset, int column_offset, bool transposed) const;
  bool finite(const BlockValues& values) const;
  void rescale(const BlockValues& values);
  void fill(const BlockValues& values);
  void set_delta(double relative);
  LinearOutcome factorize_whole(const BlockValues& values);
  bool factor_fresh(const BlockValues& values);
  bool rank_lost();
  bool newton_rank_lost();
  LinearOutcome recover_rank(const BlockValues& values);
  void count_rank();
  void follow_lost();

  double residual(const double* rhs, const double* x, double* r) const;
  void refine(const double* rhs, double* x);
  void proximal(const double* rhs, double* x);
  bool check_due();
  bool drop_delta();
  void scaled_inverse(double* u);
  double lumped_largest(const double* weight);
  void renew_weights();

  BlockPattern pattern_;
  LinearSolverOptions options_;
  int n_, m_;
  BlockScales scales_;
  KluFactors factors_;

  Slots h_slots_, g_top_slots_, g_left_slots_, b_slots_, c_slots_, diagonal_;
  std::vector<double> h_scale_, g_top_scale_, g_left_scale_, b_scale_, c_scale_;
  bool top_left_current_ = false;  // the matrix holds H in the present scales
  bool padded_ = false;            // the matrix has entries that not every kind of system writes

  LinearOutcome outcome_ = LinearOutcome::singular;
  bool newton_ = false, exact_rows_ = true, acted_ = false;
  bool poor_factor_ = false;  // the factor belongs to a matrix that is not in use: factorise afresh
  bool fresh_ = false;        // pivots were chosen for the current matrix
  double fresh_ratio_ = 1.0;  // pivot ratio when the pivots were chosen
  long false_alarms_ = 0;
  double threshold_ = 0.0;     // rank threshold for this m
  double delta_ = 0.0;         // relative; stays until proximal steps fail and rank turns out to be back
  int unchecked_ = 0;          // solves since the residual was looked at
  int unconverged_ = 0;        // solves whose proximal steps did not converge
  std::vector<double> shift_;  // delta of each row, in scaled entries
  int rank_ = 0;
  LostDirections lost_;
  double high_ = 1.0;  // largest eigenvalue of the scaled Schur complement, about
  std::vector<double> x_, rhs_, r_, u_, w_;
  std::vector<double> mode_;                // weakest direction of the last call: start of the next
  std::vector<double> reference_, weight_;  // largest Schur diagonal met so far; its scale over the present one
};

KluSolver::KluSolver(const BlockPattern& pattern, const LinearSolverOptions& options)
    : pattern_(pattern),
      options_(options),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      scales_(pattern_),
      lost_(n_, m_) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* v : {&x_, &rhs_, &r_}) v->resize(n + m);
  shift_.assign(m, 0.0);
  u_.resize(m);
  mode_.assign(m, NAN);
  reference_.assign(m, 0.0);
  weight_.assign(m, 1.0);
  w_.resize(n);
  build_matrix();
  ++counts_.symbolic_analyses;
  const double links = std::max(size_of_klu_threshold, static_cast<double>(m_));
  threshold_ = std::max(options_.rank_threshold * std::pow(size_of_klu_threshold / links, 4),
                        std::min(options_.rank_threshold, least_threshold));
  if (options_.rank_policy == RankPolicy::regularized) delta_ = options_.regularization;
}

void KluSolver::build_matrix() {
  std::vector<std::pair<int, int>> entries;
  const auto add = [&entries](const SparsePattern& p, int row_offset, int column_offset, bool transposed) {
    p.for_each_entry([&](int i, int j, int) {
      entries.emplace_back(row_offset + (transposed ? j : i), column_offset + (transposed ? i : j));
    });
  };
  add(pattern_.top_left, 0, 0, false);
  add(pattern_.jacobian, 0, n_, true);
  add(pattern_.jacobian, n_, 0, false);
  add(pattern_.bottom_left, n_, 0, false);
  add(pattern_.compliance, n_, n_, false);
  add(SparsePattern::diagonal(m_), n_, n_, false);
  SparsePattern whole = SparsePattern::from_entries(n_ + m_, n_ + m_, std::move(entries));
  const int g = pattern_.jacobian.nonzeros();
  padded_ = whole.nonzeros() > pattern_.top_left.nonzeros() + 2 * g + m_;
  factors_.analyze(std::move(whole.column_start), std::move(whole.row_index));
  h_slots_ = slots_of(pattern_.top_left, 0, 0, false);
  g_top_slots_ = slots_of(pattern_.jacobian, 0, n_, true);
  g_left_slots_ = slots_of(pattern_.jacobian, n_, 0, false);
  b_slots_ = slots_of(pattern_.bottom_left, n_, 0, false);
  c_slots_ = slots_of(pattern_.compliance, n_, n_, false);
  diagonal_ = slots_of(SparsePattern::diagonal(m_), n_, n_, false);
  h_scale_.resize(h_slots_.size());
  g_top_scale_.resize(g_top_slots_.size());
  g_left_scale_.resize(g_left_slots_.size());
  b_scale_.resize(b_slots_.size());
  c_scale_.resize(c_slots_.size());
}

KluSolver::Slots KluSolver::slots_of(const SparsePattern& p, int row_offset, int column_offset, bool transposed) const {
  const int* start = factors_.start().data();
  const int* row = factors_.row().data();
  Slots slots;
  p.for_each_entry([&](int i, int j, int) {
    const int to_row = row_offset + (transposed ? j : i), to_column = column_offset + (transposed ? i : j);
    slots.push_back(
        static_cast<int>(std::lower_bound(row + start[to_column], row + start[to_column + 1], to_row) - row));
  });
  return slots;
}

LinearOutcome KluSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  acted_ = false;
  rank_ = m_;
  outcome_ = factorize_whole(values);
  counts_.factor_entries = factors_.entries();
  if (acted_) ++counts_.rank_events;
  if (outcome_ != LinearOutcome::ok && !finite(values)) outcome_ = LinearOutcome::not_finite;
  return outcome_;
}

bool KluSolver::finite(const BlockValues& v) const {
  return all_finite(v.top_left, pattern_.top_left.nonzeros()) && all_finite(v.jacobian, pattern_.jacobian.nonzeros()) &&
         (v.bottom_left == nullptr || all_finite(v.bottom_left, pattern_.bottom_left.nonzeros())) &&
         (v.compliance == nullptr || all_finite(v.compliance, pattern_.compliance.nonzeros()));
}

/// Scales of the blocks, times the row and column scale of each entry in the order of its slots.
void KluSolver::rescale(const BlockValues& values) {
  scales_.compute(pattern_, values);
  const auto multiply = [](const SparsePattern& p, const double* row, const double* column, std::vector<double>& out) {
    p.for_each_entry([&](int i, int j, int k) { out.data()[k] = row[i] * column[j]; });
  };
  const double *top = scales_.top().data(), *right = scales_.right().data(), *left = scales_.left().data();
  multiply(pattern_.top_left, top, top, h_scale_);
  multiply(pattern_.jacobian, right, top, g_top_scale_);
  multiply(pattern_.jacobian, left, top, g_left_scale_);
  multiply(pattern_.bottom_left, left, top, b_scale_);
  multiply(pattern_.compliance, left, right, c_scale_);
  set_delta(delta_);
  top_left_current_ = false;
}

/// minimum_norm: the same delta for all rows (Euclidean norm of the multipliers), but not so large for a row of small
/// entries that the proximal steps slow down. Otherwise delta_i proportional to the Schur diagonal.
void KluSolver::set_delta(double relative) {
  delta_ = relative;
  const bool uniform = !newton_ && options_.rank_policy == RankPolicy::minimum_norm;
  const Eigen::VectorXd& schur = scales_.schur_diagonal();
  const double most = largest(schur.data(), m_);
  for (int i = 0; i < m_; ++i) {
    const double share = std::min(most, schur[i] / widest_delta);
    const double delta = relative * (uniform ? share : schur[i]);
    shift_.data()[i] = delta * scales_.left().data()[i] * scales_.right().data()[i];
  }
}

void KluSolver::fill(const BlockValues& v) {
  double* a = factors_.values();
  if (padded_) std::fill(a, a + factors_.row().size(), 0.0);
  const auto put = [a](const Slots& slots, const std::vector<double>& scale, const double* values) {
    const int* to = slots.data();
    const double* factor = scale.data();
    for (int k = 0, end = static_cast<int>(slots.size()); k < end; ++k) a[to[k]] = factor[k] * values[k];
  };
  if (!(v.same_top_left && top_left_current_)) put(h_slots_, h_scale_, v.top_left);
  top_left_current_ = !padded_;
  put(g_top_slots_, g_top_scale_, v.jacobian);
  if (v.bottom_left != nullptr) {
    put(b_slots_, b_scale_, v.bottom_left);
  } else {
    put(g_left_slots_, g_left_scale_, v.jacobian);
  }
  for (int i = 0; i < m_; ++i) a[diagonal_.data()[i]] = -shift_.data()[i];
  exact_rows_ = true;
  if (v.compliance == nullptr || c_slots_.empty()) return;
  for (int k = 0, end = static_cast<int>(c_slots_.size()); k < end; ++k) {
    a[c_slots_.data()[k]] -= c_scale_.data()[k] * v.compliance[k];
  }
  exact_rows_ = std::any_of(diagonal_.begin(), diagonal_.end(),
                            [&, i = 0](int slot) mutable { return !(-a[slot] > shift_.data()[i++]); });
}

LinearOutcome KluSolver::factorize_whole(const BlockValues& v) {
  const bool newton = v.bottom_left != nullptr;
  const bool fresh = !factors_.factored() || newton != newton_ || poor_factor_;
  newton_ = newton;
  bool regular = false;
  fresh_ = false;
  if (!fresh) {
    fill(v);
    regular = factors_.refactor() && factors_.pivot_ratio() > lost_pivot;
  }
  if (!regular) {
    if (!finite(v)) return LinearOutcome::not_finite;
    regular = factor_fresh(v);
  }
  if (delta_ > 0.0) {
    if (!regular) return LinearOutcome::singular;
    acted_ = options_.rank_policy == RankPolicy::minimum_norm;
    if (acted_ && !newton_) follow_lost();
    return LinearOutcome::ok;
  }
  if (regular && newton_ && (options_.rank_policy == RankPolicy::strict || !newton_rank_lost()))
    return LinearOutcome::ok;
  if (regular && !newton_ && (!exact_rows_ || !rank_lost())) return LinearOutcome::ok;
  return recover_rank(v);
}

/// Full factorisation with new scales and pivots.
bool KluSolver::factor_fresh(const BlockValues& v) {
  if (counts_.factorizations > 1) ++counts_.pivot_refreshes;
  poor_factor_ = false;
  fresh_ = true;
  rescale(v);
  fill(v);
  const bool factored = factors_.factor();
  fresh_ratio_ = factors_.pivot_ratio();
  return factored && fresh_ratio_ > lost_pivot;
}

/// The smallest pivot lies between the smallest eigenvalue of the scaled Schur complement and its root (up to a modest
/// factor), so only small pivots are worth the solves of an inverse iteration.
bool KluSolver::rank_lost() {
  if (factors_.pivot_ratio() > std::sqrt(threshold_)) return false;
  const double high = lumped_largest(nullptr);
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 4, 0.1, [this](double* u) { scaled_inverse(u); });
  if (!(1.0 > threshold_ * high * inverse)) return true;
  // A false alarm: frozen pivots became small, the matrix did not. If it repeats, choose new ones where that helps.
  if (!fresh_ && fresh_ratio_ > 10.0 * factors_.pivot_ratio()) poor_factor_ = ++false_alarms_ % 8 == 0;
  return false;
}

/// As rank_lost(), for a matrix that is not symmetric and only has to give usable corrections.
bool KluSolver::newton_rank_lost() {
  if (factors_.pivot_ratio() > std::sqrt(lost_in_newton)) return false;
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 3, 0.1, [this](double* u) { scaled_inverse(u); });
  return !(1.0 > lost_in_newton * inverse);
}

LinearOutcome KluSolver::recover_rank(const BlockValues& v) {
  acted_ = true;
  const bool strict = options_.rank_policy == RankPolicy::strict;
  delta_ = newton_ ? newton_delta : options_.regularization;
  const bool regular = factor_fresh(v);
  if (strict) {  // the regularised factor only told rank loss from a singular matrix
    delta_ = 0.0;
    poor_factor_ = true;
    return regular || newton_ ? LinearOutcome::rank_loss : LinearOutcome::singular;
  }
  if (!regular) {
    delta_ = 0.0;
    poor_factor_ = true;
    return LinearOutcome::singular;
  }
  if (!newton_) follow_lost();
  return LinearOutcome::ok;
}

/// Directions below the rank threshold are lost; LostDirections follows those up to ten times that, where the filter
/// of the dense solver starts as well. If they are too many for it, the pivots tell the rank.
void KluSolver::follow_lost() {
  if (fresh_) high_ = lumped_largest(nullptr);
  const bool followed = lost_.update(shift_.data(), 10.0 * threshold_ * high_, fresh_, [this](double* u, double* top) {
    scaled_inverse(u);
    for (int j = 0; j < n_; ++j) top[j] = -x_.data()[j];
  });
  if (followed) {
    rank_ = m_ - lost_.count_below(threshold_ * high_);
  } else {
    count_rank();
  }
}

/// A lost direction leaves a pivot of the size of delta.
void KluSolver::count_rank() {
  const double lost = std::min(most_lost_pivot, 1e2 * largest(shift_.data(), m_));
  rank_ = m_ - factors_.count_pivots_below(lost * factors_.largest_pivot());
}

LinearOutcome KluSolver::solve(double* top, double* bottom) {
  if (outcome_ != LinearOutcome::ok) return outcome_;
  ++counts_.solves;
  const double *t = scales_.top().data(), *left = scales_.left().data(), *right = scales_.right().data();
  double *x = x_.data(), *rhs = rhs_.data();
  for (int j = 0; j < n_; ++j) x[j] = rhs[j] = t[j] * top[j];
  for (int i = 0; i < m_; ++i) x[n_ + i] = rhs[n_ + i] = left[i] * bottom[i];
  const bool deflate = !newton_ && delta_ > 0.0 && options_.rank_policy == RankPolicy::minimum_norm;
  if (deflate) {
    lost_.filter(shift_.data(), 10.0 * threshold_ * high_, rhs, rhs + n_);
    std::copy(rhs + n_, rhs + n_ + m_, x + n_);
  }
  factors_.solve(x);
  if (deflate) {
    proximal(rhs, x);
  } else if (check_due()) {
    refine(rhs, x);
  }
  for (int j = 0; j < n_; ++j) top[j] = t[j] * x[j];
  for (int i = 0; i < m_; ++i) bottom[i] = right[i] * x[n_ + i];
  return all_finite(x, n_ + m_) ? LinearOutcome::ok : LinearOutcome::not_finite;
}

/// The residual is checked where the frozen pivots have become small, and at every sixteenth solve.
bool KluSolver::check_due() {
  return factors_.pivot_ratio() < suspicious_drop * fresh_ratio_ || ++unchecked_ % check_every == 0;
}

/// r = rhs - K x; returns its size relative to rhs and x, all unit-free.
double KluSolver::residual(const double* rhs, const double* x, double* r) const {
  std::copy(rhs, rhs + n_ + m_, r);
  factors_.subtract_product(x, r);
  const double scale = largest(rhs, n_ + m_) + largest(x, n_ + m_);
  return scale > 0.0 ? largest(r, n_ + m_) / scale : 0.0;
}

/// Frozen pivots can go bad: one refinement step if the residual asks for it, then a fresh factor and one more. What
/// remains is as good as the conditioning allows.
void KluSolver::refine(const double* rhs, double* x) {
  const auto good = [this, rhs, x] { return !(residual(rhs, x, r_.data()) > poor_residual); };  // NaN: nothing to win
  const auto improve = [this, x] {
    ++counts_.refinements;
    factors_.solve(r_.data());
    for (int k = 0; k < n_ + m_; ++k) x[k] += r_.data()[k];
  };
  if (good()) return;
  improve();
  if (good() || newton_) return;
  if (!fresh_) {
    ++counts_.pivot_refreshes;
    if (!factors_.factor()) return;
    fresh_ = true;
    std::copy(rhs, rhs + n_ + m_, x);
    factors_.solve(x);
    if (good()) return;
  }
  improve();
}

void KluSolver::proximal(const double* rhs, double* x) {
  double* r = r_.data();
  for (int step = 0; step < proximal_steps; ++step) {
    ++counts_.refinements;
    residual(rhs, x, r);
    for (int i = 0; i < m_; ++i) r[n_ + i] -= shift_.data()[i] * x[n_ + i];  // K_0 = K + diag(0, delta)
    factors_.solve(r);
    for (int k = 0; k < n_ + m_; ++k) x[k] += r[k];
    if (!(largest(r, n_) > proximal_update * largest(x, n_ + m_))) return;
  }
  // Slow convergence: delta is no small part of the weakest regular direction (long chains), or the rows contradict
  // each other. Rank may be back: a fresh factor without delta tells, now and at every sixteenth failure.
  if (unconverged_++ % 16 != 0) return;
  std::copy(x, x + n_ + m_, r);  // the rank test works in x
  if (drop_delta()) {
    std::copy(rhs, rhs + n_ + m_, x);
    factors_.solve(x);
    refine(rhs, x);
  } else {
    std::copy(r, r + n_ + m_, x);
  }
}

/// Tries the matrix in use without delta. False: rank is really lost, delta is back in place.
bool KluSolver::drop_delta() {
  ++counts_.pivot_refreshes;
  double* a = factors_.values();
  for (int i = 0; i < m_; ++i) a[diagonal_.data()[i]] += shift_.data()[i];
  const double delta = delta_;
  set_delta(0.0);
  const bool factored = factors_.factor();
  fresh_ = true;
  fresh_ratio_ = factored ? factors_.pivot_ratio() : 0.0;
  if (factored && fresh_ratio_ > lost_pivot && !rank_lost()) {
    lost_.forget();
    rank_ = m_;
    return true;
  }
  set_delta(delta);
  for (int i = 0; i < m_; ++i) a[diagonal_.data()[i]] -= shift_.data()[i];
  factors_.factor();
  fresh_ratio_ = factors_.pivot_ratio();
  return false;
}

/// u <- (D S D)^-1 u, D = right: the lambda part of K x = (0, -u).
void KluSolver::scaled_inverse(double* u) {
  double* x = x_.data();
  std::fill(x, x + n_, 0.0);
  for (int i = 0; i < m_; ++i) x[n_ + i] = -u[i];
  factors_.solve(x);
  std::copy(x + n_, x + n_ + m_, u);
}

/// Largest eigenvalue of the scaled Schur complement of the lumped mass, rows and columns times `weight` (null: one),
/// from the matrix entries.
double KluSolver::lumped_largest(const double* weight) {
  const double* a = factors_.values();
  const int* slot = g_left_slots_.data();
  double* w = w_.data();
  fill_start_vector(u_);
  const auto weigh = [&](double* u) {
    for (int i = 0; i < m_ && weight != nullptr; ++i) u[i] *= weight[i];
  };
  return power_iteration(u_, 8, 0.05, [&](double* u) {
    weigh(u);
    std::fill(w, w + n_, 0.0);
    pattern_.jacobian.for_each_entry([&](int i, int j, int k) { w[j] += a[slot[k]] * u[i]; });
    std::fill(u, u + m_, 0.0);
    pattern_.jacobian.for_each_entry([&](int i, int j, int k) { u[i] += a[slot[k]] * w[j]; });
    weigh(u);
  });
}

/// The scales of the matrix are those of the last full factorisation, which may lie anywhere. The smallest singular
/// value along a path means one thing only if every row is measured by the largest it has been: a gradient that
/// vanishes loses rank, equilibrated it would not.
void KluSolver::renew_weights() {
  const double* a = factors_.values();
  double *weight = weight_.data(), *reference = reference_.data();
  const double* left = scales_.left().data();
  std::fill(weight, weight + m_, 0.0);
  pattern_.jacobian.for_each_entry(
      [&, slot = g_left_slots_.data()](int i, int, int k) { weight[i] += a[slot[k]] * a[slot[k]]; });
  for (int i = 0; i < m_; ++i) {
    reference[i] = std::max(reference[i], weight[i] / (left[i] * left[i]));
    weight[i] = reference[i] > 0.0 ? 1.0 / (left[i] * std::sqrt(reference[i])) : 1.0;
  }
}

WeakestMode KluSolver::weakest_mode(int lost) {
  if (m_ <= lost || newton_) return {};
  if (!factors_.factored()) return {0.0, -1};
  if (lost > 0 && delta_ > 0.0 && !lost_.followed()) {  // too many: only whether further rank is lost
    if (rank_ + lost >= m_) return {};
    follow_mode(mode_, [this](double* u) { scaled_inverse(u); });
    return {0.0, largest_entry(mode_)};
  }
  renew_weights();
  const double* weight = weight_.data();
  const double high = lumped_largest(weight);
  lost_.prepare_deflation(delta_ > 0.0 ? lost : 0, weight);
  const double inverse = follow_mode(mode_, [&](double* u) {
    lost_.deflate(u);
    for (int i = 0; i < m_; ++i) u[i] /= weight[i];
    scaled_inverse(u);
    for (int i = 0; i < m_; ++i) u[i] /= weight[i];
    lost_.deflate(u);
  });
  double shifted = 0.0;  // u^T delta u: part of the eigenvalue that the policy added
  for (int i = 0; i < m_; ++i) {
    const double u = weight[i] * mode_.data()[i];
    shifted += shift_.data()[i] * u * u;
  }
  const double low = inverse > 0.0 ? std::max(0.0, 1.0 / inverse - shifted) : 0.0;
  return {high > 0.0 ? std::min(1.0, low / high) : 0.0, largest_entry(mode_)};
}

std::string KluSolver::description() const {
  const std::string name = "klu, " + std::to_string(counts_.factor_entries) + " entries in the factors";
  if (delta_ == 0.0) return name;
  const std::string kind = newton_                                            ? "delta in the Newton matrix"
                           : options_.rank_policy == RankPolicy::minimum_norm ? "minimum norm by delta"
                                                                              : "regularized by delta";
  return name + ", " + kind;
}

}  // namespace
#endif

LinearSolverEntry make_klu() {
  LinearSolverEntry entry;
  entry.sparse = true;
#ifdef SUNLAGRANGE_WITH_KLU
  entry.make = [](const BlockPattern& pattern, const LinearSolverOptions& options) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<KluSolver>(pattern, options);
  };
#else
  entry.missing = "KLU: install SuiteSparse (Debian: libsuitesparse-dev), configure with -Dsunlagrange_WITH_KLU=ON";
#endif
  return entry;
}

}  // namespace sunlagrange::internal
