// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace sunlagrange::peers {

/// Andrews' squeezing mechanism as a user would write it by hand, constants of the IVP test set,
/// q = (beta, theta, gamma, phi, delta, omega, epsilon). What each member means: expert.hpp.
struct Andrews {
  static constexpr const char* name = "andrews";
  static constexpr int n = 7, m = 6;
  static constexpr bool accelerations = true;
  static constexpr double t_end = 0.03, first_step = 1e-6;
  static constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                          m7 = 0.05498, I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                          I6 = 5.667e-7, I7 = 1.912e-5;
  static constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072,
                          c0 = 4530.0, l0 = 0.07785, torque = 0.033;
  static constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
                          sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                          ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, ee = e - ea, zz = zf - fa;
  static constexpr double q0[n] = {-0.0617138900142764496, 0.0,
                                   0.455279819163070380,   0.222668390165885885,
                                   0.487364979543842551,   -0.222668390165885885,
                                   1.23054744454982119},
                          v0[n] = {}, a0[n] = {14222.4439199541, -10666.8329399658},
                          lambda0[m] = {98.56687039624109, -6.122688344255663};
  static constexpr double mass_diagonal[n] = {};  // not constant

  const double *q, *v;
  double s0, c0_, s01, c01, s1, c1, s2, c2, s3, c3, s4, c4, s34, c34, s5, c5, s6, c6, s56, c56;

