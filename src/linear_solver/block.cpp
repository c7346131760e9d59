#include <algorithm>
#include <cmath>
#include <cstddef>

#include "linear_solver/block_scales.hpp"
#include "linear_solver/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/panel_loops.hpp"
#include "linear_solver/panels.hpp"
#include "linear_solver/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

constexpr double doubtful_pivot = 1e-4;   // relative pivot below which every solution is checked
constexpr double wrong_residual = 1e-12;  // relative, unit-free, that asks for refinement
constexpr int matrices_a_check = 64;      // and scales are renewed, or, with doubtful pivots,
constexpr int matrices_a_scale = 8;       // after so many
constexpr int klu_after_bad_pivot = 16;   // matrices

/// The whole matrix in panels: L D L^T, Newton systems L D U, in an order known before any value, no pivoting. Pivots
/// are relative to the lumped masses and Schur diagonal, so no entry is scaled. Where pivots are to be chosen, or one
/// went bad, KLU does the work.
class BlockFactors final : public Factors {
 public:
  explicit BlockFactors(const BlockPattern& pattern);

  bool factorize(const BlockValues& values, const double* lent, Pivots pivots) override;
  void solve(double* top, double* bottom) override;
  bool certainly_regular(double least, const double* reference) const override;
  int count_pivots_below(double relative) const override;
  std::string description() const override;

 private:
  struct Entries {
    std::vector<int> from, to;  ///< slots of the pattern, of the panels
  };

  Entries entries_of(const SparsePattern& pattern, int row_offset, int column_offset, bool transposed) const;
  void fill(const BlockValues& values, const double* lent);
  bool good_pivots(const BlockValues& values, const double* lent);
  double smallest_pivot() const;
  void rescale(const BlockValues& values, const double* lent);
  bool fall_back(const BlockValues& values, const double* lent, Pivots pivots);
  void keep_values(const BlockValues& values, const double* lent);
  BlockValues kept_values() const;
  void substitute(double* x);
  double residual(const double* rhs, const double* x, double* r) const;
  bool refine(const double* rhs, double* x);

  BlockPattern pattern_;
  int n_, m_;
  Panels panels_;
  PanelLoops loops_ = panel_loops();
  BlockScales scales_;
  Entries h_to_, g_to_, b_to_, c_to_;
  std::vector<int> diagonal_;                     // of the rows
  std::vector<double> values_;                    // panels of L; of U^T behind them
  std::vector<double> pivot_, inverse_, weight_;  // at their places; weight: D^2 or 1 / mass
  std::vector<double> w_, x_, rhs_, r_;
  double smallest_ = 0.0;
  int since_check_ = matrices_a_check, rest_ = 0;

  bool checked_ = false;  // the values of the last matrix are kept, solutions are checked
  std::vector<double> h_, g_, b_, c_, lent_;

  std::unique_ptr<Factors> klu_;
  bool on_klu_ = false;  // the last matrix is there
};

BlockFactors::BlockFactors(const BlockPattern& pattern)
    : pattern_(pattern), n_(pattern.top_left.rows), m_(pattern.jacobian.rows), panels_(pattern), scales_(pattern) {
  const auto size = static_cast<std::size_t>(n_) + static_cast<std::size_t>(m_);
  const auto count = [](const SparsePattern& p) { return static_cast<std::size_t>(p.nonzeros()); };
  h_to_ = entries_of(pattern.top_left, 0, 0, false);
  g_to_ = entries_of(pattern.jacobian, 0, n_, true);
  if (pattern.newton) b_to_ = entries_of(pattern.bottom_left, n_, 0, false);
  c_to_ = entries_of(pattern.compliance, n_, n_, false);
  const int* row = panels_.order.place.data() + n_;
  for (int i = 0; i < m_; ++i) diagonal_.push_back(panels_.slot(row[i], row[i]));
  values_.resize(static_cast<std::size_t>(panels_.entries) * (pattern.newton ? 2 : 1));
  for (auto* x : {&pivot_, &inverse_, &weight_, &x_, &rhs_, &r_}) x->resize(size);
  int most = 1;
  for (const Panels::Panel& p : panels_.panel) most = std::max(most, p.pivots);
  w_.resize(2 * static_cast<std::size_t>(most));
  h_.resize(count(pattern.top_left));
  g_.resize(count(pattern.jacobian));
  b_.resize(count(pattern.bottom_left));
  c_.resize(count(pattern.compliance));
  lent_.resize(static_cast<std::size_t>(m_));
}

