// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/factors/panel_loops.hpp"
#include "linear_solver/factors/panels.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

namespace {

constexpr double doubtful_pivot = 1e-4;   // relative pivot; below it every solution is checked
constexpr double bad_pivot = 1e-8;        // relative pivot; below it KLU chooses the pivots
constexpr double wrong_residual = 1e-12;  // relative residual; above it the solution is refined
constexpr int matrices_per_check = 64;    // after so many the scales are renewed,
constexpr int matrices_per_scale = 8;     // after so many with doubtful pivots
constexpr int panels_per_part = 64;
constexpr int matrices_on_klu = 16;  // matrices that KLU factorises then

struct Entries {
  SignedVector<int> from, to;  ///< slots of a pattern; slots of the panels, ascending

  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(to.size()); }
  void put(std::ptrdiff_t first, std::ptrdiff_t end, const double* x, double* a) const {
    for (std::ptrdiff_t k = first; k < end; ++k) a[to[k]] = x[from[k]];
  }
  void subtract(std::ptrdiff_t first, std::ptrdiff_t end, const double* x, double* a) const {
    for (std::ptrdiff_t k = first; x != nullptr && k < end; ++k) a[to[k]] -= x[from[k]];
  }
};

/// Factorises the whole matrix in panels: L D L^T, for Newton systems L D U. The elimination order is known before any
/// value, and there is no pivoting. Pivots are measured by lumped masses and the Schur diagonal, so entries are not
/// scaled. KLU factorises if pivots must be chosen, and after a bad pivot.
class BlockFactors final : public Factors {
 public:
  explicit BlockFactors(const BlockPattern& pattern);

  bool factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) override;
  void solve(double* top, double* bottom) override;
  bool certainly_regular(double least, const RowReference& reference) override;
  int count_pivots_below(double relative) const override;
  std::string description() const override;

 private:
  struct Part {
    int panels, slots;          ///< ends: of its panels, and of the slots that these and earlier panels reach
    std::ptrdiff_t h, g, c, d;  ///< ends: of its entries of H, G, C and the diagonal
  };

  /// Slots of the entries of H, G, B, C and of the row compliances.
  struct Targets {
    Entries h, g, b, c, d;
  };

  /// Figures of the pivots of the last matrix.
  struct PivotFigures {
    double smallest = 0.0;                 ///< relative to its weight
    double excess = 1.0;                   ///< largest reference of a row, relative to its weight
    long reference = -1;                   ///< version of the reference that excess belongs to
    int since_check = matrices_per_check;  ///< matrices since the scales were renewed
  };

  /// The last matrix, if its solutions are checked.
  struct Stored {
    bool present = false;
    SignedVector<double> h, g, b, c, row_compliance;
  };

  /// KLU, made at its first use.
  struct Fallback {
    std::unique_ptr<Factors> klu;
    bool active = false;  ///< it has factorised the last matrix
    int left = 0;         ///< number of the next matrices that it factorises

    std::string description() const { return klu != nullptr ? klu->description() : "klu"; }
  };

  void find_parts();
  Entries entries_of(const SparsePattern& pattern, int row_offset, int column_offset, bool transposed) const;
  double eliminate_symmetric(const BlockValues& values, const double* row_compliance);
  double eliminate_newton(const BlockValues& values, const double* row_compliance);
  template <class Use>
  void for_each_pivot(Use&& use) const;
  bool good_pivots(const BlockValues& values, const double* row_compliance);
  void rescale(const BlockValues& values, const double* row_compliance);
  bool fall_back(const BlockValues& values, const double* row_compliance, Pivots pivots);
  void store_values(const BlockValues& values, const double* row_compliance);
  BlockValues stored_values() const;
  void substitute(double* x);
  double residual(const double* rhs, const double* x, double* r) const;
  bool refine(const double* rhs, double* x);

  BlockPattern pattern_;
  int n_, m_;
  std::shared_ptr<const Panels> shared_;
  const Panels& panels_;
  PanelLoops loops_ = panel_loops();
  BlockScales scales_;
  Targets to_;
  SignedVector<Part> parts_;     // filled and eliminated one after the other, to stay in the cache
  SignedVector<double> values_;  // panels of L with 1 / pivot in the diagonal, then those of U^T
  SignedVector<double> weight_;  // for each place: D^2 or 1 / mass
  SignedVector<double> w_, x_, rhs_, r_;
  PivotFigures pivots_;
  Stored stored_;
  Fallback fallback_;
};

