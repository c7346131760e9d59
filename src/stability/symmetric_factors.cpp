// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/symmetric_factors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/small_matrices.hpp"
#include "stability/lmi.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double same_eigenvalue = 1e-10;  // relative to the balanced matrix
constexpr double null_vector = 1e-9;

/// A real eigenvalue and a basis of its left eigenvectors.
struct Eigenspace {
  double eigenvalue = 0.0;
  MatrixXd left;  ///< one unit vector per column
};

/// Returns the eigenspaces, or nothing, with the reason in `why`, unless A is diagonalisable with real negative
/// eigenvalues.
std::vector<Eigenspace> real_eigenspaces(const MatrixXd& A, std::string& why) {
  const VectorXd d = balancing_scales(A);
  const MatrixXd B = similar(A, d);
  const double size = B.norm();
  const Eigen::VectorXcd all = spectrum(A).eigenvalues;  // sorted by real part
  std::vector<Eigenspace> spaces;
  for (Index first = 0; first < all.size();) {
    Index end = first + 1;
    while (end < all.size() && std::abs(all[end] - all[end - 1]) <= same_eigenvalue * size) ++end;
    const std::complex<double> mean = all.segment(first, end - first).mean();
    if (std::abs(mean.imag()) > same_eigenvalue * size) {
      why = std::abs(mean.imag()) > 1e-6 * std::abs(mean)
                ? "the eigenvalue " + text(mean) + " is not real (oscillation)"
                : "the eigenvalue " + text(mean.real()) + " is double with one eigenvector (critical damping)";
      return {};
    }
    if (!(mean.real() < -1e-13 * size)) {
      why = "the eigenvalue " + text(mean.real()) + " is not negative";
      return {};
    }
    const MatrixXd shifted = (B - mean.real() * MatrixXd::Identity(B.rows(), B.cols())).transpose();
    const SingularValues svd = singular_values(shifted, SingularVectors::right);
    const Index multiplicity = end - first;
    const double largest_lost = svd.values[B.rows() - multiplicity];
    if (largest_lost > null_vector * size) {
      why = "the eigenvalue " + text(mean.real()) + " is " + std::to_string(multiplicity) +
            "-fold with too few eigenvectors (critical damping)";
      return {};
    }
    Eigenspace space{mean.real(), d.cwiseInverse().asDiagonal() * svd.V.rightCols(multiplicity)};
    space.left.colwise().normalize();
    spaces.push_back(std::move(space));
    first = end;
  }
  return spaces;
}

/// All symmetric K with K A symmetric, as sum x_i terms_i, and their L = -K A.
struct Factors {
  std::vector<MatrixXd> K, L;
  VectorXd start;  ///< a member with K and L positive definite, K <= I/2
};

Factors all_factors(const std::vector<Eigenspace>& spaces) {
  Factors factors;
  std::vector<double> diagonal;
  MatrixXd sum;
  for (const Eigenspace& space : spaces) {
    for (Index j = 0; j < space.left.cols(); ++j) {
      for (Index i = 0; i <= j; ++i) {
        const MatrixXd E = symmetric_part(space.left.col(i) * space.left.col(j).transpose());
        factors.K.push_back(E);
        factors.L.emplace_back(-space.eigenvalue * E);
        diagonal.push_back(i == j ? 1.0 : 0.0);
        if (i == j) sum = sum.size() == 0 ? E : MatrixXd(sum + E);
      }
    }
  }
  const double largest = symmetric_eigenvalues(sum)[sum.rows() - 1];
  factors.start = Eigen::Map<const VectorXd>(diagonal.data(), static_cast<Index>(diagonal.size())) * (0.5 / largest);
  return factors;
}

MatrixXd combination(const std::vector<MatrixXd>& terms, const VectorXd& x) {
  MatrixXd sum = x[0] * terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) sum += x[static_cast<Index>(i)] * terms[i];
  return sum;
}

