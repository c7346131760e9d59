#include <klu.h>

#include <algorithm>
#include <cmath>

#include <sunlagrange/setting.hpp>
#include <sunlagrange/status.hpp>

#include "linear_solver/block_scales.hpp"
#include "linear_solver/weakest_direction.hpp"

namespace sunlagrange {
namespace {

constexpr double lost_pivot = 1e-13;      // smallest over largest pivot of the equilibrated matrix: rank is lost
constexpr double suspicious_drop = 1e-2;  // frozen pivots: pivot ratio against that of the last full factorisation
constexpr int check_every = 16;           // residual check of every so many refactorisations
constexpr double bad_residual = 1e-10;
constexpr double newton_delta = 1e-10;  // of a singular Newton matrix, relative to the lumped Schur diagonal
constexpr int most_proximal_steps = 5;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The whole matrix [H G^T; B -C], equilibrated once by BlockScales, in one KLU factorisation: klu_analyze once, then
/// klu_refactor with frozen pivots, and klu_factor again when these have gone bad. The (2,2) diagonal is always part of
/// the pattern.
///
/// Lost rank (a zero or tiny pivot): strict reports it; otherwise C = delta from then on. With minimum_norm, proximal
/// steps x <- x + K_delta^-1 (b - K_0 x) remove the error of delta: accelerations become exact and the multipliers,
/// kept in the range of G because they start from zero, the ones of smallest Euclidean norm.
class KluSolver final : public LinearSolver {
 public:
  KluSolver(const BlockPattern& pattern, const LinearSolverOptions& options);
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;
  ~KluSolver() override;

  LinearOutcome factorize(const BlockValues& values) override;
  LinearOutcome solve(double* top, double* bottom) override;
  int rank() const override;
  WeakestMode weakest_mode() override;
  std::string description() const override;

 private:
  void make_matrix();
  void equilibrate(const BlockValues& values);
  void assemble(const BlockValues& values);
  bool numeric(bool fresh);
  double pivot_ratio() const;
  void activate_delta(const BlockValues& values);
  LinearOutcome lost(const BlockValues& values);
  void solve_factored(double* x);
  double residual(const double* b, const double* x, double* r, bool with_delta) const;
  void load(const double* top, const double* bottom, double* x) const;
  bool check_and_repair(double* x);
  void proximal_steps(double* x);

  BlockPattern pattern_;
  LinearSolverOptions options_;
  int n_, m_, size_;
  bool newton_ = false;

  std::vector<int> column_start_, row_index_;                                             // the whole matrix
  std::vector<int> top_slot_, right_slot_, left_slot_, compliance_slot_, diagonal_slot_;  // block entry -> matrix entry
  std::vector<double> top_scale_, right_scale_, left_scale_, compliance_scale_;           // of these entries
  std::vector<double> matrix_;
  std::vector<double> row_scale_, column_scale_;
  BlockScales scales_;
  bool equilibrated_ = false;
  bool bottom_right_used_ = false;  // the (2,2) block of matrix_ may differ from zero

