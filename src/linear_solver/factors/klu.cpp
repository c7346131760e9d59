// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "base/signed_vector.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/thresholds.hpp"

#ifdef SUNLAGRANGE_WITH_KLU
#include "linear_solver/factors/klu_factors.hpp"
#endif

namespace sunlagrange::internal {

#ifdef SUNLAGRANGE_WITH_KLU
namespace {

constexpr double poor_residual = 1e-12;  // relative residual; above it the solution is refined
constexpr double suspicious_drop =
    0.1;  // of the pivot ratio of the last full factorisation; below it frozen pivots are doubtful
constexpr double small_pivot = 3e-5;  // pivot ratio; below it doubtful pivots are chosen anew now and then
constexpr int check_every = 16;
constexpr int renew_every = 8;

/// Factorises the whole matrix by KLU. BlockScales, renewed with every full factorisation, make it free of units:
///
///     [ top H top    top G^T right               ]
///     [ left B top   -left (C + diag(d)) right   ]
///
/// KLU settings, measured on the chain of N four-bar loops (ns per constraint, factorize() + solve() with the residual
/// check, N = 40 / 400 / 4000, one pinned core, -O3): AMD, no BTF, no row scaling, tolerance 0.1: 77 / 82 / 87; with
/// BTF 78 / 80 / 87; COLAMD 84 / 89 / 97; KLU's row scaling 100 / 104 / 111. With KLU's default tolerance 1e-3 frozen
/// pivots get so small that the rank test runs every time: 164 / 164 / 213. Condensed penalty system: 71 / 74 / 77.
class KluBlockFactors final : public Factors {
 public:
  explicit KluBlockFactors(const BlockPattern& pattern);

  bool factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) override;
  void solve(double* top, double* bottom) override;
  bool certainly_regular(double least, const RowReference& reference) override;
  int count_pivots_below(double relative) const override;
  std::string description() const override;

 private:
  using Slots = SignedVector<int>;

  void build_matrix();
  Slots slots_of(const SparsePattern& pattern, int row_offset, int column_offset, bool transposed) const;
  void rescale(const BlockValues& values, const double* row_compliance);
  void fill(const BlockValues& values, const double* row_compliance);
  bool refactor(const BlockValues& values, const double* row_compliance);
  bool check_due();
  double residual(const double* rhs, const double* x, double* r) const;
  void refine(const double* rhs, double* x);

