// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <sunlagrange/base/status.hpp>

#include "base/signed_vector.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

using namespace kernels;

// For pivots of M. LDL^T without exchanges may meet the small pivot of a singular M before the last one, where it is
// larger; the later pivots are then rounding errors divided by it.
constexpr double doubtful_mass_pivot = 1e-7;

/// Factorises saddle-point systems by two Cholesky factorisations,
///
///     M = L E L^T,   Z = G L^-T  (m x n),   S = Z E^-1 Z^T + C + diag(d) = K F K^T,
///     S lambda = Z E^-1 L^-1 f - b,   L^T a = E^-1 (L^-1 f - Z^T lambda).
///
/// If M is not safely definite, for chosen pivots, and for Newton systems it factorises the whole matrix, equilibrated,
/// by LU with partial pivoting.
class DenseFactors final : public Factors {
 public:
  explicit DenseFactors(const BlockPattern& pattern);

  bool factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) override;
  void solve(double* top, double* bottom) override;
  bool certainly_regular(double least, const RowReference& reference) override;
  int count_pivots_below(double relative) const override;
  const double* schur_diagonal() const override { return whole_path_ ? nullptr : s_diagonal_.data(); }
  std::string description() const override;

 private:
  /// Calls use(n, m), with compile-time constants for the smallest systems.
  template <class Use>
  auto with_loops(Use&& use) {
    return with_constant_size<1, 4>(
        n_, [&](auto n) { return with_constant_size<1, 3>(m_, [&](auto m) { return use(n, m); }); });
  }
  template <class SizeN, class SizeM>
  bool factorize_schur(SizeN n, SizeM m, const BlockValues& values, const double* row_compliance);
  template <class SizeN, class SizeM>
  void solve_schur(SizeN n, SizeM m, double* top, double* bottom);
  bool factorize_whole(const BlockValues& values, const double* row_compliance);
  template <class Scalar>
  bool factorize_whole(const Scalar* top_left, const Scalar* bottom_left, const BlockValues& values,
                       const double* row_compliance);
  template <class Scalar>
  void solve_whole(Scalar* top, Scalar* bottom);
  template <class Scalar>
  Scalar* whole() {
    return reinterpret_cast<Scalar*>(whole_.data());
  }
  double inverse_pivot(int k) const;

  BlockPattern pattern_;
  int n_, m_;
  bool whole_path_ = false, mass_factorized_ = false;
  SignedVector<double> l_, l_diagonal_, l_inverse_, z_;  // L, diag M, E^-1, Z
  SignedVector<double> k_, k_inverse_, s_diagonal_;      // K, F^-1, diag S
  SignedVector<double> largest_s_;                       // largest S_ii so far
  SignedVector<double> whole_, x_;                       // LU of the equilibrated whole matrix; pairs where complex
  SignedVector<int> whole_pivot_;
  BlockScales scales_;
};

DenseFactors::DenseFactors(const BlockPattern& pattern)
    : pattern_(pattern), n_(pattern.top_left.rows), m_(pattern.jacobian.rows), scales_(pattern) {
  for (const SparsePattern* p : {&pattern.top_left, &pattern.jacobian, &pattern.bottom_left, &pattern.compliance}) {
    if (p->nonzeros() > 0 && !p->is_dense()) throw Error("the dense linear solver needs full patterns");
  }
  const std::ptrdiff_t n = n_, m = m_;
  l_.resize(n * n);
  z_.resize(m * n);
  k_.resize(m * m);
  for (auto* v : {&l_diagonal_, &l_inverse_}) v->resize(n);
  for (auto* v : {&k_inverse_, &s_diagonal_, &largest_s_}) v->resize(m);
  const std::ptrdiff_t parts = pattern.complex ? 2 : 1;
  whole_.resize(parts * (n + m) * (n + m));
  x_.resize(parts * (n + m));
  whole_pivot_.resize(n + m);
}