  std::vector<double> delta_;  // per row of the (2,2) block, in equilibrated units; empty while not in use
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double ratio_ = 1.0;            // of the pivots: smallest over largest, now
  double reference_ratio_ = 1.0;  // and at the last full factorisation
  int since_check_ = 0;
  bool check_pending_ = false;
  LinearOutcome outcome_ = LinearOutcome::singular;
  std::vector<double> x_, b_, r_;
  std::vector<double> mode_;
};

KluSolver::KluSolver(const BlockPattern& pattern, const LinearSolverOptions& options)
    : pattern_(pattern),
      options_(options),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      size_(n_ + m_),
      scales_(pattern),
      mode_(at(m_)) {
  make_matrix();
  klu_defaults(&common_);
  common_.scale = -1;  // equilibrated here, once; 0 would check the pattern again in every refactorisation
  common_.btf = 0;     // a saddle-point matrix of a connected mechanism is one block
  symbolic_ = klu_analyze(size_, column_start_.data(), row_index_.data(), &common_);
  if (symbolic_ == nullptr) throw Error("klu: the symbolic analysis failed, status " + std::to_string(common_.status));
  ++counts_.symbolic_analyses;
  for (auto* v : {&x_, &b_, &r_}) v->resize(at(size_));
  fill_start_vector(mode_);
}

KluSolver::~KluSolver() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

/// Column by column: [H(:,j); B(:,j)], then [G(i,:)^T; -C(:,i)] with the diagonal of C always present.
void KluSolver::make_matrix() {
  struct Entry {
    int row, column;
    std::vector<int>* map;
    int source;
  };
  std::vector<Entry> entries;
  const auto add_block = [&entries](const SparsePattern& p, int row0, int column0, bool transposed,
                                    std::vector<int>& map) {
    map.assign(at(p.nonzeros()), -1);
    for (int j = 0; j < p.columns; ++j) {
      for (int k = p.column_start[at(j)]; k < p.column_start[at(j) + 1]; ++k) {
        const int i = p.row_index[at(k)];
        entries.push_back(transposed ? Entry{row0 + j, column0 + i, &map, k} : Entry{row0 + i, column0 + j, &map, k});
      }
    }
  };
  add_block(pattern_.top_left, 0, 0, false, top_slot_);
  add_block(pattern_.bottom_left, n_, 0, false, left_slot_);
  add_block(pattern_.jacobian, 0, n_, true, right_slot_);
  if (pattern_.compliance.nonzeros() > 0) add_block(pattern_.compliance, n_, n_, false, compliance_slot_);
  diagonal_slot_.assign(at(m_), -1);
  for (int i = 0; i < m_; ++i) entries.push_back({n_ + i, n_ + i, &diagonal_slot_, i});
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.column != b.column ? a.column < b.column : a.row < b.row; });
  column_start_.assign(at(size_) + 1, 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const bool repeated = e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column;
    if (!repeated) {
      row_index_.push_back(entries[e].row);
      ++column_start_[at(entries[e].column) + 1];
    }
    (*entries[e].map)[at(entries[e].source)] = static_cast<int>(row_index_.size()) - 1;
  }
  for (std::size_t j = 0; j < at(size_); ++j) column_start_[j + 1] += column_start_[j];
  matrix_.assign(row_index_.size(), 0.0);
}

/// Fixes row and column scales from the present values, so that assembly is one product an entry.
void KluSolver::equilibrate(const BlockValues& values) {
  scales_.compute(pattern_, values);
  row_scale_ = scales_.top();
  column_scale_ = scales_.top();
  row_scale_.insert(row_scale_.end(), scales_.left().begin(), scales_.left().end());
  column_scale_.insert(column_scale_.end(), scales_.right().begin(), scales_.right().end());
  const auto fill = [](const SparsePattern& p, const double* row, const double* column, bool transposed, double sign,
                       std::vector<double>& scale) {
    scale.resize(at(p.nonzeros()));
    for (int j = 0; j < p.columns; ++j) {
      for (int k = p.column_start[at(j)]; k < p.column_start[at(j) + 1]; ++k) {
        const int i = p.row_index[at(k)];
        scale[at(k)] = sign * (transposed ? row[j] * column[i] : row[i] * column[j]);
      }
    }
  };
  fill(pattern_.top_left, row_scale_.data(), column_scale_.data(), false, 1.0, top_scale_);
  fill(pattern_.bottom_left, row_scale_.data() + n_, column_scale_.data(), false, 1.0, left_scale_);
  fill(pattern_.jacobian, row_scale_.data(), column_scale_.data() + n_, true, 1.0, right_scale_);
  fill(pattern_.compliance, row_scale_.data() + n_, column_scale_.data() + n_, false, -1.0, compliance_scale_);
  equilibrated_ = true;
}

