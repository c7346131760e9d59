// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/spd.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double asymmetry_of_rounding = 1e-12;  // relative to the largest entry
constexpr double lost_pivot = 1e-14;             // relative to the diagonal entry

}  // namespace

std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& A) {
  const Eigen::LLT<Eigen::MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor.matrixL();
}

bool is_spd(const Eigen::MatrixXd& matrix) {
  if (matrix.rows() != matrix.cols() || matrix.rows() == 0 || !matrix.allFinite()) return false;
  const double asymmetry = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > asymmetry_of_rounding * matrix.cwiseAbs().maxCoeff()) return false;
  return cholesky(matrix).has_value();
}

Eigen::MatrixXd spd_solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.llt().solve(B);
}

Eigen::VectorXd spd_solve_pivoted(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.ldlt().solve(b);
}

Eigen::VectorXd spd_solve(const GainMatrix& A, const Eigen::VectorXd& b) {
  if (A.is_diagonal()) return b.cwiseQuotient(A.diagonal);
  return spd_solve(A.full, b);
}

GainMatrix spd_inverse(const GainMatrix& A) {
  if (A.is_diagonal()) return {A.diagonal.cwiseInverse(), {}};
  return {{}, spd_solve(A.full, Eigen::MatrixXd::Identity(A.size(), A.size()))};
}

SpdFactor::SpdFactor(int size)
    : size_(size),
      factor_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
      inverse_pivot_(static_cast<std::size_t>(size)),
      diagonal_(static_cast<std::size_t>(size)) {}

/// Symmetric part of the leading block plus shift times its largest diagonal entry, factorised.
bool SpdFactor::load(const Eigen::MatrixXd& A, bool symmetric, double shift) {
  double largest = 0.0;
  double asymmetry = 0.0;
  double largest_diagonal = 0.0;
  for (int j = 0; j < size_; ++j) {
    largest_diagonal = std::max(largest_diagonal, std::abs(A(j, j)));
    for (int i = 0; i < size_; ++i) {
      if (!std::isfinite(A(i, j))) return false;
      largest = std::max(largest, std::abs(A(i, j)));
      asymmetry = std::max(asymmetry, std::abs(A(i, j) - A(j, i)));
      factor_[i + j * size_] = 0.5 * (A(i, j) + A(j, i));
    }
  }
  if (symmetric && asymmetry > asymmetry_of_rounding * largest) return false;
  if (shift > 0.0 && largest == 0.0) return true;  // zero is semidefinite
  for (int i = 0; i < size_; ++i) {
    double& entry = factor_[i + i * size_];
    entry += shift * largest_diagonal;
    diagonal_[i] = std::max(entry, 0.0);
  }
  return kernels::factorize_ldlt(size_, factor_.data(), inverse_pivot_.data(), diagonal_.data(),
                                 shift > 0.0 ? 0.0 : lost_pivot);
}

bool SpdFactor::factorize(const Eigen::MatrixXd& A) {
  return load(A, true, 0.0);
}

bool SpdFactor::semidefinite(const Eigen::MatrixXd& A, bool symmetric) {
  return load(A, symmetric, 1e-12);
}

void SpdFactor::solve_in_place(Eigen::MatrixXd& B) const {
  for (Eigen::Index j = 0; j < B.cols(); ++j) {
    kernels::solve_ldlt(size_, factor_.data(), inverse_pivot_.data(), B.data() + j * B.rows());
  }
}

}  // namespace sunlagrange::internal