/// Ascending in `to`: panels are filled one after the other. Of symmetric matrices one triangle is kept.
BlockFactors::Entries BlockFactors::entries_of(const SparsePattern& pattern, int row_offset, int column_offset,
                                               bool transposed) const {
  std::vector<std::pair<int, int>> list;
  pattern.for_each_entry([&](int i, int j, int k) {
    const int row = panels_.order.place.data()[row_offset + (transposed ? j : i)];
    const int column = panels_.order.place.data()[column_offset + (transposed ? i : j)];
    const bool above = row < column;
    if (above && !pattern_.newton && row_offset == column_offset) return;
    list.emplace_back(panels_.slot(row, column) + (above && pattern_.newton ? panels_.entries : 0), k);
  });
  std::sort(list.begin(), list.end());
  Entries entries;
  for (const auto& [to, from] : list) {
    entries.to.push_back(to);
    entries.from.push_back(from);
  }
  return entries;
}

bool BlockFactors::factorize(const BlockValues& v, const double* lent, Pivots pivots) {
  if (counts().symbolic_analyses == 0) counts().symbolic_analyses = 1;
  if (rest_ > 0) --rest_;
  on_klu_ = false;
  if (pivots == Pivots::chosen || rest_ > 0) return fall_back(v, lent, pivots);
  fill(v, lent);
  (pattern_.newton ? loops_.eliminate : loops_.eliminate_symmetric)(panels_, values_.data(), pivot_.data(),
                                                                    inverse_.data(), w_.data());
  if (!good_pivots(v, lent)) {
    rest_ = klu_after_bad_pivot;
    return fall_back(v, lent, Pivots::chosen);
  }
  counts().factor_entries = panels_.entries * (pattern_.newton ? 2L : 1L);
  return true;
}

bool BlockFactors::fall_back(const BlockValues& v, const double* lent, Pivots pivots) {
  if (klu_ == nullptr) {
    klu_ = find_linear_solver("klu").make(pattern_);
    klu_->count_in(counts());
    ++counts().pivot_refreshes;
  }
  on_klu_ = true;
  BlockValues values = v;
  values.same_top_left = false;  // klu has not seen every matrix
  return klu_->factorize(values, lent, pivots);
}

void BlockFactors::fill(const BlockValues& v, const double* lent) {
  std::fill(values_.begin(), values_.end(), 0.0);
  double* a = values_.data();
  const auto put = [a](const Entries& entries, const double* values, double sign) {
    const int *to = entries.to.data(), *from = entries.from.data();
    for (int k = 0, end = static_cast<int>(entries.to.size()); k < end; ++k) a[to[k]] = sign * values[from[k]];
  };
  put(h_to_, v.top_left, 1.0);
  put(g_to_, v.jacobian, 1.0);
  if (pattern_.newton) put(b_to_, v.bottom_left, 1.0);
  if (v.compliance != nullptr) put(c_to_, v.compliance, -1.0);
  for (int i = 0; i < m_ && lent != nullptr; ++i) a[diagonal_.data()[i]] -= lent[i];
}

/// NaN counts as bad.
bool BlockFactors::good_pivots(const BlockValues& v, const double* lent) {
  checked_ = ++since_check_ >= matrices_a_check;
  smallest_ = smallest_pivot();
  const bool doubtful = !(smallest_ > doubtful_pivot) && since_check_ >= matrices_a_scale;
  if (checked_ || doubtful || !(smallest_ > lost_pivot)) {
    since_check_ = 0;
    rescale(v, lent);
    smallest_ = smallest_pivot();
  }
  checked_ = checked_ || !(smallest_ > doubtful_pivot);
  if (!(smallest_ > lost_pivot)) return false;
  if (checked_) keep_values(v, lent);
  return true;
}

double BlockFactors::smallest_pivot() const {
  return loops_.smallest(pivot_.data(), weight_.data(), n_ + m_);
}

void BlockFactors::rescale(const BlockValues& v, const double* lent) {
  scales_.compute(pattern_, v, lent);
  const int* place = panels_.order.place.data();
  for (int j = 0; j < n_; ++j) weight_.data()[place[j]] = scales_.top()[j] * scales_.top()[j];
  for (int i = 0; i < m_; ++i) weight_.data()[place[n_ + i]] = scales_.left()[i] * scales_.right()[i];
}

void BlockFactors::keep_values(const BlockValues& v, const double* lent) {
  const auto keep = [](const double* values, std::vector<double>& to) {
    if (values != nullptr) std::copy(values, values + to.size(), to.data());
    if (values == nullptr) std::fill(to.begin(), to.end(), 0.0);
  };
  keep(v.top_left, h_);
  keep(v.jacobian, g_);
  keep(v.bottom_left, b_);
  keep(v.compliance, c_);
  keep(lent, lent_);
}

BlockValues BlockFactors::kept_values() const {
  return {h_.data(), g_.data(), pattern_.newton ? b_.data() : nullptr, c_.empty() ? nullptr : c_.data()};
}

bool BlockFactors::certainly_regular(double least, const double* reference) const {
  if (on_klu_) return klu_->certainly_regular(least, reference);
  const double root = std::sqrt(least);
  if (!(smallest_ > root)) return false;
  if (reference == nullptr) return true;
  const int* place = panels_.order.place.data() + n_;
  bool above = true;
  for (int i = 0; i < m_; ++i) above = above && std::abs(pivot_.data()[place[i]]) > root * reference[i];
  return above;
}

