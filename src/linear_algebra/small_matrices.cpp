// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/small_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = std::numeric_limits<double>::epsilon();

std::string shape(const MatrixXd& A) {
  return std::to_string(A.rows()) + " x " + std::to_string(A.cols());
}

double power_of_two(double x) {
  return std::exp2(std::round(std::log2(x)));
}

}  // namespace

void require_square(const MatrixXd& A, const std::string& what) {
  if (A.rows() == 0 || A.rows() != A.cols()) {
    throw Error("stability: " + what + " is " + shape(A) + "; it must be square, with one row at least");
  }
  require_size(A, A.rows(), A.cols(), what);
}

void require_size(const MatrixXd& A, Index rows, Index columns, const std::string& what) {
  if (A.rows() != rows || A.cols() != columns) {
    throw Error("stability: " + what + " is " + shape(A) + "; it must be " + std::to_string(rows) + " x " +
                std::to_string(columns));
  }
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      if (std::isfinite(A(i, j))) continue;
      throw Error("stability: entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ") of " + what +
                  " is not finite");
    }
  }
}

void require_symmetric(const MatrixXd& A, Index size, const std::string& what) {
  require_size(A, size, size, what);
  const double largest = A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff();
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < j; ++i) {
      const double allowed = std::max(1e-12 * largest, 1e-9 * std::sqrt(std::abs(A(i, i) * A(j, j))));
      if (std::abs(A(i, j) - A(j, i)) <= allowed) continue;
      throw Error("stability: " + what + " must be symmetric, but its entries (" + std::to_string(i + 1) + ", " +
                  std::to_string(j + 1) + ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) + ") are " +
                  text(A(i, j)) + " and " + text(A(j, i)) + "; of a form only the symmetric part counts, pass that");
    }
  }
}

void require_positive_definite(const MatrixXd& A, Index size, const std::string& what) {
  require_symmetric(A, size, what);
  if (cholesky(symmetric_part(A)).has_value()) return;
  const double lowest = symmetric_eigenvalues(symmetric_part(A))[0];
  throw Error("stability: " + what + " must be positive definite; its smallest eigenvalue is " + text(lowest));
}

MatrixXd symmetric_part(const MatrixXd& A) {
  return 0.5 * (A + A.transpose());
}

VectorXd balancing_scales(const MatrixXd& A) {
  const Index n = A.rows();
  VectorXd d = VectorXd::Ones(n);
  MatrixXd B = A;
  bool changed = true;
  for (int sweep = 0; changed && sweep < 100; ++sweep) {
    changed = false;
    for (Index i = 0; i < n; ++i) {
      const double column = B.col(i).lpNorm<1>() - std::abs(B(i, i));
      const double row = B.row(i).lpNorm<1>() - std::abs(B(i, i));
      if (column == 0.0 || row == 0.0) continue;
      const double f = power_of_two(std::sqrt(row / column));
      if (column * f + row / f >= 0.95 * (column + row)) continue;
      changed = true;
      d[i] *= f;
      B.col(i) *= f;
      B.row(i) /= f;
    }
  }
  return d;
}

MatrixXd similar(const MatrixXd& A, const VectorXd& d) {
  return d.cwiseInverse().asDiagonal() * A * d.asDiagonal();
}

MatrixXd congruent(const MatrixXd& A, const VectorXd& d) {
  return d.asDiagonal() * A * d.asDiagonal();
}

std::string text(const std::complex<double>& z) {
  if (z.imag() == 0.0) return sunlagrange::text(z.real());
  return sunlagrange::text(z.real()) + (z.imag() < 0.0 ? " - " : " + ") + sunlagrange::text(std::abs(z.imag())) + "i";
}

VectorXd unit_scales(const MatrixXd& P) {
  VectorXd d = VectorXd::Ones(P.rows());
  for (Index i = 0; i < P.rows(); ++i) {
    if (P(i, i) > 0.0) d[i] = power_of_two(1.0 / std::sqrt(P(i, i)));
  }
  return d;
}

double lowest_eigenvalue(const MatrixXd& S, const VectorXd& d, double noise) {
  const auto size = static_cast<double>(S.rows());
  const auto lowest = [size](const MatrixXd& X) { return symmetric_eigenvalues(X)[0] - size * rounding * X.norm(); };
  const double unscaled_noise = noise / std::pow(d.minCoeff(), 2);
  const double scaled = lowest(congruent(S, d)) - noise;
  return std::max(lowest(S) - unscaled_noise, scaled / std::pow(scaled > 0.0 ? d.maxCoeff() : d.minCoeff(), 2));
}

FormMeasure measure_form(const MatrixXd& A, const MatrixXd& P_given, const MatrixXd& P_rate) {
  const auto size = static_cast<double>(A.rows());
  const MatrixXd P = symmetric_part(P_given);
  const VectorXd d = unit_scales(P);
  const MatrixXd scaled = congruent(P, d);
  const MatrixXd law = similar(A, d);
  const InverseRoot eigen = inverse_square_root(scaled);
  const double lowest_scaled = eigen.eigenvalues[0] - size * rounding * scaled.norm();

  FormMeasure result;
  result.lowest = lowest_eigenvalue(P, d, 0.0);
  result.definite = lowest_scaled > 0.0;
  if (!result.definite) return result;
  result.highest = symmetric_eigenvalues(P)[P.rows() - 1];
  MatrixXd decrease = -(scaled * law);
  decrease = (decrease + decrease.transpose()).eval();
  double terms = 2.0 * scaled.norm() * law.norm();
  if (P_rate.size() > 0) {
    decrease -= symmetric_part(congruent(P_rate, d));
    terms += congruent(P_rate, d).norm();
  }
  const MatrixXd& root = eigen.inverse_root;
  const double eta = symmetric_eigenvalues(symmetric_part(root * decrease * root))[0];
  result.rate = 0.5 * (eta - size * rounding * terms / lowest_scaled);
  return result;
}

}  // namespace sunlagrange::internal
