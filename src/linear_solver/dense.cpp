#include <algorithm>
#include <cmath>
#include <type_traits>

#include <sunlagrange/base/status.hpp>

#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/block_scales.hpp"
#include "linear_solver/geometric_rank.hpp"
#include "linear_solver/thresholds.hpp"
#include "linear_solver/weakest_direction.hpp"

namespace sunlagrange::internal {

namespace {

using namespace kernels;

constexpr double size_of_dense_threshold =
    40.0;  // from this m on the threshold falls as 1/m^2, as do the eigenvalues of chains
constexpr double soft_threshold = 1e-14;  // rank threshold if every row has compliance: S >= C is regular by design
constexpr double comparable = 1e3;        // eigenvalues of D S D and of the geometry this near mean the same direction
// of M: LDL^T without exchanges may meet the small pivot of a singular M before the last one, where it is larger, and
// what follows is rounding over that pivot; lending costs little and changes no solution
constexpr double doubtful_mass_pivot = 1e-7;
constexpr double lost_newton_pivot = 1e-10;  // of a Newton matrix: redundant rows off the constraints leave about 1e-12

/// Saddle-point systems by two Cholesky factorisations,
///
///     M = L E L^T,   Z = G L^-T  (m x n),   S = Z E^-1 Z^T + C = K F K^T,
///     S lambda = Z E^-1 L^-1 f - b,   L^T a = E^-1 (L^-1 f - Z^T lambda).
///
/// Rank decisions concern D S D, D = diag(largest S_ii met so far)^-1/2, so that a row whose gradient shrinks to
/// nothing, as in the folded two-link arm, is seen as lost; under the strict policy, which asks whether the plain
/// inverse can be trusted, D = diag(S)^-1/2 equilibrates. Where more is weak than the geometry of the constraints
/// explains (GeometricRank), masses lie far apart: the whole matrix is factorised by LU with pivoting then, and only
/// what the geometry has lost counts. Weak directions, columns of Q orthonormal, border the whole matrix:
///
///     [ M   G^T  0 ] [ a      ]   [ f ]
///     [ G   0    Q ] [ lambda ] = [ b ]      c = 0 first; then, for directions that are not lost altogether,
///     [ 0   Q^T  0 ] [ s      ]   [ c ]      c = w(x) times the c for which s = 0
///
/// so that lambda is the smallest and a leaves the smallest Euclidean norm of G a - b: the papers' generalised inverse,
/// with accelerations and multipliers that do not jump where a direction is lost.
///
/// If M is not positive definite and C = 0, the constraints lend their mass: M' = M + G^T W G, f' = f + G^T W b with
/// w_i = 1 / (sum_j G_ij^2 / mu_j) has the same solution (a, lambda) and the same rank, and is positive definite if M
/// is on the null space of G. If C != 0, and for Newton systems, the whole matrix is equilibrated and factorised by LU.
class DenseSolver final : public LinearSolver {
 public:
  DenseSolver(const BlockPattern& pattern, const LinearSolverOptions& options);

  LinearOutcome factorize(const BlockValues& values) override;
  LinearOutcome solve(double* top, double* bottom) override;
  int rank() const override { return rank_; }
  WeakestMode weakest_mode(int lost) override;
  std::string description() const override;

 private:
  enum class Path { schur, bordered, whole, far_apart };

  bool regularizes() const { return options_.rank_policy == RankPolicy::regularized; }
  LinearOutcome factorize_saddle(const BlockValues& values);
  template <class SizeN, class SizeM>
  bool form_schur(SizeN n, SizeM m, double smallest_pivot);
  bool lend_mass(const BlockValues& values);
  void add_compliance(const double* compliance);
  LinearOutcome decide_rank(const BlockValues& values, bool factored);
  LinearOutcome factorize_bordered(const BlockValues& values);
  bool find_weak_multipliers();
  bool certainly_regular(double threshold);
  void decompose_schur();
  std::vector<double>& warmed(std::vector<double>& mode);
  void scaled_inverse(double* x) const;
  double schur_norm() const;
  LinearOutcome factorize_whole(const BlockValues& values);
  void assemble_whole(const BlockValues& values, double delta, int border = 0);
  bool finite(const BlockValues& values) const;