void KluSolver::assemble(const BlockValues& v) {
  double* a = matrix_.data();
  if (!v.same_top_left) {
    for (std::size_t k = 0; k < top_slot_.size(); ++k) a[top_slot_[k]] = top_scale_[k] * v.top_left[k];
  }
  if (newton_) {
    for (std::size_t k = 0; k < left_slot_.size(); ++k) a[left_slot_[k]] = left_scale_[k] * v.bottom_left[k];
    for (std::size_t k = 0; k < right_slot_.size(); ++k) a[right_slot_[k]] = right_scale_[k] * v.jacobian[k];
  } else {  // B = G with the same scales
    for (std::size_t k = 0; k < right_slot_.size(); ++k) {
      a[left_slot_[k]] = a[right_slot_[k]] = right_scale_[k] * v.jacobian[k];
    }
  }
  if (v.compliance == nullptr && delta_.empty() && !bottom_right_used_) return;
  bottom_right_used_ = true;
  for (const int slot : diagonal_slot_) a[slot] = 0.0;
  if (v.compliance != nullptr) {
    for (std::size_t k = 0; k < compliance_slot_.size(); ++k)
      a[compliance_slot_[k]] = compliance_scale_[k] * v.compliance[k];
  }
  for (std::size_t i = 0; i < delta_.size(); ++i) a[diagonal_slot_[i]] -= delta_[i];
}

/// False: a pivot is exactly zero.
bool KluSolver::numeric(bool fresh) {
  if (numeric_ != nullptr && !fresh) {
    if (klu_refactor(column_start_.data(), row_index_.data(), matrix_.data(), symbolic_, numeric_, &common_) != 0 &&
        (ratio_ = pivot_ratio()) > lost_pivot) {
      return true;
    }
    ++counts_.pivot_refreshes;  // frozen pivots do not fit any more: choose them again
  }
  klu_free_numeric(&numeric_, &common_);
  numeric_ = klu_factor(column_start_.data(), row_index_.data(), matrix_.data(), symbolic_, &common_);
  since_check_ = 0;
  if (numeric_ == nullptr) return false;
  reference_ratio_ = ratio_ = pivot_ratio();
  return true;
}

/// Smallest over largest |pivot|; 0 if one is zero or not finite. Several lanes, because it runs at every
/// factorisation.
double KluSolver::pivot_ratio() const {
  constexpr int lanes = 4;
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  const double first = std::abs(pivots[0]);
  double smallest[lanes] = {first, first, first, first};
  double largest[lanes] = {first, first, first, first};
  double finite[lanes] = {};  // stays zero unless a pivot is infinite or NaN
  const auto look = [&](int i, int k) {
    const double pivot = std::abs(pivots[i]);
    smallest[k] = pivot < smallest[k] ? pivot : smallest[k];
    largest[k] = pivot > largest[k] ? pivot : largest[k];
    finite[k] += 0.0 * pivot;
  };
  int i = 0;
  for (; i + lanes <= size_; i += lanes) {
    for (int k = 0; k < lanes; ++k) look(i + k, k);
  }
  for (; i < size_; ++i) look(i, 0);
  for (int k = 1; k < lanes; ++k) {
    smallest[0] = std::min(smallest[0], smallest[k]);
    largest[0] = std::max(largest[0], largest[k]);
    finite[0] += finite[k];
  }
  return finite[0] == 0.0 && smallest[0] > 0.0 ? smallest[0] / largest[0] : 0.0;
}

/// delta: uniform for the multipliers themselves, so that proximal steps end at the smallest Euclidean norm.
void KluSolver::activate_delta(const BlockValues& values) {
  scales_.compute(pattern_, values);
  const std::vector<double>& schur = scales_.schur_diagonal();
  const double largest = m_ > 0 ? *std::max_element(schur.begin(), schur.end()) : 0.0;
  delta_.resize(at(m_));
  for (std::size_t i = 0; i < at(m_); ++i) {
    const double scale = row_scale_[at(n_) + i] * column_scale_[at(n_) + i];
    if (newton_)
      delta_[i] = newton_delta;
    else if (options_.rank_policy == RankPolicy::regularized)
      delta_[i] = options_.regularization * schur[i] * scale;
    else
      delta_[i] = options_.regularization * largest * scale;
  }
}