bool DenseFactors::factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) {
  whole_path_ = pattern_.newton || pivots == Pivots::chosen;
  if (whole_path_) return factorize_whole(values, row_compliance);
  return with_loops([&](auto n, auto m) { return factorize_schur(n, m, values, row_compliance); });
}

template <class SizeN, class SizeM>
bool DenseFactors::factorize_schur(SizeN n, SizeM m, const BlockValues& v, const double* row_compliance) {
  if (!v.same_top_left || !mass_factorized_) {
    std::copy(v.top_left, v.top_left + n * n, l_.data());
    for (int k = 0; k < n; ++k) l_diagonal_[k] = l_[k + k * n];
    mass_factorized_ = factorize_ldlt(n, l_.data(), l_inverse_.data(), l_diagonal_.data(), doubtful_mass_pivot);
    if (!mass_factorized_) return factorize_whole(v, row_compliance);
  }
  std::copy(v.jacobian, v.jacobian + m * n, z_.data());
  solve_lower_on_rows(m, n, l_.data(), z_.data());
  weighted_outer_product(m, n, z_.data(), l_inverse_.data(), k_.data());
  if (v.compliance != nullptr && pattern_.compliance.nonzeros() > 0) {
    for (int j = 0; j < m; ++j) {
      for (int i = j; i < m; ++i) k_[i + j * m] += v.compliance[i + j * m];
    }
  }
  for (int i = 0; i < m; ++i) {
    const double diagonal = k_[i + i * m] += row_compliance != nullptr ? row_compliance[i] : 0.0;
    s_diagonal_[i] = diagonal;
    double& most = largest_s_[i];
    most = diagonal > most && std::isfinite(diagonal) ? diagonal : most;
  }
  return factorize_ldlt(m, k_.data(), k_inverse_.data(), s_diagonal_.data(), RankThresholds::lost_pivot);
}

bool DenseFactors::factorize_whole(const BlockValues& v, const double* row_compliance) {
  whole_path_ = true;
  if (!v.same_top_left) mass_factorized_ = false;
  scales_.compute(pattern_, v, row_compliance);
  const double* bottom_left = pattern_.newton ? v.bottom_left : v.jacobian;
  return pattern_.complex ? factorize_whole(as_complex(v.top_left), as_complex(bottom_left), v, row_compliance)
                          : factorize_whole(v.top_left, bottom_left, v, row_compliance);
}

template <class Scalar>
bool DenseFactors::factorize_whole(const Scalar* top_left, const Scalar* bottom_left, const BlockValues& v,
                                   const double* row_compliance) {
  const int n = n_, m = m_, size = n + m;
  const double *top = scales_.top().data(), *right = scales_.right().data(), *left = scales_.left().data();
  const bool compliant = v.compliance != nullptr && pattern_.compliance.nonzeros() > 0;
  Scalar* a = whole<Scalar>();
  for (int j = 0; j < n; ++j) {
    const double scale = top[j];
    Scalar* column = a + j * size;
    for (int i = 0; i < n; ++i) column[i] = top[i] * scale * top_left[i + j * n];
    for (int i = 0; i < m; ++i) column[n + i] = left[i] * scale * bottom_left[i + j * m];
    for (int i = 0; i < m; ++i) a[j + (n + i) * size] = scale * v.jacobian[i + j * m] * right[i];
  }
  for (int j = 0; j < m; ++j) {
    Scalar* column = a + n + (n + j) * size;
    for (int i = 0; i < m; ++i) column[i] = compliant ? -left[i] * v.compliance[i + j * m] * right[j] : 0.0;
    if (row_compliance != nullptr) column[j] -= left[j] * row_compliance[j] * right[j];
  }
  return with_constant_size<2, 6>(
      size, [&](auto k) { return factorize_lu(k, a, whole_pivot_.data(), RankThresholds::lost_pivot); });
}

double DenseFactors::inverse_pivot(int k) const {
  const double* diagonal = whole_.data() + (pattern_.complex ? 2 : 1) * (k + k * (n_ + m_));
  return pattern_.complex ? rough_size(*as_complex(diagonal)) : rough_size(*diagonal);
}