int BlockFactors::count_pivots_below(double relative) const {
  if (on_klu_) return klu_->count_pivots_below(relative);
  const auto size = [this](int k) { return std::abs(pivot_.data()[k]) * weight_.data()[k]; };
  double largest = 0.0;
  for (int k = 0; k < n_ + m_; ++k) largest = std::max(largest, size(k));
  int count = 0;
  for (int k = 0; k < n_ + m_; ++k) count += size(k) < relative * largest ? 1 : 0;
  return count;
}

void BlockFactors::substitute(double* x) {
  const double* l = values_.data();
  loops_.solve(panels_, l, pattern_.newton ? l + panels_.entries : l, inverse_.data(), x);
}

void BlockFactors::solve(double* top, double* bottom) {
  if (on_klu_) return klu_->solve(top, bottom);
  double* x = x_.data();
  const int* unknown = panels_.order.unknown.data();
  for (int k = 0; k < n_ + m_; ++k) x[k] = unknown[k] < n_ ? top[unknown[k]] : bottom[unknown[k] - n_];
  if (checked_) std::copy(x, x + n_ + m_, rhs_.data());
  substitute(x);
  if (checked_ && !refine(rhs_.data(), x)) {
    rest_ = klu_after_bad_pivot;
    if (fall_back(kept_values(), lent_.data(), Pivots::chosen)) return klu_->solve(top, bottom);
    on_klu_ = false;
  }
  for (int k = 0; k < n_ + m_; ++k) (unknown[k] < n_ ? top[unknown[k]] : bottom[unknown[k] - n_]) = x[k];
}

/// r = rhs - K x; returns its size relative to rhs and x, all unit-free.
double BlockFactors::residual(const double* rhs, const double* x, double* r) const {
  const int *place = panels_.order.place.data(), *rows = place + n_;
  std::copy(rhs, rhs + n_ + m_, r);
  pattern_.top_left.for_each_entry([&](int i, int j, int k) { r[place[i]] -= h_.data()[k] * x[place[j]]; });
  pattern_.jacobian.for_each_entry([&](int i, int j, int k) { r[place[j]] -= g_.data()[k] * x[rows[i]]; });
  const SparsePattern& left = pattern_.newton ? pattern_.bottom_left : pattern_.jacobian;
  const double* b = pattern_.newton ? b_.data() : g_.data();
  left.for_each_entry([&](int i, int j, int k) { r[rows[i]] -= b[k] * x[place[j]]; });
  pattern_.compliance.for_each_entry([&](int i, int j, int k) { r[rows[i]] += c_.data()[k] * x[rows[j]]; });
  for (int i = 0; i < m_; ++i) r[rows[i]] += lent_.data()[i] * x[rows[i]];
  double size = 0.0, scale_of_rhs = 0.0, scale_of_x = 0.0;
  const auto see = [&](int k, double row, double column) {
    size = std::max(size, std::abs(row * r[k]));
    scale_of_rhs = std::max(scale_of_rhs, std::abs(row * rhs[k]));
    scale_of_x = std::max(scale_of_x, std::abs(x[k] / column));
  };
  for (int j = 0; j < n_; ++j) see(place[j], scales_.top()[j], scales_.top()[j]);
  for (int i = 0; i < m_; ++i) see(rows[i], scales_.left()[i], scales_.right()[i]);
  const double scale = scale_of_rhs + scale_of_x;
  return scale > 0.0 ? size / scale : 0.0;
}

/// Two steps of refinement at most; false: the pivots are not good enough.
bool BlockFactors::refine(const double* rhs, double* x) {
  for (int step = 0; step < 2; ++step) {
    if (!(residual(rhs, x, r_.data()) > wrong_residual)) return true;  // NaN: nothing to win
    ++counts().refinements;
    substitute(r_.data());
    for (int k = 0; k < n_ + m_; ++k) x[k] += r_.data()[k];
  }
  return !(residual(rhs, x, r_.data()) > wrong_residual);
}

std::string BlockFactors::description() const {
  const std::string what = "block, " + std::to_string(panels_.panel.size()) + " panels, ";
  if (on_klu_) return what + "pivots chosen by " + klu_->description();
  return what + std::to_string(panels_.entries) + " entries in the factors";
}

}  // namespace

LinearSolverEntry make_block() {
  LinearSolverEntry entry;
  entry.sparse = true;
#ifdef SUNLAGRANGE_WITH_KLU
  entry.make = [](const BlockPattern& pattern) -> std::unique_ptr<Factors> {
    return std::make_unique<BlockFactors>(pattern);
  };
#else
  entry.missing =
      "KLU, which chooses pivots for it: install SuiteSparse (Debian: libsuitesparse-dev), configure with "
      "-Dsunlagrange_WITH_KLU=ON";
#endif
  return entry;
}

}  // namespace sunlagrange::internal
