// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/lyapunov.hpp>

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
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// Algorithm of Bartels and Stewart with the complex Schur form A = U T U^*: solves T^* Y + Y T = -U^* Q U by columns.
/// The products with U are those of real matrices, with W = [Re U, Im U].
class LyapunovSolver {
 public:
  explicit LyapunovSolver(const MatrixXd& A) {
    const ComplexSchurForm schur = complex_schur(A);
    T_ = schur.T;
    W_.resize(A.rows(), 2 * A.rows());
    W_ << schur.U.real(), schur.U.imag();
    for (Index j = 0; j < T_.cols(); ++j) {
      for (Index k = 0; k < T_.cols(); ++k) {
        if (std::abs(std::conj(T_(k, k)) + T_(j, j)) > 1e-14 * A.norm()) continue;
        throw Error("stability: Lyapunov's equation has no unique solution: the eigenvalues " + text(T_(k, k)) +
                    " and " + text(T_(j, j)) + " of A, one of them conjugate, add up to zero");
      }
    }
  }

  MatrixXd solve(const MatrixXd& Q) const {
    const Index n = T_.cols();
    MatrixXd products = W_.transpose() * Q * W_;
    MatrixXcd Y(n, n);
    Y.real() = -(products.topLeftCorner(n, n) + products.bottomRightCorner(n, n));
    Y.imag() = products.bottomLeftCorner(n, n) - products.topRightCorner(n, n);
    for (Index j = 0; j < n; ++j) {
      VectorXcd column = Y.col(j) - Y.leftCols(j) * T_.col(j).head(j);
      for (Index i = 0; i < n; ++i) {
        column[i] = (column[i] - T_.col(i).head(i).dot(column.head(i))) / (std::conj(T_(i, i)) + T_(j, j));
      }
      Y.col(j) = column;
    }
    products << Y.real(), Y.imag(), -Y.imag(), Y.real();
    return W_ * products * W_.transpose();
  }

 private:
  MatrixXcd T_;
  MatrixXd W_;
};

MatrixXd identity_if_empty(const MatrixXd& Q, Index n) {
  return Q.size() == 0 ? MatrixXd::Identity(n, n) : Q;
}

}  // namespace

MatrixXd lyapunov_solution(const MatrixXd& A, const MatrixXd& Q) {
  require_square(A, "A");
  require_size(Q, A.rows(), A.cols(), "Q");
  const VectorXd d = balancing_scales(A);
  const MatrixXd B = similar(A, d), R = congruent(Q, d);
  const LyapunovSolver solver(B);
  MatrixXd P = solver.solve(R);
  P += solver.solve(B.transpose() * P + P * B + R);  // one step of refinement
  if (Q == Q.transpose()) P = symmetric_part(P);
  return congruent(P, d.cwiseInverse());
}

DecayCertificate lyapunov_certificate(const MatrixXd& A, const MatrixXd& Q) {
  return lyapunov_certificate_at_rate(A, 0.0, Q);
}

DecayCertificate lyapunov_certificate_at_rate(const MatrixXd& A, double rate, const MatrixXd& Q) {
  require_square(A, "A");
  if (!(rate >= 0.0)) throw Error("stability: rate = " + text(rate) + " must not be negative");
  const MatrixXd decrease = identity_if_empty(Q, A.rows());
  require_positive_definite(decrease, A.rows(), "Q");
  const MatrixXd shifted = A + rate * MatrixXd::Identity(A.rows(), A.cols());
  if (!spectrum(shifted).stable) {
    const Spectrum eigen = spectrum(A);
    DecayCertificate result;
    result.verdict = (eigen.stable ? "not certified: a decay at " + text(rate) + " 1/s is required, but the eigenvalue "
                                   : "unstable: the eigenvalue ") +
                     text(eigen.eigenvalues[0]) + (eigen.stable ? " decays more slowly" : " of A does not decay");
    return result;
  }
  DecayCertificate result = decay_certificate(A, lyapunov_solution(shifted, symmetric_part(decrease)));
  if (result.certified && result.rate < rate) {  // by rounding at most
    result.certified = false;
    result.verdict = "not certified: the form proves " + text(result.rate) + " 1/s, rounding forbids the " +
                     text(rate) + " required; require less";
  }
  return result;
}