/// Schur complement: the arithmetic and the geometric mean bound the smallest eigenvalue of D S D by the determinant
/// and the largest eigenvalue, which is at most m; D belongs to the largest S_ii so far. Whole matrix, equilibrated:
/// the smallest pivot lies between the smallest eigenvalue and its root, up to a modest factor.
bool DenseFactors::certainly_regular(double least, const RowReference& reference) {
  if (whole_path_) return count_pivots_below(std::sqrt(least / scales_.smallest_share(reference.square))) == 0;
  double determinant = 1.0;
  for (int i = 0; i < m_; ++i) determinant /= k_inverse_[i] * largest_s_[i];
  return determinant > 2.8 * least * m_;  // bound of (1 + 1 / (m - 1))^(m - 1): e
}

int DenseFactors::count_pivots_below(double relative) const {
  int count = 0;
  if (!whole_path_) {
    for (int i = 0; i < m_; ++i) count += 1.0 < relative * k_inverse_[i] * s_diagonal_[i] ? 1 : 0;
    return count;
  }
  double least = std::numeric_limits<double>::infinity();  // inverse of the largest pivot
  for (int k = 0; k < n_ + m_; ++k) least = std::min(least, inverse_pivot(k));
  for (int k = 0; k < n_ + m_; ++k) count += least < relative * inverse_pivot(k) ? 1 : 0;
  return count;
}

void DenseFactors::solve(double* top, double* bottom) {
  if (pattern_.complex) return solve_whole(as_complex(top), as_complex(bottom));
  if (whole_path_) return solve_whole(top, bottom);
  with_loops([&](auto n, auto m) { solve_schur(n, m, top, bottom); });
}

template <class SizeN, class SizeM>
void DenseFactors::solve_schur(SizeN n, SizeM m, double* top, double* bottom) {
  const double* z = z_.data();
  solve_lower(n, l_.data(), top);
  for (int i = 0; i < m; ++i) bottom[i] = -bottom[i];
  for (int k = 0; k < n; ++k) {
    const double y = l_inverse_[k] * top[k];
    for (int i = 0; i < m; ++i) bottom[i] += z[i + k * m] * y;
  }
  solve_ldlt(m, k_.data(), k_inverse_.data(), bottom);
  for (int k = 0; k < n; ++k) {
    double sum = top[k];
    for (int i = 0; i < m; ++i) sum -= z[i + k * m] * bottom[i];
    top[k] = l_inverse_[k] * sum;
  }
  solve_lower_transposed(n, l_.data(), top);
}

template <class Scalar>
void DenseFactors::solve_whole(Scalar* top, Scalar* bottom) {
  const double *scale = scales_.top().data(), *right = scales_.right().data(), *left = scales_.left().data();
  Scalar* x = reinterpret_cast<Scalar*>(x_.data());
  for (int j = 0; j < n_; ++j) x[j] = scale[j] * top[j];
  for (int i = 0; i < m_; ++i) x[n_ + i] = left[i] * bottom[i];
  with_constant_size<2, 6>(n_ + m_, [&](auto k) { solve_lu(k, whole<Scalar>(), whole_pivot_.data(), x); });
  for (int j = 0; j < n_; ++j) top[j] = scale[j] * x[j];
  for (int i = 0; i < m_; ++i) bottom[i] = right[i] * x[n_ + i];
}

std::string DenseFactors::description() const {
  return whole_path_ ? "dense, LU of the whole matrix" : "dense, Cholesky of M and of G M^-1 G^T";
}

}  // namespace

LinearSolverEntry make_dense() {
  LinearSolverEntry entry;
  entry.complex = true;
  entry.make = [](const BlockPattern& pattern) -> std::unique_ptr<Factors> {
    return std::make_unique<DenseFactors>(pattern);
  };
  return entry;
}

}  // namespace sunlagrange::internal