  template <class SizeN, class SizeM>
  void solve_schur(SizeN n, SizeM m, double* top, double* bottom);
  void refine(double* top, double* bottom);
  void solve_whole(double* top, double* bottom);

  BlockPattern pattern_;
  LinearSolverOptions options_;
  int n_, m_;
  Path path_ = Path::schur;
  LinearOutcome outcome_ = LinearOutcome::singular;
  int rank_ = 0;
  double threshold_;   // rank threshold for this m
  bool lent_ = false;  // M' = M + G^T W G is in use
  bool soft_ = false;  // every row has compliance
  bool acted_ = false;
  const char* used_ = "not used yet";

  std::vector<double> mass_, jacobian_, compliance_;    // copies: for M', refinement
  std::vector<double> l_, l_diagonal_, l_inverse_, z_;  // L, diag M, E^-1, Z
  std::vector<double> s_, s_diagonal_, k_, k_inverse_;  // S, diag S, K, F^-1
  std::vector<double> row_scale_, s_root_;              // D^-2, D^-1
  std::vector<double> whole_, whole_x_;                 // LU of the equilibrated whole matrix, bordered or not
  std::vector<int> whole_pivot_;
  int border_ = 0, free_ = 0;               // weak directions; the first `free_` of them are lost altogether
  std::vector<double> responses_, s_of_c_;  // solutions for unit c of the others, and their s, factorised
  std::vector<int> s_pivot_;
  std::vector<double> lent_weight_, f_, b_, top_, bottom_, u_;
  BlockScales scales_;
  Eigen::VectorXd first_top_;             // column scales of the first matrix
  std::vector<double> mode_, strongest_;  // weakest and strongest direction of the last call: start of the next
  WeakDirections schur_directions_;
  GeometricRank geometry_;
  WeakDirections* weak_ = nullptr;  // those of the two that tell the lost directions; null: none asked
};

DenseSolver::DenseSolver(const BlockPattern& pattern, const LinearSolverOptions& options)
    : pattern_(pattern),
      options_(options),
      n_(pattern.top_left.rows),
      m_(pattern.jacobian.rows),
      threshold_(options.rank_threshold *
                 std::min(1.0, (size_of_dense_threshold / m_) * (size_of_dense_threshold / m_))),
      scales_(pattern),
      schur_directions_(m_),
      geometry_(m_, n_) {
  for (const SparsePattern* p : {&pattern.top_left, &pattern.jacobian, &pattern.bottom_left, &pattern.compliance}) {
    if (p->nonzeros() > 0 && !p->is_dense()) throw Error("the dense linear solver needs full patterns");
  }
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* v : {&mass_, &l_}) v->resize(n * n);
  for (auto* v : {&jacobian_, &z_}) v->resize(m * n);
  for (auto* v : {&compliance_, &s_, &k_}) v->resize(m * m);
  for (auto* v : {&l_diagonal_, &l_inverse_, &f_, &top_}) v->resize(n);
  for (auto* v : {&s_diagonal_, &row_scale_, &k_inverse_, &s_root_, &b_, &bottom_, &u_, &lent_weight_}) v->resize(m);
  mode_.assign(m, NAN);
  strongest_.assign(m, 0.0);
  const std::size_t most = n + 2 * m;
  whole_.resize(most * most);
  whole_x_.resize(most);
  whole_pivot_.resize(most);
  responses_.resize(most * m);
  s_of_c_.resize(m * m);
  s_pivot_.resize(m);
}

LinearOutcome DenseSolver::factorize(const BlockValues& values) {
  ++counts_.factorizations;
  acted_ = lent_ = false;
  border_ = free_ = 0;
  weak_ = nullptr;
  rank_ = m_;
  outcome_ = values.bottom_left != nullptr ? factorize_whole(values) : factorize_saddle(values);
  if (acted_) ++counts_.rank_events;
  if (outcome_ != LinearOutcome::ok && !finite(values)) outcome_ = LinearOutcome::not_finite;
  return outcome_;
}

bool DenseSolver::finite(const BlockValues& v) const {
  return all_finite(v.top_left, n_ * n_) && all_finite(v.jacobian, m_ * n_) &&
         (v.bottom_left == nullptr || all_finite(v.bottom_left, m_ * n_)) &&
         (v.compliance == nullptr || all_finite(v.compliance, m_ * m_));
}

LinearOutcome DenseSolver::factorize_saddle(const BlockValues& v) {
  const double* compliance = pattern_.compliance.nonzeros() > 0 ? v.compliance : nullptr;
  const bool compliant = compliance != nullptr && largest(compliance, m_ * m_) > 0.0;
  std::copy(v.top_left, v.top_left + n_ * n_, l_.data());
  std::copy(v.jacobian, v.jacobian + m_ * n_, z_.data());
  if (regularizes()) std::copy(v.jacobian, v.jacobian + m_ * n_, jacobian_.data());
  if (regularizes()) std::copy(v.top_left, v.top_left + n_ * n_, mass_.data());
  using Two = std::integral_constant<int, 2>;
  const bool definite =
      n_ == 2 && m_ == 2 ? form_schur(Two{}, Two{}, doubtful_mass_pivot) : form_schur(n_, m_, doubtful_mass_pivot);
  if (!definite) {
    if (compliant) return factorize_whole(v);
    if (!lend_mass(v)) return LinearOutcome::singular;
  }
  soft_ = false;
  if (compliant) add_compliance(compliance);
  for (int i = 0; i < m_; ++i) s_diagonal_.data()[i] = s_.data()[i + i * m_];
  if (regularizes()) {
    const double floor = largest(s_diagonal_.data(), m_) * lost_pivot;
    for (int i = 0; i < m_; ++i) {
      const bool exact = !compliant || compliance[i + i * m_] == 0.0;
      const double delta = exact ? options_.regularization * std::max(s_diagonal_.data()[i], floor) : 0.0;
      compliance_.data()[i + i * m_] += delta;
      s_diagonal_.data()[i] = s_.data()[i + i * m_] += delta;
    }
  }
  if (!all_finite(s_diagonal_.data(), m_)) return LinearOutcome::not_finite;  // row_scale_ must not remember it
  geometry_.see(v.jacobian);
  if (first_top_.size() == 0) {
    scales_.compute(pattern_, v);
    first_top_ = scales_.top();
  }
  const bool equilibrate = options_.rank_policy == RankPolicy::strict;
  for (int i = 0; i < m_; ++i) {
    row_scale_.data()[i] = equilibrate ? s_diagonal_.data()[i] : std::max(row_scale_.data()[i], s_diagonal_.data()[i]);
  }
  std::copy(s_.begin(), s_.end(), k_.begin());
  const bool factored = factorize_ldlt(m_, k_.data(), k_inverse_.data(), s_diagonal_.data(), lost_pivot);
  return decide_rank(v, factored);
}

template <class SizeN, class SizeM>
bool DenseSolver::form_schur(SizeN n, SizeM m, double smallest_pivot) {
  for (int k = 0; k < n; ++k) l_diagonal_.data()[k] = l_.data()[k + k * n];
  if (!factorize_ldlt(n, l_.data(), l_inverse_.data(), l_diagonal_.data(), smallest_pivot)) return false;
  solve_lower_on_rows(m, n, l_.data(), z_.data());
  weighted_outer_product(m, n, z_.data(), l_inverse_.data(), s_.data());
  if (regularizes()) std::fill(compliance_.begin(), compliance_.end(), 0.0);
  return true;
}

/// M' = M + G^T W G; false if it is singular as well.
bool DenseSolver::lend_mass(const BlockValues& v) {
  lent_ = true;
  scales_.compute(pattern_, v);
  std::copy(v.top_left, v.top_left + n_ * n_, l_.data());
  std::copy(v.jacobian, v.jacobian + m_ * n_, z_.data());
  std::copy(v.jacobian, v.jacobian + m_ * n_, jacobian_.data());
  for (int i = 0; i < m_; ++i) lent_weight_.data()[i] = 1.0 / scales_.schur_diagonal().data()[i];
  for (int k = 0; k < n_; ++k) {
    for (int j = 0; j < n_; ++j) {
      double sum = 0.0;
      for (int i = 0; i < m_; ++i) sum += v.jacobian[i + j * m_] * lent_weight_.data()[i] * v.jacobian[i + k * m_];
      l_.data()[j + k * n_] += sum;
    }
  }
  return form_schur(n_, m_, lost_pivot);
}

void DenseSolver::add_compliance(const double* compliance) {
  soft_ = true;
  for (int j = 0; j < m_; ++j) {
    soft_ = soft_ && compliance[j + j * m_] > 0.0;
    for (int i = j; i < m_; ++i) s_.data()[i + j * m_] += compliance[i + j * m_];
  }
  if (regularizes()) std::copy(compliance, compliance + m_ * m_, compliance_.data());
}

LinearOutcome DenseSolver::decide_rank(const BlockValues& v, bool factored) {
  path_ = Path::schur;
  used_ = lent_ ? "dense, Cholesky of M + G^T W G and of G M^-1 G^T" : "dense, Cholesky of M and of G M^-1 G^T";
  if (regularizes()) {
    if (!factored) return LinearOutcome::singular;
    double smallest = 1.0;
    for (int i = 0; i < m_; ++i) smallest = std::min(smallest, 1.0 / (k_inverse_.data()[i] * row_scale_.data()[i]));
    acted_ = smallest < threshold_;
    used_ = "dense, regularized by delta";
    return LinearOutcome::ok;
  }
  const double threshold = soft_ ? soft_threshold : threshold_;
  if (factored && certainly_regular(threshold)) return LinearOutcome::ok;
  if (!all_finite(s_.data(), m_ * m_)) return LinearOutcome::not_finite;
  decompose_schur();
  const int weak = schur_directions_.count_below(10.0 * threshold);
  if (weak == 0 && factored) return LinearOutcome::ok;
  weak_ = &schur_directions_;
  if (pattern_.compliance.nonzeros() == 0) {  // compliance keeps rows regular that the geometry has lost
    geometry_.set(v.jacobian, first_top_);
    bool explained = true;
    for (int k = 0; k < weak; ++k) {
      explained =
          explained && geometry_.relative(k) <= comparable * std::max(schur_directions_.relative(k), lost_pivot);
    }
    if (!explained) weak_ = &geometry_.choose(threshold);
  }
  if (weak_ == &schur_directions_) schur_directions_.choose(threshold, u_.data());
  rank_ = m_ - weak_->lost();
  if (options_.rank_policy == RankPolicy::strict) {
    acted_ = rank_ < m_;
    if (acted_) return LinearOutcome::rank_loss;
  } else if (weak_->weak() > 0) {
    acted_ = true;
    return factorize_bordered(v);
  }
  const bool regular = factorize_whole(v) == LinearOutcome::ok && !acted_;  // otherwise it took a delta
  path_ = Path::far_apart;
  used_ = "dense, LU of the whole matrix: masses far apart";
  return regular ? LinearOutcome::ok : LinearOutcome::singular;
}

/// Eigenvalues of D S D; leaves D in u_.
void DenseSolver::decompose_schur() {
  double *d = u_.data(), *scaled = whole_.data();
  for (int i = 0; i < m_; ++i) {
    d[i] = row_scale_.data()[i] > 0.0 ? 1.0 / std::sqrt(row_scale_.data()[i]) : 0.0;  // a zero row is a lost direction
  }
  for (int j = 0; j < m_; ++j) {
    for (int i = j; i < m_; ++i) scaled[i + j * m_] = d[i] * s_.data()[i + j * m_] * d[j];
  }
  schur_directions_.decompose(scaled);
}

/// Whole matrix with the border, in the scales of the whole matrix: c = diag(right) c', s = s' / |right Q|.
LinearOutcome DenseSolver::factorize_bordered(const BlockValues& v) {
  path_ = Path::bordered;
  used_ = "dense, minimum norm: LU of the whole matrix bordered by the lost directions";
  border_ = weak_->weak();
  scales_.compute(pattern_, v);
  assemble_whole(v, 0.0, border_);
  const int k = border_, inner = n_ + m_, size = inner + k;
  double* a = whole_.data();
  for (int l = 0; l < k; ++l) {
    const double* q = weak_->basis(l);
    double length = 0.0;
    for (int i = 0; i < m_; ++i) length += std::pow(scales_.right()[i] * q[i], 2);
    for (int i = 0; i < m_; ++i) {
      const double entry = scales_.right()[i] * q[i] / std::sqrt(length);
      a[n_ + i + (inner + l) * size] = a[inner + l + (n_ + i) * size] = entry;
    }
  }
  if (!factorize_lu(size, a, whole_pivot_.data(), lost_pivot)) return LinearOutcome::singular;
  while (free_ < k && !(weak_->weight(free_) > 0.0)) ++free_;
  if (!find_weak_multipliers()) free_ = k;
  return LinearOutcome::ok;
}

/// Responses to unit c of the directions that are weak, not lost altogether. False: they cannot be told from lost ones.
bool DenseSolver::find_weak_multipliers() {
  const int inner = n_ + m_, size = inner + border_, weak = border_ - free_;
  for (int l = 0; l < weak; ++l) {
    double* x = responses_.data() + l * size;
    std::fill(x, x + size, 0.0);
    x[inner + free_ + l] = 1.0;
    solve_lu(size, whole_.data(), whole_pivot_.data(), x);
    for (int k = 0; k < weak; ++k) s_of_c_.data()[k + l * weak] = x[inner + free_ + k];
  }
  return weak == 0 || factorize_lu(weak, s_of_c_.data(), s_pivot_.data(), 0.0);
}

/// Two sufficient tests, cheapest first, for: smallest eigenvalue of D S D > 20 threshold x largest (at most m).
/// The first is a bound (arithmetic-geometric mean on the other m - 1 eigenvalues); the second is an estimate.
bool DenseSolver::certainly_regular(double threshold) {
  double determinant = 1.0;
  for (int i = 0; i < m_; ++i) determinant /= k_inverse_.data()[i] * row_scale_.data()[i];
  if (determinant > 55.0 * threshold * m_) return true;  // 55 > 20 e

  for (int i = 0; i < m_; ++i) s_root_.data()[i] = std::sqrt(row_scale_.data()[i]);
  fill_start_vector(u_);
  const double inverse = power_iteration(u_, 8, 0.02, [this](double* x) { scaled_inverse(x); });
  return 1.0 > 20.0 * threshold * schur_norm() * inverse;
}

/// x <- (D S D)^-1 x.
void DenseSolver::scaled_inverse(double* x) const {
  for (int i = 0; i < m_; ++i) x[i] *= s_root_.data()[i];
  solve_ldlt(m_, k_.data(), k_inverse_.data(), x);
  for (int i = 0; i < m_; ++i) x[i] *= s_root_.data()[i];
}

/// Largest row sum of |D S D|: an upper bound of its largest eigenvalue.
double DenseSolver::schur_norm() const {
  double norm = 0.0;
  for (int i = 0; i < m_; ++i) {
    double sum = 0.0;
    for (int j = 0; j < m_; ++j) sum += std::abs(s_.data()[std::max(i, j) + std::min(i, j) * m_]) / s_root_.data()[j];
    norm = std::max(norm, sum / s_root_.data()[i]);
  }
  return norm;
}

LinearOutcome DenseSolver::factorize_whole(const BlockValues& v) {
  path_ = Path::whole;
  used_ = "dense, LU of the whole matrix";
  if (!finite(v)) return LinearOutcome::not_finite;
  scales_.compute(pattern_, v);
  assemble_whole(v, 0.0);
  const bool newton = v.bottom_left != nullptr;
  const double floor = newton && options_.rank_policy != RankPolicy::strict ? lost_newton_pivot : lost_pivot;
  if (factorize_lu(n_ + m_, whole_.data(), whole_pivot_.data(), floor)) return LinearOutcome::ok;
  if (options_.rank_policy == RankPolicy::strict) return LinearOutcome::rank_loss;
  acted_ = true;
  used_ = "dense, LU of the whole matrix with delta";
  assemble_whole(v, newton_delta);
  const bool factored = factorize_lu(n_ + m_, whole_.data(), whole_pivot_.data(), lost_pivot);
  return factored ? LinearOutcome::ok : LinearOutcome::singular;
}

/// @param border  rows and columns to follow, left zero
void DenseSolver::assemble_whole(const BlockValues& v, double delta, int border) {
  const int n = n_, m = m_, size = n + m + border;
  const double *top = scales_.top().data(), *right = scales_.right().data(), *left = scales_.left().data();
  const double* b = v.bottom_left != nullptr ? v.bottom_left : v.jacobian;
  const bool compliant = v.compliance != nullptr && pattern_.compliance.nonzeros() > 0;
  double* a = whole_.data();
  if (border > 0) std::fill(a, a + size * size, 0.0);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) a[i + j * size] = top[i] * v.top_left[i + j * n] * top[j];
    for (int i = 0; i < m; ++i) {
      a[n + i + j * size] = left[i] * b[i + j * m] * top[j];
      a[j + (n + i) * size] = top[j] * v.jacobian[i + j * m] * right[i];
    }
  }
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      const double c = compliant ? left[i] * v.compliance[i + j * m] * right[j] : 0.0;
      a[n + i + (n + j) * size] = -(i == j ? c + delta : c);
    }
  }
}