BlockFactors::BlockFactors(const BlockPattern& pattern)
    : pattern_(pattern),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      shared_(pattern.panels != nullptr ? pattern.panels : std::make_shared<const Panels>(pattern)),
      panels_(*shared_),
      scales_(pattern) {
  if (!panels_.complete) return;
  const std::ptrdiff_t size = std::ptrdiff_t{n_} + m_;
  to_.h = entries_of(pattern.top_left, 0, 0, false);
  to_.g = entries_of(pattern.jacobian, 0, n_, true);
  if (pattern.newton) to_.b = entries_of(pattern.bottom_left, n_, 0, false);
  to_.c = entries_of(pattern.compliance, n_, n_, false);
  to_.d = entries_of(SparsePattern::diagonal(m_), n_, n_, false);
  find_parts();
  values_.resize(std::ptrdiff_t{panels_.entries} * (pattern.newton ? 2 : 1));
  for (auto* x : {&weight_, &x_, &rhs_, &r_}) x->resize(size);
  int most = 1;
  for (const Panels::Panel& p : panels_.panel) most = std::max(most, p.pivots);
  w_.resize(2 * most);
  for (const auto& [values, p] : {std::pair(&stored_.h, &pattern.top_left),
                                  {&stored_.g, &pattern.jacobian},
                                  {&stored_.b, &pattern.bottom_left},
                                  {&stored_.c, &pattern.compliance}}) {
    values->resize(p->nonzeros());
  }
  stored_.row_compliance.resize(m_);
}

/// For symmetric matrices one triangle is stored.
Entries BlockFactors::entries_of(const SparsePattern& pattern, int row_offset, int column_offset,
                                 bool transposed) const {
  SignedVector<int> from(std::ptrdiff_t{panels_.entries} * (pattern_.newton ? 2 : 1), -1);  // for each slot
  const int* place = panels_.order.place.data();
  pattern.for_each_entry([&](int i, int j, int k) {
    const int row = place[row_offset + (transposed ? j : i)], column = place[column_offset + (transposed ? i : j)];
    const bool above = row < column;
    if (above && !pattern_.newton && row_offset == column_offset) return;
    from[panels_.slot(row, column) + (above && pattern_.newton ? panels_.entries : 0)] = k;
  });
  Entries entries;
  for (std::size_t to = 0; to < from.size(); ++to) {
    if (from[to] < 0) continue;
    entries.to.push_back(static_cast<int>(to));
    entries.from.push_back(from[to]);
  }
  return entries;
}

void BlockFactors::find_parts() {
  const auto before = [](const Entries& entries, int slot) {
    return std::lower_bound(entries.to.begin(), entries.to.end(), slot) - entries.to.begin();
  };
  int slots = 0;
  for (int p = 0, end = static_cast<int>(panels_.panel.size()); p < end; ++p) {
    const int* target = panels_.target.data();
    const int first = panels_.panel[p].target;
    const int last = p + 1 < end ? panels_.panel[p + 1].target : static_cast<int>(panels_.target.size());
    for (int k = first; k < last; ++k) slots = std::max(slots, target[k] + 2);  // two lanes may share a target
    slots = std::min(slots, panels_.entries);
    if ((p + 1) % panels_per_part != 0 && p + 1 < end) continue;
    slots = p + 1 < end ? std::max(slots, panels_.panel[p + 1].values) : panels_.entries;
    parts_.push_back(
        {p + 1, slots, before(to_.h, slots), before(to_.g, slots), before(to_.c, slots), before(to_.d, slots)});
  }
}

bool BlockFactors::factorize(const BlockValues& v, const double* row_compliance, Pivots pivots) {
  if (counts().symbolic_analyses == 0) counts().symbolic_analyses = 1;
  if (fallback_.left > 0) --fallback_.left;
  fallback_.active = false;
  if (pivots == Pivots::chosen || fallback_.left > 0 || !panels_.complete) return fall_back(v, row_compliance, pivots);
  pivots_.smallest = pattern_.newton ? eliminate_newton(v, row_compliance) : eliminate_symmetric(v, row_compliance);
  if (!good_pivots(v, row_compliance)) {
    fallback_.left = matrices_on_klu;
    return fall_back(v, row_compliance, Pivots::chosen);
  }
  counts().factor_entries = panels_.entries * (pattern_.newton ? 2L : 1L);
  return true;
}

bool BlockFactors::fall_back(const BlockValues& v, const double* row_compliance, Pivots pivots) {
  if (fallback_.klu == nullptr) {
    fallback_.klu = find_linear_solver("klu").make(pattern_);
    fallback_.klu->count_in(counts());
    if (panels_.complete) ++counts().pivot_refreshes;
  }
  fallback_.active = true;
  BlockValues values = v;
  values.same_top_left = false;  // KLU does not get every matrix
  return fallback_.klu->factorize(values, row_compliance, pivots);
}

