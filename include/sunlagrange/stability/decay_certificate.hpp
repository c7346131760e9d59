// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

/// A bound that a quadratic form proves for y' = A y, e.g. for the constraint error y = (g, g', psi):
///
///     ||y(t)|| <= overshoot ||y(t0)|| e^{-rate (t - t0)},     y^T P y <= (y^T P y)(t0) e^{-2 rate (t - t0)}.
///
/// This is Definition 3 of [003] with the overshoot factor that it lacks (erratum G6). Norms are Euclidean: where y
/// mixes units (g in m, g' in m/s) the overshoot depends on the units; the rate does not, unless a function says so.
///
/// The bound holds for the differential equation. It is no statement about steps of an integrator, its noise, or
/// penalty forms, whose violation tends to lambda/(Lambda K_P) and not to zero (erratum E13 of [000]).
struct DecayCertificate {
  bool certified = false;  ///< true: the bound is proved
  std::string verdict;     ///< result in words; names the condition that fails
  double rate = 0.0;       ///< [1/s], positive if certified
  double overshoot = 0.0;  ///< sqrt(cond P) >= 1; 0 unless certified
  Eigen::MatrixXd P;       ///< symmetric positive definite; empty if none exists

  /// Returns overshoot e^{-rate elapsed}.
  double bound(double elapsed) const;
};

/// Returns the certificate of a given form for constant A: rate = 1/2 lambda_min(-(A^T P + P A), P), the largest rate
/// that this P proves.
/// @throws Error on sizes that do not fit, values that are not finite, P that is not symmetric
DecayCertificate decay_certificate(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P);

/// A sample of a time-dependent error law y' = A(t) y with the form V = y^T P(t) y.
struct FormSample {
  double t = 0.0;          ///< time [s]
  Eigen::MatrixXd A;       ///< matrix of the law at t
  Eigen::MatrixXd P;       ///< matrix of the form at t, symmetric
  Eigen::MatrixXd P_rate;  ///< dP/dt along the motion; empty: zero
};

/// A DecayCertificate that rests on samples. Nothing is checked between the samples, so A, P and P' should hardly
/// change from one to the next.
struct SampledCertificate : DecayCertificate {
  int sample = -1;        ///< the sample that fails, or else the one that limits the rate; -1 without samples
  Eigen::VectorXd rates;  ///< rates of the samples: 1/2 lambda_min(-(A^T P + P A + P'), P); NaN where P is not definite
};

/// Checks A^T P + P A + P' <= -eta P, eta = 2 rate, at every sample. The verdict names the sample that fails. P of the
/// result is that of the first sample; the overshoot is sqrt(max lambda_max(P) / min lambda_min(P)) over all samples.
/// @param rate  [1/s]; a sample that proves less fails
/// @throws Error as decay_certificate(), or if there are no samples, or `t` decreases
SampledCertificate sampled_certificate(const std::vector<FormSample>& samples, double rate = 0.0);

}  // namespace sunlagrange
