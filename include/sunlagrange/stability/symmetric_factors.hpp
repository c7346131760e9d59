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
/// Such K exists exactly for A that is diagonalisable with real negative eigenvalues (erratum G7): critical damping and
/// oscillation are excluded, among them the gains of Remark 3 of [000]. For those use DampedForm or
/// lyapunov_certificate.
struct SymmetricFactors : DecayCertificate {  ///< P = K, rate = lambda_0 / k_2, overshoot = sqrt(k_2 / k_1)
  Eigen::MatrixXd L;                          ///< -(K A + A^T K) / 2; of several A: that of the limiting one
  double lambda_0 = 0.0;
  double k_1 = 0.0;
  double k_2 = 0.0;

  /// Sharper, from the same K: lambda_min(L, K) >= lambda_0 / k_2. For one constant A it is the true rate,
  /// -max Re lambda(A), whatever K.
  double rate_in_form = 0.0;
};

/// The K that makes the theorem's own rate lambda_0/k_2 largest.
///
/// K A is symmetric exactly if K = sum over the eigenvalues of A of W_i^T B_i W_i, where the rows of W_i span the left
/// eigenvectors of eigenvalue i and B_i is any symmetric positive definite matrix of the size of its multiplicity.
/// lambda_min(L)/lambda_max(K) is maximised over all B_i: K <= I, L >= s I, s largest, a convex problem. Example:
/// g'' + c g' + k g = 0 leaves K = [bc - k, b; b, 1] with one free b; c = 3, k = 2 gives 0.036 at best, while the true
/// rate is 1. The numbers depend on the units of y, as the theorem's constants do.
///
/// "not applicable" (certified = false, the verdict says why) for complex eigenvalues, for multiple ones with too few
/// eigenvectors, for eigenvalues that are not negative, and where lambda_0 drowns in rounding, next to
/// critical damping.
/// @throws Error if A is empty, not square or not finite
SymmetricFactors symmetric_factors(const Eigen::MatrixXd& A);

/// Does a given K serve for all A (samples of A(x, t))? K A must be symmetric for each, to 1e-9 of its largest entry.
/// @throws Error on sizes that do not fit, values that are not finite, no A at all, K that is not symmetric
SymmetricFactors symmetric_factors(const Eigen::MatrixXd& K, const std::vector<Eigen::MatrixXd>& A);

}  // namespace sunlagrange