LinearOutcome DenseSolver::solve(double* top, double* bottom) {
  if (outcome_ != LinearOutcome::ok) return outcome_;
  ++counts_.solves;
  using Two = std::integral_constant<int, 2>;
  if (path_ != Path::schur) {
    solve_whole(top, bottom);
  } else if (regularizes()) {
    refine(top, bottom);
  } else if (n_ == 2 && m_ == 2) {
    solve_schur(Two{}, Two{}, top, bottom);
  } else {
    solve_schur(n_, m_, top, bottom);
  }
  return all_finite(top, n_) && all_finite(bottom, m_) ? LinearOutcome::ok : LinearOutcome::not_finite;
}

template <class SizeN, class SizeM>
void DenseSolver::solve_schur(SizeN n, SizeM m, double* top, double* bottom) {
  const double* z = z_.data();
  if (lent_) {  // f' = f + G^T W b
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) top[j] += jacobian_.data()[i + j * m] * lent_weight_.data()[i] * bottom[i];
    }
  }
  solve_lower(n, l_.data(), top);
  for (int i = 0; i < m; ++i) bottom[i] = -bottom[i];
  for (int k = 0; k < n; ++k) {
    const double y = l_inverse_.data()[k] * top[k];
    for (int i = 0; i < m; ++i) bottom[i] += z[i + k * m] * y;
  }
  solve_ldlt(m, k_.data(), k_inverse_.data(), bottom);
  for (int k = 0; k < n; ++k) {
    double sum = top[k];
    for (int i = 0; i < m; ++i) sum -= z[i + k * m] * bottom[i];
    top[k] = l_inverse_.data()[k] * sum;
  }
  solve_lower_transposed(n, l_.data(), top);
}