double BlockFactors::eliminate_symmetric(const BlockValues& v, const double* row_compliance) {
  double *a = values_.data(), smallest = HUGE_VAL;
  Part done{0, 0, 0, 0, 0, 0};
  for (const Part& part : parts_) {
    std::fill(a + done.slots, a + part.slots, 0.0);
    to_.h.put(done.h, part.h, v.top_left, a);
    to_.g.put(done.g, part.g, v.jacobian, a);
    to_.c.subtract(done.c, part.c, v.compliance, a);
    to_.d.subtract(done.d, part.d, row_compliance, a);
    const double found = loops_.eliminate_symmetric(panels_, done.panels, part.panels, weight_.data(), a, w_.data());
    smallest = std::min(smallest, found);
    done = part;
  }
  return smallest;
}

double BlockFactors::eliminate_newton(const BlockValues& v, const double* row_compliance) {
  double* a = values_.data();
  std::fill(values_.begin(), values_.end(), 0.0);
  to_.h.put(0, to_.h.size(), v.top_left, a);
  to_.g.put(0, to_.g.size(), v.jacobian, a);
  to_.b.put(0, to_.b.size(), v.bottom_left, a);
  to_.c.subtract(0, to_.c.size(), v.compliance, a);
  to_.d.subtract(0, m_, row_compliance, a);
  return loops_.eliminate(panels_, 0, static_cast<int>(panels_.panel.size()), weight_.data(), a, w_.data());
}

/// Calls use(place, |pivot x weight|) for every pivot.
template <class Use>
void BlockFactors::for_each_pivot(Use&& use) const {
  panels_.for_each_pivot([&](int place, int slot) { use(place, std::abs(weight_[place] / values_[slot])); });
}

bool BlockFactors::good_pivots(const BlockValues& v, const double* row_compliance) {
  stored_.present = ++pivots_.since_check >= matrices_per_check;
  const bool doubtful = !(pivots_.smallest > doubtful_pivot) && pivots_.since_check >= matrices_per_scale;
  if (stored_.present || doubtful || !(pivots_.smallest > bad_pivot)) {
    pivots_.since_check = 0;
    rescale(v, row_compliance);
    double smallest = HUGE_VAL, not_finite = 0.0;
    for_each_pivot([&](int, double size) {
      smallest = size < smallest ? size : smallest;
      not_finite += 0.0 * size;
    });
    pivots_.smallest = not_finite == 0.0 ? smallest : 0.0;
  }
  stored_.present = stored_.present || !(pivots_.smallest > doubtful_pivot);
  if (!(pivots_.smallest > bad_pivot)) return false;
  if (stored_.present) store_values(v, row_compliance);
  return true;
}

void BlockFactors::rescale(const BlockValues& v, const double* row_compliance) {
  scales_.compute(pattern_, v, row_compliance);
  const int* place = panels_.order.place.data();
  for (int j = 0; j < n_; ++j) weight_[place[j]] = scales_.top()[j] * scales_.top()[j];
  for (int i = 0; i < m_; ++i) weight_[place[n_ + i]] = scales_.left()[i] * scales_.right()[i];
  pivots_.reference = -1;
}

void BlockFactors::store_values(const BlockValues& v, const double* row_compliance) {
  const auto store = [](const double* values, SignedVector<double>& to) {
    if (values != nullptr) std::copy(values, values + to.size(), to.data());
    if (values == nullptr) std::fill(to.begin(), to.end(), 0.0);
  };
  store(v.top_left, stored_.h);
  store(v.jacobian, stored_.g);
  store(v.bottom_left, stored_.b);
  store(v.compliance, stored_.c);
  store(row_compliance, stored_.row_compliance);
}

BlockValues BlockFactors::stored_values() const {
  return {stored_.h.data(), stored_.g.data(), pattern_.newton ? stored_.b.data() : nullptr,
          stored_.c.empty() ? nullptr : stored_.c.data()};
}

/// For most matrices the smallest pivot is large enough for all rows together.
bool BlockFactors::certainly_regular(double least, const RowReference& reference) {
  if (fallback_.active) return fallback_.klu->certainly_regular(least, reference);
  const double root = std::sqrt(least);
  if (!(pivots_.smallest > root)) return false;
  if (reference.square == nullptr) return true;
  const auto excess = [&](int place) {
    const int unknown = panels_.order.unknown[place];
    return unknown < n_ ? 0.0 : reference.square[unknown - n_] * weight_[place];
  };
  if (pivots_.reference != reference.version) {
    pivots_.reference = reference.version;
    pivots_.excess = 0.0;
    for (int place = 0; place < n_ + m_; ++place) pivots_.excess = std::max(pivots_.excess, excess(place));
  }
  if (pivots_.smallest > root * pivots_.excess) return true;
  bool above = true;
  for_each_pivot([&](int place, double size) { above = above && size > root * excess(place); });
  return above;
}

