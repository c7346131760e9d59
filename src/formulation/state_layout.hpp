// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/model/motion_state.hpp>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

/// Lengths of the parts of y = (q, v, lambda, mu), and of every vector like it: y', residuals, weights.
struct StateLayout {
  int n = 0;                            ///< q
  int n_v = 0;                          ///< v: n, or 0 where q alone is integrated
  int m = 0;                            ///< lambda
  int m_mu = 0;                         ///< mu, second multipliers
  bool integrated_multipliers = false;  ///< y contains L and U with L' = lambda, U' = mu

  int size() const { return n + n_v + m + m_mu; }

  template <class Scalar>
  auto q(Scalar* y) const {
    return as_vector(y, n);
  }
  template <class Scalar>
  auto v(Scalar* y) const {
    return as_vector(y + n, n_v);
  }
  template <class Scalar>
  auto lambda(Scalar* y) const {
    return as_vector(y + n + n_v, m);
  }
  template <class Scalar>
  auto mu(Scalar* y) const {
    return as_vector(y + n + n_v + m, m_mu);
  }
  /// Returns lambda and mu.
  template <class Scalar>
  auto multipliers(Scalar* y) const {
    return as_vector(y + n + n_v, m + m_mu);
  }

  /// Returns y or y', whichever contains lambda and mu themselves.
  const double* with_multipliers(const double* y, const double* yp) const { return integrated_multipliers ? yp : y; }

  /// Writes y of a state, and y' unless `yp` is null, with mu = 0.
  void pack(const MotionState& state, double* y, double* yp) const {
    as_vector(y, size()).setZero();
    q(y) = state.q;
    v(y) = state.v.head(n_v);
    if (!integrated_multipliers) lambda(y) = state.lambda.head(m);
    if (yp == nullptr) return;
    as_vector(yp, size()).setZero();
    q(yp) = state.v;
    v(yp) = state.a.head(n_v);
    if (integrated_multipliers) lambda(yp) = state.lambda.head(m);
  }
};

}  // namespace sunlagrange::internal
