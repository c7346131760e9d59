// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/stability/decay_certificate.hpp>
#include <sunlagrange/stability/definiteness.hpp>

namespace sunlagrange {

/// Returns P of Lyapunov's equation A^T P + P A = -Q, by the algorithm of Bartels and Stewart [GolubVanLoan1996, 7.6.3]
/// with the complex Schur form, O(n^3). P is symmetric if Q is, and positive definite if in addition Q is positive
/// definite and A stable.
/// @throws Error on sizes that do not fit, values that are not finite, or if two eigenvalues of A add up to zero (to
/// rounding), because the solution is then not unique
Eigen::MatrixXd lyapunov_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q);

/// Returns a certificate of constant A from Lyapunov's equation. With Q = I the rate is 1/(2 lambda_max(P)). If an
/// eigenvalue has no negative real part, the verdict says "unstable" and names it.
///
/// It exists for every stable A, including critically damped and oscillating ones. The rate depends on Q and is usually
/// far below the true one; lyapunov_certificate_at_rate() takes a rate instead.
/// @param Q  symmetric positive definite; empty: identity. In mixed units the identity is an arbitrary choice.
/// @throws Error on sizes that do not fit, values that are not finite, Q that is not symmetric positive definite
DecayCertificate lyapunov_certificate(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q = {});

/// Uses A + rate I in the equation and certifies at least `rate` if all eigenvalues of A lie left of -rate. The
/// overshoot grows as `rate` approaches the true one.
/// @param rate  [1/s], >= 0
DecayCertificate lyapunov_certificate_at_rate(const Eigen::MatrixXd& A, double rate, const Eigen::MatrixXd& Q = {});

/// Returns the form of a time-dependent law: P(t) solves Lyapunov's equation with A(t) frozen, and P' is its exact
/// derivative from A^T P' + P' A = -(A'^T P + P A'). Pass samples of it to sampled_certificate(): where A changes too
/// fast, P' outweighs Q and the sample fails.
/// @param A_rate  dA/dt along the motion
/// @param Q       as in lyapunov_certificate
/// @throws Error as lyapunov_solution; if A is unstable, naming the eigenvalue
FormSample frozen_form(double t, const Eigen::MatrixXd& A, const Eigen::MatrixXd& A_rate,
                       const Eigen::MatrixXd& Q = {});

/// Returns one form for all given A: maximises s subject to  P <= I,  P >= s I,  -(A_k^T P + P A_k + 2 rate P) >= s |A|
/// I  by an interior-point method. It holds for every A(t) in the convex hull of the samples, however fast it changes.
/// The cost grows as n^6 per sample; use it for n up to about 12.
/// @param A     n x n each, at least one
/// @param rate  [1/s], >= 0, to be proved
/// @return certified = false if there is no such P with cond P < 1e9; `sample` is then the limiting one
/// @throws Error on sizes that do not fit, values that are not finite, rate < 0
SampledCertificate common_form(const std::vector<Eigen::MatrixXd>& A, double rate = 0.0);

}  // namespace sunlagrange