/// One step of iterative refinement against the regularised matrix [M G^T; G -(C + delta)]. Not with lent masses:
/// there the change of M' by G^T W delta is of the order of the regularisation error itself.
void DenseSolver::refine(double* top, double* bottom) {
  std::copy(top, top + n_, f_.data());
  std::copy(bottom, bottom + m_, b_.data());
  solve_schur(n_, m_, top, bottom);
  if (lent_) return;
  const double* g = jacobian_.data();
  double *r = top_.data(), *s = bottom_.data();
  std::copy(f_.begin(), f_.end(), r);
  std::copy(b_.begin(), b_.end(), s);
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < n_; ++i) r[i] -= mass_.data()[i + j * n_] * top[j];
    for (int i = 0; i < m_; ++i) {
      r[j] -= g[i + j * m_] * bottom[i];
      s[i] -= g[i + j * m_] * top[j];
    }
  }
  for (int j = 0; j < m_; ++j) {
    for (int i = 0; i < m_; ++i) s[i] += compliance_.data()[i + j * m_] * bottom[j];
  }
  solve_schur(n_, m_, r, s);
  for (int j = 0; j < n_; ++j) top[j] += r[j];
  for (int i = 0; i < m_; ++i) bottom[i] += s[i];
  ++counts_.refinements;
}