int BlockFactors::count_pivots_below(double relative) const {
  if (fallback_.active) return fallback_.klu->count_pivots_below(relative);
  double largest = 0.0;
  for_each_pivot([&](int, double size) { largest = std::max(largest, size); });
  int count = 0;
  for_each_pivot([&](int, double size) { count += size < relative * largest ? 1 : 0; });
  return count;
}

void BlockFactors::substitute(double* x) {
  loops_.solve(panels_, values_.data(), values_.data() + (pattern_.newton ? panels_.entries : 0), x);
}

void BlockFactors::solve(double* top, double* bottom) {
  if (fallback_.active) return fallback_.klu->solve(top, bottom);
  double* x = x_.data();
  const int *place = panels_.order.place.data(), *rows = place + n_;
  for (int j = 0; j < n_; ++j) x[place[j]] = top[j];
  for (int i = 0; i < m_; ++i) x[rows[i]] = bottom[i];
  if (stored_.present) std::copy(x, x + n_ + m_, rhs_.data());
  substitute(x);
  if (stored_.present && !refine(rhs_.data(), x)) {
    fallback_.left = matrices_on_klu;
    if (fall_back(stored_values(), stored_.row_compliance.data(), Pivots::chosen))
      return fallback_.klu->solve(top, bottom);
    fallback_.active = false;
  }
  for (int j = 0; j < n_; ++j) top[j] = x[place[j]];
  for (int i = 0; i < m_; ++i) bottom[i] = x[rows[i]];
}

/// Computes r = rhs - K x and returns its size relative to rhs and x, in scaled units.
double BlockFactors::residual(const double* rhs, const double* x, double* r) const {
  const int *place = panels_.order.place.data(), *rows = place + n_;
  std::copy(rhs, rhs + n_ + m_, r);
  pattern_.top_left.for_each_entry([&](int i, int j, int k) { r[place[i]] -= stored_.h[k] * x[place[j]]; });
  pattern_.jacobian.for_each_entry([&](int i, int j, int k) { r[place[j]] -= stored_.g[k] * x[rows[i]]; });
  const SparsePattern& left = pattern_.newton ? pattern_.bottom_left : pattern_.jacobian;
  const double* b = pattern_.newton ? stored_.b.data() : stored_.g.data();
  left.for_each_entry([&](int i, int j, int k) { r[rows[i]] -= b[k] * x[place[j]]; });
  pattern_.compliance.for_each_entry([&](int i, int j, int k) { r[rows[i]] += stored_.c[k] * x[rows[j]]; });
  for (int i = 0; i < m_; ++i) r[rows[i]] += stored_.row_compliance[i] * x[rows[i]];
  double size = 0.0, scale_of_rhs = 0.0, scale_of_x = 0.0;
  const auto add_size = [&](int k, double row, double column) {
    size = std::max(size, std::abs(row * r[k]));
    scale_of_rhs = std::max(scale_of_rhs, std::abs(row * rhs[k]));
    scale_of_x = std::max(scale_of_x, std::abs(x[k] / column));
  };
  for (int j = 0; j < n_; ++j) add_size(place[j], scales_.top()[j], scales_.top()[j]);
  for (int i = 0; i < m_; ++i) add_size(rows[i], scales_.left()[i], scales_.right()[i]);
  const double scale = scale_of_rhs + scale_of_x;
  return scale > 0.0 ? size / scale : 0.0;
}

/// Refines x in at most two steps. Returns false if the pivots are not good enough.
bool BlockFactors::refine(const double* rhs, double* x) {
  for (int step = 0; step < 2; ++step) {
    if (!(residual(rhs, x, r_.data()) > wrong_residual)) return true;  // NaN: refinement does not help
    ++counts().refinements;
    substitute(r_.data());
    for (int k = 0; k < n_ + m_; ++k) x[k] += r_[k];
  }
  return !(residual(rhs, x, r_.data()) > wrong_residual);
}

std::string BlockFactors::description() const {
  if (!panels_.complete)
    return "block, no order of bodies and joints that does not fill up: " + fallback_.description();
  std::size_t panels = 0;
  for (const Panels::Panel& p : panels_.panel) panels += static_cast<std::size_t>(p.lanes);
  const std::string what = "block, " + std::to_string(panels) + " panels, ";
  if (fallback_.active) return what + "pivots chosen by " + fallback_.description();
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