  void at(double, const double* positions, const double* velocities) {
    q = positions;
    v = velocities;
    sine_cosine(q[0], s0, c0_);
    sine_cosine(q[1], s1, c1);
    sine_cosine(q[2], s2, c2);
    sine_cosine(q[3], s3, c3);
    sine_cosine(q[4], s4, c4);
    sine_cosine(q[5], s5, c5);
    sine_cosine(q[6], s6, c6);
    add(s0, c0_, s1, c1, s01, c01);
    add(s3, c3, s4, c4, s34, c34);
    add(s5, c5, s6, c6, s56, c56);
  }
  /// Nothing else is not zero.
  void mass(double (&M)[n][n]) const {
    M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * c1 + da * da) + I1 + I2;
    M[0][1] = M[1][0] = m2 * (da * da - da * rr * c1) + I2;
    M[1][1] = m2 * da * da + I2;
    M[2][2] = m3 * (sa * sa + sb * sb) + I3;
    M[3][3] = m4 * ee * ee + I4;
    M[3][4] = M[4][3] = m4 * (ee * ee + zt * ee * s3) + I4;
    M[4][4] = m4 * (zt * zt + 2.0 * zt * ee * s3 + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[5][5] = m6 * zz * zz + I6;
    M[5][6] = M[6][5] = m6 * (zz * zz - u * zz * s5) + I6;
    M[6][6] = m6 * (zz * zz - 2.0 * u * zz * s5 + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  }
  void subtract_mass_times(const double* a, double* f) const {
    double M[n][n];
    mass(M);
    f[0] -= M[0][0] * a[0] + M[0][1] * a[1];
    f[1] -= M[0][1] * a[0] + M[1][1] * a[1];
    f[2] -= M[2][2] * a[2];
    f[3] -= M[3][3] * a[3] + M[3][4] * a[4];
    f[4] -= M[3][4] * a[3] + M[4][4] * a[4];
    f[5] -= M[5][5] * a[5] + M[5][6] * a[6];
    f[6] -= M[5][6] * a[5] + M[6][6] * a[6];
  }
  void subtract_mass_tangent(const double* a, double (&K)[n][n]) const {
    const double p = m2 * da * rr * s1, r = m4 * zt * ee * c3, w = -m6 * u * zz * c5;
    K[0][1] -= 2.0 * p * a[0] + p * a[1];
    K[1][1] -= p * a[0];
    K[3][3] -= r * a[4];
    K[4][3] -= r * a[3] + 2.0 * r * a[4];
    K[5][5] -= w * a[6];
    K[6][5] -= w * a[5] + 2.0 * w * a[6];
  }
  void force(double* f) const {
    const double x = sd * c2 + sc * s2 + xb - xc, y = sd * s2 - sc * c2 + yb - yc, l = std::sqrt(x * x + y * y);
    const double p = m2 * da * rr * s1, r = m4 * zt * ee * c3, w = m6 * u * zz * c5;
    f[0] = torque - p * v[1] * (v[1] + 2.0 * v[0]);
    f[1] = p * v[0] * v[0];
    f[2] = -c0 * (l - l0) / l * (x * (sc * c2 - sd * s2) + y * (sd * c2 + sc * s2));
    f[3] = r * v[4] * v[4];
    f[4] = -r * v[3] * (v[3] + 2.0 * v[4]);
    f[5] = -w * v[6] * v[6];
    f[6] = w * v[5] * (v[5] + 2.0 * v[6]);
  }
  void force_tangents(double (&K)[n][n], double (&D)[n][n]) const {
    const double x = sd * c2 + sc * s2 + xb - xc, y = sd * s2 - sc * c2 + yb - yc, l = std::sqrt(x * x + y * y);
    const double x1 = sc * c2 - sd * s2, y1 = sd * c2 + sc * s2, l1 = (x * x1 + y * y1) / l;
    const double l2 = (x1 * x1 + y1 * y1 - x * y1 + y * x1 - l1 * l1) / l;
    K[2][2] = -c0 * (l1 * l1 + (l - l0) * l2);
    const double p = m2 * da * rr, r = m4 * zt * ee, w = m6 * u * zz;
    K[0][1] = -p * c1 * v[1] * (v[1] + 2.0 * v[0]);
    K[1][1] = p * c1 * v[0] * v[0];
    K[3][3] = -r * s3 * v[4] * v[4];
    K[4][3] = r * s3 * v[3] * (v[3] + 2.0 * v[4]);
    K[5][5] = w * s5 * v[6] * v[6];
    K[6][5] = -w * s5 * v[5] * (v[5] + 2.0 * v[6]);
    D[0][0] = -2.0 * p * s1 * v[1];
    D[0][1] = -2.0 * p * s1 * (v[0] + v[1]);
    D[1][0] = 2.0 * p * s1 * v[0];
    D[3][4] = 2.0 * r * c3 * v[4];
    D[4][3] = -2.0 * r * c3 * (v[3] + v[4]);
    D[4][4] = -2.0 * r * c3 * v[3];
    D[5][6] = -2.0 * w * c5 * v[6];
    D[6][5] = 2.0 * w * c5 * (v[5] + v[6]);
    D[6][6] = 2.0 * w * c5 * v[5];
  }
  void constraint(double* g) const {
    const double x = rr * c0_ - d * c01, y = rr * s0 - d * s01;
    g[0] = x - ss * s2 - xb;
    g[1] = y + ss * c2 - yb;
    g[2] = x - e * s34 - zt * c4 - xa;
    g[3] = y + e * c34 - zt * s4 - ya;
    g[4] = x - zf * c56 - u * s6 - xa;
    g[5] = y - zf * s56 + u * c6 - ya;
  }
  void gradient(double (&G)[m][n]) const {
    for (auto& row : G) {
      for (double& entry : row) entry = 0.0;
    }
    for (int k = 0; k < m; k += 2) {
      G[k][0] = -rr * s0 + d * s01;
      G[k][1] = d * s01;
      G[k + 1][0] = rr * c0_ - d * c01;
      G[k + 1][1] = -d * c01;
    }
    G[0][2] = -ss * c2;
    G[1][2] = -ss * s2;
    G[2][3] = -e * c34;
    G[2][4] = -e * c34 + zt * s4;
    G[3][3] = -e * s34;
    G[3][4] = -e * s34 - zt * c4;
    G[4][5] = zf * s56;
    G[4][6] = zf * s56 - u * c6;
    G[5][5] = -zf * c56;
    G[5][6] = -zf * c56 - u * s6;
  }
  void explicit_rate(double* g_t) const {
    for (int i = 0; i < m; ++i) g_t[i] = 0.0;
  }
  void bias(double* b) const {
    const double t0 = v[0] * v[0], t01 = square(v[0] + v[1]), t34 = square(v[3] + v[4]), t56 = square(v[5] + v[6]);
    const double x = -rr * c0_ * t0 + d * c01 * t01, y = -rr * s0 * t0 + d * s01 * t01;
    b[0] = x + ss * s2 * v[2] * v[2];
    b[1] = y - ss * c2 * v[2] * v[2];
    b[2] = x + e * s34 * t34 + zt * c4 * v[4] * v[4];
    b[3] = y - e * c34 * t34 + zt * s4 * v[4] * v[4];
    b[4] = x + zf * c56 * t56 + u * s6 * v[6] * v[6];
    b[5] = y + zf * s56 * t56 - u * c6 * v[6] * v[6];
  }
  void curvature(const double* x, double (&W)[m][n]) const {
    curve(x[0], x[0] + x[1], x[2], x[3] + x[4], x[4], x[5] + x[6], x[6], {c0_, c01, c2, c34, c4, c56, c6},
          {s0, s01, s2, s34, s4, s56, s6}, W);
  }
  void explicit_rate_q(double (&)[m][n]) const {}
  /// Differentiating once more turns (cos, sin) into (-sin, cos).
  void bias_tangents(double (&b_q)[m][n], double (&b_v)[m][n]) const {
    curve(square(v[0]), square(v[0] + v[1]), square(v[2]), square(v[3] + v[4]), square(v[4]), square(v[5] + v[6]),
          square(v[6]), {-s0, -s01, -s2, -s34, -s4, -s56, -s6}, {c0_, c01, c2, c34, c4, c56, c6}, b_q);
    double twice[n];
    for (int i = 0; i < n; ++i) twice[i] = 2.0 * v[i];
    curvature(twice, b_v);
  }
  void curvature_transposed(const double* l, double (&K)[n][n]) const {
    const double x = l[0] + l[2] + l[4], y = l[1] + l[3] + l[5];
    const double both = d * (c01 * x + s01 * y);
    K[0][0] = both - rr * (c0_ * x + s0 * y);
    K[0][1] = K[1][0] = K[1][1] = both;
    K[2][2] = ss * (s2 * l[0] - c2 * l[1]);
    const double ge = e * (s34 * l[2] - c34 * l[3]), he = zf * (c56 * l[4] + s56 * l[5]);
    K[3][3] = K[3][4] = K[4][3] = ge;
    K[4][4] = ge + zt * (c4 * l[2] + s4 * l[3]);
    K[5][5] = K[5][6] = K[6][5] = he;
    K[6][6] = he + u * (s6 * l[4] - c6 * l[5]);
  }

 private:
  struct Seven {
    double a0, a01, a2, a34, a4, a56, a6;
  };
  static double square(double x) { return x * x; }
  static void sine_cosine(double x, double& s, double& c) {
    s = std::sin(x);
    c = std::cos(x);
  }
  static void add(double sx, double cx, double sy, double cy, double& s, double& c) {
    s = sx * cy + cx * sy;
    c = cx * cy - sx * sy;
  }
  static void curve(double x0, double x01, double x2, double x34, double x4, double x56, double x6, const Seven& c,
                    const Seven& s, double (&W)[m][n]) {
    for (int k = 0; k < m; k += 2) {
      W[k][1] = d * c.a01 * x01;
      W[k][0] = W[k][1] - rr * c.a0 * x0;
      W[k + 1][1] = d * s.a01 * x01;
      W[k + 1][0] = W[k + 1][1] - rr * s.a0 * x0;
    }
    W[0][2] = ss * s.a2 * x2;
    W[1][2] = -ss * c.a2 * x2;
    W[2][3] = e * s.a34 * x34;
    W[2][4] = W[2][3] + zt * c.a4 * x4;
    W[3][3] = -e * c.a34 * x34;
    W[3][4] = W[3][3] + zt * s.a4 * x4;
    W[4][5] = zf * c.a56 * x56;
    W[4][6] = W[4][5] + u * s.a6 * x6;
    W[5][5] = zf * s.a56 * x56;
    W[5][6] = W[5][5] - u * c.a6 * x6;
  }
};

}  // namespace sunlagrange::peers