/// Maximises lambda_min(L) / lambda_max(K).
MatrixXd best_factor(const Factors& factors, double fastest) {
  const Index n = factors.K.front().rows();
  const MatrixXd one = MatrixXd::Identity(n, n), zero = MatrixXd::Zero(n, n);
  MatrixInequality upper{one, {}, zero}, lower{zero, {}, one};
  for (std::size_t i = 0; i < factors.K.size(); ++i) {
    upper.terms.emplace_back(-factors.K[i]);
    lower.terms.emplace_back(factors.L[i] / fastest);
  }
  return combination(factors.K, largest_slack({upper, lower}, factors.start, -1.0, 1e-15).x);
}

/// Returns a lower bound of lambda_0 of one A for a given K.
double smallest_of_L(const MatrixXd& K, const MatrixXd& L, const MatrixXd& A) {
  const VectorXd d = unit_scales(K);
  const double noise = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon() * congruent(K, d).norm() *
                       similar(A, d).norm();
  return lowest_eigenvalue(L, d, noise);
}

void conclude(SymmetricFactors& result) {
  result.certified = result.k_1 > 0.0 && result.lambda_0 > 0.0;
  if (!result.certified) return;
  result.rate = result.lambda_0 / result.k_2;
  result.overshoot = std::sqrt(result.k_2 / result.k_1);
  result.verdict = "certified: decay at lambda_0/k_2 = " + text(result.rate) + " 1/s, overshoot " +
                   text(result.overshoot) + " (the same form proves " + text(result.rate_in_form) + " 1/s)";
}

}  // namespace

SymmetricFactors symmetric_factors(const MatrixXd& A) {
  require_square(A, "A");
  SymmetricFactors result;
  std::string why;
  const std::vector<Eigenspace> spaces = real_eigenspaces(A, why);
  if (spaces.empty()) {
    result.verdict = "not applicable: " + why + ", so no K makes K A symmetric and negative definite";
    return result;
  }
  double fastest = 0.0;
  for (const Eigenspace& space : spaces) fastest = std::max(fastest, -space.eigenvalue);
  const MatrixXd K = best_factor(all_factors(spaces), fastest);
  result = symmetric_factors(K, {A});
  if (!result.certified) {
    result.verdict = "not applicable: to rounding A is critically damped, lambda_0 of the best K is " +
                     text(result.lambda_0) + " at k_2 = " + text(result.k_2);
  }
  return result;
}

SymmetricFactors symmetric_factors(const MatrixXd& K, const std::vector<MatrixXd>& A) {
  require_square(K, "K");
  require_symmetric(K, K.rows(), "K");
  if (A.empty()) throw Error("stability: no A given; one sample at least");
  SymmetricFactors result;
  result.P = symmetric_part(K);
  const FormMeasure form = measure_form(MatrixXd::Zero(K.rows(), K.rows()), result.P, {});
  result.k_1 = form.lowest;
  result.k_2 = form.highest;
  if (!form.definite) {
    result.verdict = "not certified: K is not positive definite, its smallest eigenvalue is " + text(form.lowest);
    return result;
  }
  result.lambda_0 = result.rate_in_form = std::numeric_limits<double>::infinity();
  std::string asymmetric, indefinite;
  for (std::size_t k = 0; k < A.size(); ++k) {
    const std::string sample = "sample " + std::to_string(k);
    require_size(A[k], K.rows(), K.cols(), "A of " + sample);
    const MatrixXd product = result.P * A[k];
    if ((product - product.transpose()).cwiseAbs().maxCoeff() > 1e-9 * product.cwiseAbs().maxCoeff()) {
      if (asymmetric.empty()) asymmetric = "not applicable: K A of " + sample + " is not symmetric";
    }
    const MatrixXd L = -symmetric_part(product);
    const double smallest = smallest_of_L(result.P, L, A[k]);
    if (!(smallest > 0.0) && indefinite.empty()) {
      indefinite =
          "not certified: L of " + sample + " is not positive definite, its smallest eigenvalue is " + text(smallest);
    }
    result.rate_in_form = std::min(result.rate_in_form, measure_form(A[k], result.P, {}).rate);
    if (!(smallest < result.lambda_0)) continue;
    result.lambda_0 = smallest;
    result.L = L;
  }
  result.verdict = asymmetric.empty() ? indefinite : asymmetric;
  if (result.verdict.empty()) conclude(result);
  return result;
}

}  // namespace sunlagrange