LinearOutcome KluSolver::lost(const BlockValues& values) {
  for (const double x : matrix_) {
    if (!std::isfinite(x)) return LinearOutcome::not_finite;
  }
  ++counts_.rank_events;
  if (!delta_.empty()) return LinearOutcome::singular;
  activate_delta(values);
  assemble(values);
  const bool regular = numeric(true) && ratio_ > lost_pivot * 1e-3;
  if (options_.rank_policy != RankPolicy::strict) return regular ? LinearOutcome::ok : LinearOutcome::singular;
  delta_.clear();
  klu_free_numeric(&numeric_, &common_);
  return regular ? LinearOutcome::rank_loss : LinearOutcome::singular;
}

LinearOutcome KluSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  newton_ = values.bottom_left != nullptr;
  if (!equilibrated_) {
    equilibrate(values);
    if (options_.rank_policy == RankPolicy::regularized && !newton_) activate_delta(values);
  }
  assemble(values);
  if (!delta_.empty()) ++counts_.rank_events;
  const bool factored = numeric(false);
  if (!factored || (ratio_ < lost_pivot && delta_.empty())) {
    outcome_ = lost(values);
    return outcome_;
  }
  check_pending_ = ratio_ < suspicious_drop * reference_ratio_ || ++since_check_ % check_every == 0;
  outcome_ = LinearOutcome::ok;
  return outcome_;
}

void KluSolver::solve_factored(double* x) {
  klu_solve(symbolic_, numeric_, size_, 1, x, &common_);
}

/// r = b - A x in equilibrated units, without delta if asked; returns max|r| / (max|A| max|x| + max|b|) roughly.
double KluSolver::residual(const double* b, const double* x, double* r, bool with_delta) const {
  double largest_b = 0.0;
  double largest_product = 0.0;
  for (int i = 0; i < size_; ++i) {
    r[i] = b[i];
    largest_b = std::max(largest_b, std::abs(b[i]));
  }
  for (int j = 0; j < size_; ++j) {
    for (int k = column_start_[at(j)]; k < column_start_[at(j) + 1]; ++k) {
      const double product = matrix_[at(k)] * x[j];
      r[row_index_[at(k)]] -= product;
      largest_product = std::max(largest_product, std::abs(product));
    }
  }
  if (!with_delta) {
    for (std::size_t i = 0; i < delta_.size(); ++i) r[at(n_) + i] -= delta_[i] * x[at(n_) + i];
  }
  double worst = 0.0;
  for (int i = 0; i < size_; ++i) worst = std::max(worst, std::abs(r[i]));
  const double scale = largest_b + largest_product;
  return scale > 0.0 ? worst / scale : worst;
}

/// Frozen pivots: one refinement step, then a full factorisation if that was not enough. False: beyond repair.
bool KluSolver::check_and_repair(double* x) {
  check_pending_ = false;
  if (residual(b_.data(), x, r_.data(), true) <= bad_residual) return true;
  solve_factored(r_.data());
  for (int i = 0; i < size_; ++i) x[i] += r_[at(i)];
  ++counts_.refinements;
  if (residual(b_.data(), x, r_.data(), true) <= bad_residual) return true;
  ++counts_.pivot_refreshes;
  if (!numeric(true)) return false;
  std::copy(b_.begin(), b_.end(), x);
  solve_factored(x);
  return true;
}