void DenseSolver::solve_whole(double* top, double* bottom) {
  const int inner = n_ + m_, size = inner + border_, weak = border_ - free_;
  double* x = whole_x_.data();
  for (int j = 0; j < n_; ++j) x[j] = scales_.top().data()[j] * top[j];
  for (int i = 0; i < m_; ++i) x[n_ + i] = scales_.left().data()[i] * bottom[i];
  std::fill(x + inner, x + size, 0.0);
  solve_lu(size, whole_.data(), whole_pivot_.data(), x);
  if (weak > 0) {
    double* c = u_.data();
    for (int l = 0; l < weak; ++l) c[l] = -x[inner + free_ + l];
    solve_lu(weak, s_of_c_.data(), s_pivot_.data(), c);
    for (int l = 0; l < weak; ++l) {
      const double* response = responses_.data() + l * size;
      const double share = weak_->weight(free_ + l) * c[l];
      for (int i = 0; i < inner; ++i) x[i] += share * response[i];
    }
  }
  for (int j = 0; j < n_; ++j) top[j] = scales_.top().data()[j] * x[j];
  for (int i = 0; i < m_; ++i) bottom[i] = scales_.right().data()[i] * x[n_ + i];
}

/// The mode of the last call with a share of the fixed start vector, so that another mode is noticed when it takes
/// over.
std::vector<double>& DenseSolver::warmed(std::vector<double>& mode) {
  fill_start_vector(u_);
  double sum = 0.0;
  for (const double x : mode) sum += x * x;
  const bool usable = std::isfinite(sum) && sum > 0.0;
  for (std::size_t i = 0; i < mode.size(); ++i) mode[i] = usable ? mode[i] + 0.1 * u_[i] : u_[i];
  return mode;
}