  BlockPattern pattern_;
  int n_, m_;
  BlockScales scales_;
  KluFactors factors_;
  Slots h_slots_, g_top_slots_, left_slots_, c_slots_, diagonal_;
  SignedVector<double> h_scale_, g_top_scale_, left_scale_, c_scale_, diagonal_scale_;
  bool top_left_current_ = false;  // the matrix holds H in the present scales
  bool stale_ = false;             // the pivots must be chosen anew
  bool fresh_ = false;             // the pivots were chosen for the current matrix
  double fresh_ratio_ = 1.0;       // pivot ratio when they were chosen
  long drops_ = 0;
  int unchecked_ = 0;  // solves since the last check of the residual
  SignedVector<double> x_, rhs_, r_;
};

KluBlockFactors::KluBlockFactors(const BlockPattern& pattern)
    : pattern_(pattern), n_(pattern.top_left.rows), m_(pattern.jacobian.rows), scales_(pattern_) {
  for (auto* v : {&x_, &rhs_, &r_}) v->resize(std::ptrdiff_t{n_} + m_);
  build_matrix();
}

void KluBlockFactors::build_matrix() {
  const SparsePattern& left = pattern_.newton ? pattern_.bottom_left : pattern_.jacobian;
  const SparsePattern diagonal = SparsePattern::diagonal(m_);
  std::vector<std::pair<int, int>> entries;
  const auto add = [&entries](const SparsePattern& p, int row_offset, int column_offset, bool transposed) {
    p.for_each_entry([&](int i, int j, int) {
      entries.emplace_back(row_offset + (transposed ? j : i), column_offset + (transposed ? i : j));
    });
  };
  add(pattern_.top_left, 0, 0, false);
  add(pattern_.jacobian, 0, n_, true);
  add(left, n_, 0, false);
  add(pattern_.compliance, n_, n_, false);
  add(diagonal, n_, n_, false);
  SparsePattern whole = SparsePattern::from_entries(n_ + m_, n_ + m_, std::move(entries));
  factors_.analyze(std::move(whole.column_start), std::move(whole.row_index));
  h_slots_ = slots_of(pattern_.top_left, 0, 0, false);
  g_top_slots_ = slots_of(pattern_.jacobian, 0, n_, true);
  left_slots_ = slots_of(left, n_, 0, false);
  c_slots_ = slots_of(pattern_.compliance, n_, n_, false);
  diagonal_ = slots_of(diagonal, n_, n_, false);
  h_scale_.resize(h_slots_.size());
  g_top_scale_.resize(g_top_slots_.size());
  left_scale_.resize(left_slots_.size());
  c_scale_.resize(c_slots_.size());
  diagonal_scale_.resize(diagonal_.size());
}

KluBlockFactors::Slots KluBlockFactors::slots_of(const SparsePattern& p, int row_offset, int column_offset,
                                                 bool transposed) const {
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

bool KluBlockFactors::factorize(const BlockValues& v, const double* row_compliance, Pivots pivots) {
  bool done = pivots == Pivots::kept && factors_.factored() && !stale_ && refactor(v, row_compliance);
  if (!done) {
    if (factors_.factored()) {
      ++counts().pivot_refreshes;
    } else if (counts().symbolic_analyses == 0) {
      counts().symbolic_analyses = 1;
    }
    stale_ = false;
    rescale(v, row_compliance);
    fill(v, row_compliance);
    fresh_ = true;
    const bool factored = factors_.factor();
    fresh_ratio_ = factored ? factors_.pivot_ratio() : 0.0;
    done = factored && fresh_ratio_ > RankThresholds::lost_pivot;
  }
  counts().factor_entries = factors_.entries();
  return done;
}

/// Factorises with frozen pivots. Small frozen pivots do not mean that the matrix is nearly singular if those of the
/// full factorisation were not small.
bool KluBlockFactors::refactor(const BlockValues& v, const double* row_compliance) {
  fill(v, row_compliance);
  fresh_ = false;
  if (!factors_.refactor() || !(factors_.pivot_ratio() > RankThresholds::lost_pivot)) return false;
  if (factors_.pivot_ratio() < std::min(small_pivot, suspicious_drop * fresh_ratio_)) {
    stale_ = ++drops_ % renew_every == 0;
  }
  return true;
}

/// Computes for every entry the product of its row and column scale, in the order of the slots.
void KluBlockFactors::rescale(const BlockValues& values, const double* row_compliance) {
  scales_.compute(pattern_, values, row_compliance);
  const auto multiply = [](const SparsePattern& p, const double* row, const double* column, SignedVector<double>& out) {
    p.for_each_entry([&](int i, int j, int k) { out[k] = row[i] * column[j]; });
  };
  const double *top = scales_.top().data(), *right = scales_.right().data(), *left = scales_.left().data();
  multiply(pattern_.top_left, top, top, h_scale_);
  multiply(pattern_.jacobian, right, top, g_top_scale_);
  multiply(pattern_.newton ? pattern_.bottom_left : pattern_.jacobian, left, top, left_scale_);
  multiply(pattern_.compliance, left, right, c_scale_);
  for (int i = 0; i < m_; ++i) diagonal_scale_[i] = left[i] * right[i];
  top_left_current_ = false;
}

void KluBlockFactors::fill(const BlockValues& v, const double* row_compliance) {
  double* a = factors_.values();
  const auto put = [a](const Slots& slots, const SignedVector<double>& scale, const double* values) {
    const int* to = slots.data();
    const double* factor = scale.data();
    for (int k = 0, end = static_cast<int>(slots.size()); k < end; ++k) a[to[k]] = factor[k] * values[k];
  };
  if (!(v.same_top_left && top_left_current_)) put(h_slots_, h_scale_, v.top_left);
  top_left_current_ = true;
  put(g_top_slots_, g_top_scale_, v.jacobian);
  put(left_slots_, left_scale_, pattern_.newton ? v.bottom_left : v.jacobian);
  for (const int slot : diagonal_) a[slot] = 0.0;
  for (int k = 0, end = static_cast<int>(c_slots_.size()); k < end; ++k) {
    a[c_slots_[k]] = v.compliance != nullptr ? -c_scale_[k] * v.compliance[k] : 0.0;
  }
  for (int i = 0; i < m_ && row_compliance != nullptr; ++i) a[diagonal_[i]] -= row_compliance[i] * diagonal_scale_[i];
}

/// The smallest pivot lies between the smallest eigenvalue of the scaled Schur complement and its root (up to a modest
/// factor). The scales are those of the last full factorisation: a row that was short then is not noticed.
bool KluBlockFactors::certainly_regular(double least, const RowReference& reference) {
  return factors_.pivot_ratio() > std::sqrt(least / scales_.smallest_share(reference.square));
}

int KluBlockFactors::count_pivots_below(double relative) const {
  return factors_.count_pivots_below(relative * factors_.largest_pivot());
}

void KluBlockFactors::solve(double* top, double* bottom) {
  const double *t = scales_.top().data(), *left = scales_.left().data(), *right = scales_.right().data();
  double *x = x_.data(), *rhs = rhs_.data();
  for (int j = 0; j < n_; ++j) x[j] = rhs[j] = t[j] * top[j];
  for (int i = 0; i < m_; ++i) x[n_ + i] = rhs[n_ + i] = left[i] * bottom[i];
  factors_.solve(x);
  if (check_due()) refine(rhs, x);
  for (int j = 0; j < n_; ++j) top[j] = t[j] * x[j];
  for (int i = 0; i < m_; ++i) bottom[i] = right[i] * x[n_ + i];
}

/// Returns true if the residual must be checked: frozen pivots have become small, or it is the sixteenth solve.
bool KluBlockFactors::check_due() {
  return factors_.pivot_ratio() < suspicious_drop * fresh_ratio_ || ++unchecked_ % check_every == 0;
}

/// Computes r = rhs - K x and returns its size relative to rhs and x, in scaled units.
double KluBlockFactors::residual(const double* rhs, const double* x, double* r) const {
  std::copy(rhs, rhs + n_ + m_, r);
  factors_.subtract_product(x, r);
  const double scale = max_abs(as_vector(rhs, n_ + m_)) + max_abs(as_vector(x, n_ + m_));
  return scale > 0.0 ? max_abs(as_vector(r, n_ + m_)) / scale : 0.0;
}

/// Refines x if its residual is poor: one step, then a full factorisation and another step. What remains is due to the
/// condition of the matrix.
void KluBlockFactors::refine(const double* rhs, double* x) {
  const auto good = [this, rhs, x] {
    return !(residual(rhs, x, r_.data()) > poor_residual);
  };  // NaN: refinement does not help
  const auto improve = [this, x] {
    ++counts().refinements;
    factors_.solve(r_.data());
    for (int k = 0; k < n_ + m_; ++k) x[k] += r_[k];
  };
  if (good()) return;
  improve();
  if (good() || pattern_.newton) return;
  if (!fresh_) {
    ++counts().pivot_refreshes;
    if (!factors_.factor()) return;
    fresh_ = true;
    std::copy(rhs, rhs + n_ + m_, x);
    factors_.solve(x);
    if (good()) return;
  }
  improve();
}

std::string KluBlockFactors::description() const {
  return "klu, " + std::to_string(factors_.entries()) + " entries in the factors";
}

}  // namespace
#endif

LinearSolverEntry make_klu() {
  LinearSolverEntry entry;
  entry.sparse = true;
#ifdef SUNLAGRANGE_WITH_KLU
  entry.make = [](const BlockPattern& pattern) -> std::unique_ptr<Factors> {
    return std::make_unique<KluBlockFactors>(pattern);
  };
#else
  entry.missing = "KLU: install SuiteSparse (Debian: libsuitesparse-dev), configure with -Dsunlagrange_WITH_KLU=ON";
#endif
  return entry;
}

}  // namespace sunlagrange::internal