void KluSolver::proximal_steps(double* x) {
  double previous = 1e300;
  for (int step = 0; step < most_proximal_steps; ++step) {
    residual(b_.data(), x, r_.data(), false);
    solve_factored(r_.data());
    double change = 0.0;
    double size = 0.0;
    for (int i = 0; i < n_; ++i) {
      change = std::max(change, std::abs(r_[at(i)]));
      size = std::max(size, std::abs(x[i]));
    }
    for (int i = 0; i < size_; ++i) x[i] += r_[at(i)];
    ++counts_.refinements;
    if (change <= 1e-14 * size || change > 0.5 * previous) break;
    previous = change;
  }
}

void KluSolver::load(const double* top, const double* bottom, double* x) const {
  for (int i = 0; i < n_; ++i) x[i] = row_scale_[at(i)] * top[i];
  for (int i = 0; i < m_; ++i) x[n_ + i] = row_scale_[at(n_ + i)] * bottom[i];
}

LinearOutcome KluSolver::solve(double* top, double* bottom) {
  if (outcome_ != LinearOutcome::ok) return outcome_;
  ++counts_.solves;
  double* x = x_.data();
  load(top, bottom, x);
  const bool proximal = !delta_.empty() && !newton_ && options_.rank_policy == RankPolicy::minimum_norm;
  if (check_pending_ || proximal) std::copy(x_.begin(), x_.end(), b_.begin());
  solve_factored(x);
  if (check_pending_ && !check_and_repair(x)) return outcome_ = LinearOutcome::singular;
  if (proximal) proximal_steps(x);
  double sum = 0.0;
  for (int i = 0; i < n_; ++i) sum += top[i] = column_scale_[at(i)] * x[i];
  for (int i = 0; i < m_; ++i) sum += bottom[i] = column_scale_[at(n_ + i)] * x[n_ + i];
  return std::isfinite(sum) ? LinearOutcome::ok : LinearOutcome::not_finite;
}

/// Pivots as small as delta belong to lost directions.
int KluSolver::rank() const {
  if (delta_.empty() || numeric_ == nullptr) return m_;
  const double limit = 1e3 * *std::max_element(delta_.begin(), delta_.end());
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  const auto small = std::count_if(pivots, pivots + size_, [limit](double u) { return std::abs(u) < limit; });
  return std::max(0, m_ - static_cast<int>(small));
}

/// Inverse iteration on the equilibrated Schur complement (unit diagonal for lumped masses): K (., y) = (0, -u) gives
/// y = S^-1 u. The start vector is that of the last call, which makes two steps enough along a path.
WeakestMode KluSolver::weakest_mode() {
  if (m_ == 0 || numeric_ == nullptr || outcome_ != LinearOutcome::ok) return {};
  const double inverse = power_iteration(mode_, 3, 1e-2, [this](double* u) {
    std::fill(x_.begin(), x_.begin() + n_, 0.0);
    for (int i = 0; i < m_; ++i) x_[at(n_ + i)] = -u[i];
    solve_factored(x_.data());
    for (int i = 0; i < m_; ++i) u[i] = x_[at(n_ + i)];
  });
  double delta = 0.0;
  for (const double d : delta_) delta = std::max(delta, d);
  WeakestMode mode;
  mode.value = std::isfinite(inverse) && inverse > 0.0 ? std::min(1.0, std::max(0.0, 1.0 / inverse - delta)) : 0.0;
  mode.row = largest_entry(mode_);
  if (!std::isfinite(inverse)) fill_start_vector(mode_);
  return mode;
}

std::string KluSolver::description() const {
  if (delta_.empty()) return "klu of the whole matrix";
  if (newton_) return "klu of the whole matrix with delta " + text(newton_delta);
  return options_.rank_policy == RankPolicy::regularized
             ? "klu of the whole matrix, regularized by delta " + text(options_.regularization)
             : "klu of the whole matrix, minimum norm by delta " + text(options_.regularization) +
                   " and proximal steps";
}

}  // namespace

std::unique_ptr<LinearSolver> make_klu(const BlockPattern& pattern, const LinearSolverOptions& options) {
  return std::make_unique<KluSolver>(pattern, options);
}

}  // namespace sunlagrange
