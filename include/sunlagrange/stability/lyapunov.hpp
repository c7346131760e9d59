#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/stability/decay_certificate.hpp>
#include <sunlagrange/stability/definiteness.hpp>

namespace sunlagrange {

/// P of Lyapunov's equation A^T P + P A = -Q, by the Bartels-Stewart algorithm [GolubVanLoan1996, 7.6.3] with the
/// complex Schur form, O(n^3). Symmetric if Q is; positive definite if moreover Q is and A is stable.
/// @throws Error on sizes that do not fit, values that are not finite, or if two eigenvalues of A add up to zero (to
///         rounding): the equation then has no unique solution
Eigen::MatrixXd lyapunov_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q);

/// Certificate of constant A from Lyapunov's equation. With Q = I the rate is 1/(2 lambda_max(P)). Where an eigenvalue
/// has no negative real part the verdict says "unstable" and names it.
///
/// Exists for every stable A, critically damped and oscillating ones included; the rate depends on Q and is usually far
/// below the true one. lyapunov_certificate_at_rate asks for a rate instead.
/// @param Q  symmetric positive definite; empty: identity. In mixed units the identity is an arbitrary choice.
/// @throws Error on sizes that do not fit, values that are not finite, Q that is not symmetric positive definite
DecayCertificate lyapunov_certificate(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q = {});

/// The same with A + rate I in the equation: certifies `rate` or more whenever all eigenvalues of A lie left of -rate.
/// The nearer `rate` comes to the true one, the larger the overshoot.
/// @param rate  [1/s], >= 0
DecayCertificate lyapunov_certificate_at_rate(const Eigen::MatrixXd& A, double rate, const Eigen::MatrixXd& Q = {});

/// Moving form for A(t): P(t) solves Lyapunov's equation with A(t) frozen, and P' is its exact derivative, from
/// A^T P' + P' A = -(A'^T P + P A'). Feed samples of it to sampled_certificate: where A changes too fast, P' outweighs
/// Q and the sample fails.
/// @param A_rate  dA/dt along the motion
/// @param Q       as in lyapunov_certificate
/// @throws Error as lyapunov_solution; if A is unstable, naming the eigenvalue
FormSample frozen_form(double t, const Eigen::MatrixXd& A, const Eigen::MatrixXd& A_rate,
                       const Eigen::MatrixXd& Q = {});

/// One form for all A given: maximises s subject to  P <= I,  P >= s I,  -(A_k^T P + P A_k + 2 rate P) >= s |A| I  with
/// an interior-point method. Holds for every A(t) in the convex hull of the samples, however fast it moves.
/// Cost grows as n^6 per sample: for n up to about 12.
/// @param A     n x n each, at least one
/// @param rate  [1/s], >= 0, to be proved
/// @return certified = false, and `sample` the one that is most in the way, if there is no such P with cond P < 1e9
/// @throws Error on sizes that do not fit, values that are not finite, rate < 0
SampledCertificate common_form(const std::vector<Eigen::MatrixXd>& A, double rate = 0.0);

}  // namespace sunlagrange
