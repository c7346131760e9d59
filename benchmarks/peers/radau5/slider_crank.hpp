// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace sunlagrange::peers {

/// The slider-crank as a user would write it by hand, q = (crank, slider, rod). What each member means: expert.hpp.
struct SliderCrank {
  static constexpr const char* name = "slider_crank";
  static constexpr int n = 3, m = 2;
  static constexpr bool accelerations = false;
  static constexpr double t_end = 10.0, first_step = 1e-4;
  static constexpr double a = 0.5;
  static constexpr double mass_diagonal[n] = {1.0, 1.0, 2.0};
  static constexpr double q0[n] = {1.5707963267948966, 0.8660254037844386, -0.5235987755982989}, v0[n] = {}, a0[n] = {},
                          lambda0[m] = {1.3102885683, -1.1701705922};

  const double *q, *v;
  double sq, cq, sp, cp, x, y, l, l_q[n];  // the spring from (middle of the crank) to (middle of the rod), and dl/dq

  void at(double, const double* positions, const double* velocities) {
    q = positions;
    v = velocities;
    sq = std::sin(q[0]);
    cq = std::cos(q[0]);
    sp = std::sin(q[2]);
    cp = std::cos(q[2]);
    x = q[1] - 0.5 * cp - 0.5 * a * cq;
    y = -0.5 * sp - 0.5 * a * sq;
    l = std::sqrt(x * x + y * y);
    l_q[0] = 0.5 * a * (x * sq - y * cq) / l;
    l_q[1] = x / l;
    l_q[2] = 0.5 * (x * sp - y * cp) / l;
  }
  double pull() const { return l - 1.0 + l_q[0] * v[0] + l_q[1] * v[1] + l_q[2] * v[2]; }
  void force(double* f) const {
    const double p = pull();
    f[0] = -p * l_q[0];
    f[1] = 1.0 - p * l_q[1];
    f[2] = -p * l_q[2] - sp;
  }
  void force_tangents(double (&K)[n][n], double (&D)[n][n]) const {
    const double x_q[n] = {0.5 * a * sq, 1.0, 0.5 * sp}, y_q[n] = {-0.5 * a * cq, 0.0, -0.5 * cp};
    const double turn[n] = {0.5 * a * (x * cq + y * sq), 0.0, 0.5 * (x * cp + y * sp)};
    double H[n][n], rate_q[n];
    for (int i = 0; i < n; ++i) {
      rate_q[i] = 0.0;
      for (int j = 0; j < n; ++j) {
        H[i][j] = (x_q[i] * x_q[j] + y_q[i] * y_q[j] + (i == j ? turn[i] : 0.0) - l_q[i] * l_q[j]) / l;
        rate_q[i] += H[i][j] * v[j];
      }
    }
    const double p = pull();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        K[i][j] = -l_q[i] * (l_q[j] + rate_q[j]) - p * H[i][j];
        D[i][j] = -l_q[i] * l_q[j];
      }
    }
    K[2][2] -= cp;
  }
  void constraint(double* g) const {
    g[0] = q[1] - cp - a * cq;
    g[1] = -sp - a * sq;
  }
  void gradient(double (&G)[m][n]) const {
    G[0][0] = a * sq;
    G[0][1] = 1.0;
    G[0][2] = sp;
    G[1][0] = -a * cq;
    G[1][1] = 0.0;
    G[1][2] = -cp;
  }
  void explicit_rate(double* g_t) const { g_t[0] = g_t[1] = 0.0; }
  void bias(double* b) const {
    b[0] = a * cq * v[0] * v[0] + cp * v[2] * v[2];
    b[1] = a * sq * v[0] * v[0] + sp * v[2] * v[2];
  }
  void curvature(const double* d, double (&W)[m][n]) const {
    W[0][0] = a * cq * d[0];
    W[0][2] = cp * d[2];
    W[1][0] = a * sq * d[0];
    W[1][2] = sp * d[2];
  }
  void explicit_rate_q(double (&)[m][n]) const {}
  void bias_tangents(double (&b_q)[m][n], double (&b_v)[m][n]) const {
    b_q[0][0] = -a * sq * v[0] * v[0];
    b_q[0][2] = -sp * v[2] * v[2];
    b_q[1][0] = a * cq * v[0] * v[0];
    b_q[1][2] = cp * v[2] * v[2];
    const double twice[n] = {2.0 * v[0], 2.0 * v[1], 2.0 * v[2]};
    curvature(twice, b_v);
  }
  void curvature_transposed(const double* lambda, double (&K)[n][n]) const {
    K[0][0] = a * (cq * lambda[0] + sq * lambda[1]);
    K[2][2] = cp * lambda[0] + sp * lambda[1];
  }
};

}  // namespace sunlagrange::peers
