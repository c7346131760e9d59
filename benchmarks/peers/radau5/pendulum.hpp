// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange::peers {

/// The pendulum as a user would write it by hand: g = (x^2 + y^2 - 1) / 2. What each member means: expert.hpp.
struct Pendulum {
  static constexpr const char* name = "pendulum";
  static constexpr int n = 2, m = 1;
  static constexpr bool accelerations = false;
  static constexpr double t_end = 10.0, first_step = 1e-4;
  static constexpr double mass_diagonal[n] = {1.0, 1.0};
  static constexpr double q0[n] = {1.0, 0.0}, v0[n] = {}, a0[n] = {0.0, -9.81}, lambda0[m] = {};

  const double *q, *v;

  void at(double, const double* positions, const double* velocities) {
    q = positions;
    v = velocities;
  }
  void force(double* f) const {
    f[0] = 0.0;
    f[1] = -9.81;
  }
  void force_tangents(double (&)[n][n], double (&)[n][n]) const {}
  void constraint(double* g) const { g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); }
  void gradient(double (&G)[m][n]) const {
    G[0][0] = q[0];
    G[0][1] = q[1];
  }
  void explicit_rate(double* g_t) const { g_t[0] = 0.0; }
  void bias(double* b) const { b[0] = v[0] * v[0] + v[1] * v[1]; }
  void curvature(const double* x, double (&W)[m][n]) const {
    W[0][0] = x[0];
    W[0][1] = x[1];
  }
  void explicit_rate_q(double (&)[m][n]) const {}
  void bias_tangents(double (&)[m][n], double (&b_v)[m][n]) const {
    b_v[0][0] = 2.0 * v[0];
    b_v[0][1] = 2.0 * v[1];
  }
  void curvature_transposed(const double* lambda, double (&K)[n][n]) const { K[0][0] = K[1][1] = lambda[0]; }
};

}  // namespace sunlagrange::peers
