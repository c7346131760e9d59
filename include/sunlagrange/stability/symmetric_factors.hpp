// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/stability/decay_certificate.hpp>

namespace sunlagrange {

/// Theorem 1 of [003] in its corrected form (erratum G6): if A = -K^-1 L with K constant, K and L(x, t) symmetric and
///
///     lambda_min(L) >= lambda_0 > 0,     k_1 I <= K <= k_2 I,
///
/// then y' = A y obeys ||y(t)|| <= sqrt(k_2/k_1) ||y(t0)|| e^{-(lambda_0/k_2)(t - t0)}. As printed, with norms of L and
/// K instead of their eigenvalues and without the factor, it is false.
///
/// Such a K exists exactly if A is diagonalisable with real negative eigenvalues (erratum G7). Critical damping and
/// oscillation are excluded, among them the gains of Remark 3 of [000]; use DampedForm or lyapunov_certificate() there.
struct SymmetricFactors : DecayCertificate {  ///< P = K, rate = lambda_0 / k_2, overshoot = sqrt(k_2 / k_1)
  Eigen::MatrixXd L;                          ///< -(K A + A^T K) / 2; with several A that of the limiting one
  double lambda_0 = 0.0;                      ///< smallest eigenvalue of L, of all L
  double k_1 = 0.0;                           ///< smallest eigenvalue of K
  double k_2 = 0.0;                           ///< largest eigenvalue of K

  /// A sharper rate from the same K: lambda_min(L, K) >= lambda_0 / k_2. For one constant A it is the true rate, -max
  /// Re lambda(A), for every K.
  double rate_in_form = 0.0;
};

/// Returns the K that makes the rate lambda_0/k_2 of the theorem largest.
///
/// K A is symmetric exactly if K = sum over the eigenvalues of A of W_i^T B_i W_i, where the rows of W_i span the left
/// eigenvectors of eigenvalue i and B_i is any symmetric positive definite matrix of the size of its multiplicity.
/// lambda_min(L)/lambda_max(K) is maximised over all B_i: K <= I, L >= s I, s largest, a convex problem. Example:
/// g'' + c g' + k g = 0 leaves K = [bc - k, b; b, 1] with one free b; c = 3, k = 2 gives 0.036 at best, while the true
/// rate is 1. The numbers depend on the units of y, as the theorem's constants do.
///
/// The result is "not applicable" (certified = false, the verdict gives the reason) for complex eigenvalues, for
/// multiple ones with too few eigenvectors, for eigenvalues that are not negative, and near critical damping, where
/// lambda_0 is below rounding.
/// @throws Error if A is empty, not square or not finite
SymmetricFactors symmetric_factors(const Eigen::MatrixXd& A);

/// Checks a given K for all A (samples of A(x, t)). K A must be symmetric for each, to 1e-9 of its largest entry.
/// @throws Error on sizes that do not fit, values that are not finite, no A at all, K that is not symmetric
SymmetricFactors symmetric_factors(const Eigen::MatrixXd& K, const std::vector<Eigen::MatrixXd>& A);

}  // namespace sunlagrange