FormSample frozen_form(double t, const MatrixXd& A, const MatrixXd& A_rate, const MatrixXd& Q) {
  require_square(A, "A");
  require_size(A_rate, A.rows(), A.cols(), "dA/dt");
  const MatrixXd decrease = identity_if_empty(Q, A.rows());
  require_positive_definite(decrease, A.rows(), "Q");
  const Spectrum frozen = spectrum(A);
  if (!frozen.stable) {
    throw Error("stability: A at t = " + text(t) + " has no frozen form, its eigenvalue " +
                text(frozen.eigenvalues[0]) + " does not decay");
  }
  FormSample sample{t, A, lyapunov_solution(A, symmetric_part(decrease)), {}};
  const MatrixXd change = A_rate.transpose() * sample.P + sample.P * A_rate;
  sample.P_rate = lyapunov_solution(A, symmetric_part(change));
  return sample;
}

namespace {

/// Returns a basis of the symmetric matrices, with ones at (i, j) and (j, i).
std::vector<MatrixXd> symmetric_basis(Index n) {
  std::vector<MatrixXd> basis;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) {
      MatrixXd E = MatrixXd::Zero(n, n);
      E(i, j) = E(j, i) = 1.0;
      basis.push_back(std::move(E));
    }
  }
  return basis;
}

/// Returns the inequalities P <= I, P >= s I, -(A_k^T P + P A_k) >= s |A| I.
std::vector<MatrixInequality> common_form_inequalities(const std::vector<MatrixXd>& A) {
  const Index n = A.front().rows();
  const MatrixXd one = MatrixXd::Identity(n, n), zero = MatrixXd::Zero(n, n);
  double size = 0.0;
  for (const MatrixXd& sample : A) size = std::max(size, sample.norm());
  std::vector<MatrixInequality> list(A.size() + 2);
  for (MatrixInequality& q : list) {
    q.constant = zero;
    q.slack = one;
  }
  MatrixInequality& upper = list[A.size()];
  upper.constant = one;
  upper.slack = zero;
  for (const MatrixXd& E : symmetric_basis(n)) {
    for (std::size_t k = 0; k < A.size(); ++k) {
      const MatrixXd product = E * A[k] / size;
      list[k].terms.emplace_back(-(product + product.transpose()));
    }
    upper.terms.emplace_back(-E);
    list[A.size() + 1].terms.push_back(E);
  }
  return list;
}

constexpr double flattest_form = 1e-9;  // smallest 1/cond P

}  // namespace

SampledCertificate common_form(const std::vector<MatrixXd>& A, double rate) {
  if (A.empty()) throw Error("stability: no samples; give one A at least");
  if (!(rate >= 0.0)) throw Error("stability: rate = " + text(rate) + " must not be negative");
  require_square(A.front(), "A of sample 0");
  const Index n = A.front().rows();
  MatrixXd magnitude = MatrixXd::Zero(n, n);
  for (std::size_t k = 0; k < A.size(); ++k) {
    require_size(A[k], n, n, "A of sample " + std::to_string(k));
    magnitude += A[k].cwiseAbs();
  }
  const VectorXd d = balancing_scales(magnitude);
  SampledCertificate result;
  std::vector<MatrixXd> shifted;
  for (std::size_t k = 0; k < A.size(); ++k) {
    shifted.push_back(similar(A[k], d) + rate * MatrixXd::Identity(n, n));
    if (spectrum(shifted.back()).stable) continue;
    result.sample = static_cast<int>(k);
    result.verdict = "not certified: sample " + std::to_string(k) + " alone does not decay at more than " + text(rate) +
                     " 1/s, its eigenvalue is " + text(spectrum(A[k]).eigenvalues[0]);
    return result;
  }
  // The start P = I/2 is feasible for every s that is low enough.
  VectorXd x = VectorXd::Zero(n * (n + 1) / 2);
  for (Index j = 0; j < n; ++j) x[j * (j + 1) / 2 + j] = 0.5;
  const LargestSlack best = largest_slack(common_form_inequalities(shifted), x, -2.0, 0.1 * flattest_form);
  if (best.s < flattest_form) {
    result.sample = best.tightest < static_cast<int>(A.size()) ? best.tightest : -1;
    result.verdict = "not certified: no common form with a condition number below 1e9 proves " +
                     (rate > 0.0 ? text(rate) + " 1/s" : std::string("decay")) +
                     (result.sample < 0 ? "" : "; most in the way is sample " + std::to_string(result.sample));
    return result;
  }
  MatrixXd P(n, n);
  for (Index j = 0, i = 0, at = 0; j < n; i = 0, ++j) {
    for (; i <= j; ++i) P(i, j) = P(j, i) = best.x[at++];
  }
  std::vector<FormSample> samples;
  for (std::size_t k = 0; k < A.size(); ++k) {
    samples.push_back({static_cast<double>(k), A[k], congruent(P, d.cwiseInverse()), {}});
  }
  return sampled_certificate(samples, rate);
}

}  // namespace sunlagrange
