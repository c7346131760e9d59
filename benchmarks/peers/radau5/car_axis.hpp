// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace sunlagrange::peers {

/// The car axis as a user would write it by hand, q = (xl, yl, xr, yr). What each member means: expert.hpp.
struct CarAxis {
  static constexpr const char* name = "car_axis";
  static constexpr int n = 4, m = 2;
  static constexpr bool accelerations = false;
  static constexpr double t_end = 3.0, first_step = 1e-4;
  static constexpr double mass = 5e-4, L = 1.0, L0 = 0.5, r = 0.1, w = 10.0;
  static constexpr double mass_diagonal[n] = {mass, mass, mass, mass};
  static constexpr double q0[n] = {0.0, 0.5, 1.0, 0.5}, v0[n] = {-0.5, 0.0, -0.5, 0.0}, a0[n] = {}, lambda0[m] = {};

  const double *q, *v;
  double xb, yb, xb1, yb1, xb2, yb2;  // right wheel and its first two derivatives

  void at(double t, const double* positions, const double* velocities) {
    q = positions;
    v = velocities;
    const double s = std::sin(w * t), c = std::cos(w * t);
    yb = r * s;
    yb1 = r * w * c;
    yb2 = -r * w * w * s;
    xb = std::sqrt(L * L - yb * yb);
    xb1 = -yb * yb1 / xb;
    xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
  }
  void force(double* f) const {
    const double dx = q[2] - xb, dy = q[3] - yb;
    const double left = L0 / std::sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0,
                 right = L0 / std::sqrt(dx * dx + dy * dy) - 1.0;
    f[0] = left * q[0];
    f[1] = left * q[1] - mass;
    f[2] = right * dx;
    f[3] = right * dy - mass;
  }
  void force_tangents(double (&K)[n][n], double (&)[n][n]) const {
    spring(q[0], q[1], &K[0][0], &K[1][0]);
    spring(q[2] - xb, q[3] - yb, &K[2][2], &K[3][2]);
  }
  void constraint(double* g) const {
    const double dx = q[0] - q[2], dy = q[1] - q[3];
    g[0] = q[0] * xb + q[1] * yb;
    g[1] = dx * dx + dy * dy - L * L;
  }
  void gradient(double (&G)[m][n]) const {
    const double dx = 2.0 * (q[0] - q[2]), dy = 2.0 * (q[1] - q[3]);
    G[0][0] = xb;
    G[0][1] = yb;
    G[0][2] = G[0][3] = 0.0;
    G[1][0] = dx;
    G[1][1] = dy;
    G[1][2] = -dx;
    G[1][3] = -dy;
  }
  void explicit_rate(double* g_t) const {
    g_t[0] = q[0] * xb1 + q[1] * yb1;
    g_t[1] = 0.0;
  }
  void bias(double* b) const {
    const double dx = v[0] - v[2], dy = v[1] - v[3];
    b[0] = q[0] * xb2 + q[1] * yb2 + 2.0 * (v[0] * xb1 + v[1] * yb1);
    b[1] = 2.0 * (dx * dx + dy * dy);
  }
  void curvature(const double* x, double (&W)[m][n]) const { difference(2.0, x, W); }
  void explicit_rate_q(double (&W)[m][n]) const {
    W[0][0] += xb1;
    W[0][1] += yb1;
  }
  void bias_tangents(double (&b_q)[m][n], double (&b_v)[m][n]) const {
    b_q[0][0] = xb2;
    b_q[0][1] = yb2;
    b_v[0][0] = 2.0 * xb1;
    b_v[0][1] = 2.0 * yb1;
    difference(4.0, v, b_v);
  }
  void curvature_transposed(const double* lambda, double (&K)[n][n]) const {
    for (int i = 0; i < n; ++i) {
      K[i][i] = 2.0 * lambda[1];
      K[i][(i + 2) % 4] = -2.0 * lambda[1];
    }
  }

 private:
  /// d(force)/d(x, y) of a spring that ends at (x, y); rows of the tangent.
  static void spring(double x, double y, double* row_x, double* row_y) {
    const double l2 = x * x + y * y, a = L0 / std::sqrt(l2), b = a / l2;
    row_x[0] = a - 1.0 - b * x * x;
    row_x[1] = row_y[0] = -b * x * y;
    row_y[1] = a - 1.0 - b * y * y;
  }
  static void difference(double factor, const double* x, double (&W)[m][n]) {
    W[1][0] = factor * (x[0] - x[2]);
    W[1][1] = factor * (x[1] - x[3]);
    W[1][2] = -W[1][0];
    W[1][3] = -W[1][1];
  }
};

}  // namespace sunlagrange::peers