WeakestMode DenseSolver::weakest_mode(int lost) {
  if (m_ <= lost || path_ == Path::whole) return {};
  if (weak_ != nullptr) return weak_->weakest_mode(lost);
  if (outcome_ != LinearOutcome::ok) return {0.0, -1};
  for (int i = 0; i < m_; ++i) s_root_.data()[i] = std::sqrt(row_scale_.data()[i]);
  const double largest_value = power_iteration(warmed(strongest_), 20, 1e-3, [this](double* x) {
    double* y = bottom_.data();
    for (int i = 0; i < m_; ++i) y[i] = x[i] / s_root_.data()[i];
    for (int i = 0; i < m_; ++i) {
      double sum = 0.0;
      for (int j = 0; j < m_; ++j) sum += s_.data()[std::max(i, j) + std::min(i, j) * m_] * y[j];
      x[i] = sum / s_root_.data()[i];
    }
  });
  const double inverse = follow_mode(mode_, [this](double* x) { scaled_inverse(x); });
  if (!(inverse > 0.0)) return {0.0, -1};
  const double shift = regularizes() && !soft_ ? options_.regularization : 0.0;
  return {std::min(1.0, std::max(0.0, 1.0 / inverse - shift) / largest_value), largest_entry(mode_)};
}

std::string DenseSolver::description() const {
  return used_;
}

}  // namespace

LinearSolverEntry make_dense() {
  LinearSolverEntry entry;
  entry.make = [](const BlockPattern& pattern, const LinearSolverOptions& options) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<DenseSolver>(pattern, options);
  };
  return entry;
}

}  // namespace sunlagrange::internal
