// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "hand_written.hpp"

namespace sunlagrange::hand_written {
namespace {

// Constants of the IVP test set, SI units. Bodies 2, 4, 6 are bars whose centre lies `da`, `ee`, `zz` from their joint.
constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                 I7 = 1.912e-5;
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
constexpr double stiffness = 4530.0, free_length = 0.07785, torque = 0.033;
constexpr double rr = 0.007, d = 0.028, ss = 0.035, e = 0.02, zt = 0.04, zf = 0.02, u = 0.04;
constexpr double ra = 0.00092, da = 0.0115, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
constexpr double ta = 0.02308, tb = 0.00916, ua = 0.01228, ub = 0.00449, ee = e - 0.01421, zz = zf - 0.01421;

/// (sine, cosine) of an angle times a length.
struct Arm {
  Arm(double length, double angle) : s(length * std::sin(angle)), c(length * std::cos(angle)) {}
  double s, c;
};

/// Two angles with their mass matrix [a b; b c], force, and columns (x0, y0), (x1, y1) of a loop.
struct Pair {
  double a, b, c, f0, f1;
  double x0, y0, x1, y1;

  /// M^-1 (r0, r1)
  void divide(double r0, double r1, double& z0, double& z1) const {
    const double inverse = 1.0 / (a * c - b * b);
    z0 = (c * r0 - b * r1) * inverse;
    z1 = (a * r1 - b * r0) * inverse;
  }
};

/// Lower triangle of a symmetric 2 x 2 matrix.
struct Two {
  double xx, yx, yy;
};

/// G M^-1 G^T of a loop's own part.
Two schur(const Pair& p) {
  double z0x, z1x, z0y, z1y;
  p.divide(p.x0, p.x1, z0x, z1x);
  p.divide(p.y0, p.y1, z0y, z1y);
  return {p.x0 * z0x + p.x1 * z1x, p.y0 * z0x + p.y1 * z1x, p.y0 * z0y + p.y1 * z1y};
}

/// q = (beta, theta, gamma, phi, delta, omega, epsilon). Every loop closes at E, which beta and theta move, so that
/// S = G M^-1 G^T has one block, that of E, everywhere, and own blocks on the diagonal.
class Andrews final : public Program {
 public:
  void right_hand_side(double, const double* q, double* ydot) override {
    const double* v = q + 7;
    const Arm beta(1.0, q[0]), theta(1.0, q[1]), gamma(1.0, q[2]), phi(1.0, q[3]), delta(zt, q[4]), omega(1.0, q[5]);
    const Arm epsilon(u, q[6]), bt(d, q[0] + q[1]), pd(e, q[3] + q[4]), oe(zf, q[5] + q[6]);

    const double turn = m2 * da * rr * theta.s, swing = m4 * zt * ee * phi.c, sway = m6 * u * zz * omega.c;
    const double sx = sd * gamma.c + sc * gamma.s + xb - xc, sy = sd * gamma.s - sc * gamma.c + yb - yc;
    const double length = std::sqrt(sx * sx + sy * sy), pull = stiffness * (free_length / length - 1.0);
    const double c2 = m2 * (da * da - da * rr * theta.c) + I2, c4 = m4 * (ee * ee + zt * ee * phi.s) + I4,
                 c6 = m6 * (zz * zz - u * zz * omega.s) + I6;
    const Pair end{m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * theta.c + da * da) + I1 + I2,
                   c2,
                   m2 * da * da + I2,
                   torque - turn * v[1] * (v[1] + 2.0 * v[0]),
                   turn * v[0] * v[0],
                   -rr * beta.s + bt.s,
                   rr * beta.c - bt.c,
                   bt.s,
                   -bt.c};
    const Pair left{m4 * ee * ee + I4,
                    c4,
                    m4 * (zt * zt + 2.0 * zt * ee * phi.s + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5,
                    swing * v[4] * v[4],
                    -swing * v[3] * (v[3] + 2.0 * v[4]),
                    -pd.c,
                    -pd.s,
                    -pd.c + delta.s,
                    -pd.s - delta.c};
    const Pair right{m6 * zz * zz + I6,
                     c6,
                     m6 * (zz * zz - 2.0 * u * zz * omega.s + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7,
                     -sway * v[6] * v[6],
                     sway * v[5] * (v[5] + 2.0 * v[6]),
                     oe.s,
                     -oe.c,
                     oe.s - epsilon.c,
                     -oe.c - epsilon.s};
    constexpr double inverse_mass = 1.0 / (m3 * (sa * sa + sb * sb) + I3);
    const double f2 = pull * (sx * (sc * gamma.c - sd * gamma.s) + sy * (sd * gamma.c + sc * gamma.s));
    const double gx = -ss * gamma.c, gy = -ss * gamma.s;

    // right-hand side of the rows: minus G' v - 2 w G v - w^2 g, of E and of each loop
    const double v01 = v[0] + v[1], v34 = v[3] + v[4], v56 = v[5] + v[6];
    const double e_rate_x = end.x0 * v[0] + end.x1 * v[1], e_rate_y = end.y0 * v[0] + end.y1 * v[1];
    const double ex = rr * beta.c - bt.c, ey = rr * beta.s - bt.s;
    const double e_turn_x = rr * beta.c * v[0] * v[0] - bt.c * v01 * v01,
                 e_turn_y = rr * beta.s * v[0] * v[0] - bt.s * v01 * v01;
    const auto row = [](double bias, double rate, double g) { return bias - 2.0 * w * rate - w * w * g; };
    const double b[6] = {row(e_turn_x - ss * gamma.s * v[2] * v[2], e_rate_x + gx * v[2], ex - ss * gamma.s - xb),
                         row(e_turn_y + ss * gamma.c * v[2] * v[2], e_rate_y + gy * v[2], ey + ss * gamma.c - yb),
                         row(e_turn_x - pd.s * v34 * v34 - delta.c * v[4] * v[4],
                             e_rate_x + left.x0 * v[3] + left.x1 * v[4], ex - pd.s - delta.c - xa),
                         row(e_turn_y + pd.c * v34 * v34 - delta.s * v[4] * v[4],
                             e_rate_y + left.y0 * v[3] + left.y1 * v[4], ey + pd.c - delta.s - ya),
                         row(e_turn_x - oe.c * v56 * v56 - epsilon.s * v[6] * v[6],
                             e_rate_x + right.x0 * v[5] + right.x1 * v[6], ex - oe.c - epsilon.s - xa),
                         row(e_turn_y - oe.s * v56 * v56 + epsilon.c * v[6] * v[6],
                             e_rate_y + right.y0 * v[5] + right.y1 * v[6], ey - oe.s + epsilon.c - ya)};

    // S lambda = G M^-1 f - b
    double a[7];
    end.divide(end.f0, end.f1, a[0], a[1]);
    a[2] = f2 * inverse_mass;
    left.divide(left.f0, left.f1, a[3], a[4]);
    right.divide(right.f0, right.f1, a[5], a[6]);
    const Two at_end = schur(end), of_left = schur(left), of_right = schur(right);
    const Two own[3] = {{gx * gx * inverse_mass, gy * gx * inverse_mass, gy * gy * inverse_mass}, of_left, of_right};
    const double fx = end.x0 * a[0] + end.x1 * a[1], fy = end.y0 * a[0] + end.y1 * a[1];
    double lambda[6] = {fx + gx * a[2],
                        fy + gy * a[2],
                        fx + left.x0 * a[3] + left.x1 * a[4],
                        fy + left.y0 * a[3] + left.y1 * a[4],
                        fx + right.x0 * a[5] + right.x1 * a[6],
                        fy + right.y0 * a[5] + right.y1 * a[6]};
    for (int i = 0; i < 6; ++i) lambda[i] -= b[i];
    solve(at_end, own, lambda);

    const double lx = lambda[0] + lambda[2] + lambda[4], ly = lambda[1] + lambda[3] + lambda[5];
    double z0, z1;
    end.divide(end.x0 * lx + end.y0 * ly, end.x1 * lx + end.y1 * ly, z0, z1);
    a[0] -= z0;
    a[1] -= z1;
    a[2] -= (gx * lambda[0] + gy * lambda[1]) * inverse_mass;
    left.divide(left.x0 * lambda[2] + left.y0 * lambda[3], left.x1 * lambda[2] + left.y1 * lambda[3], z0, z1);
    a[3] -= z0;
    a[4] -= z1;
    right.divide(right.x0 * lambda[4] + right.y0 * lambda[5], right.x1 * lambda[4] + right.y1 * lambda[5], z0, z1);
    a[5] -= z0;
    a[6] -= z1;
    std::copy(v, v + 7, ydot);
    std::copy(a, a + 7, ydot + 7);
  }

 private:
  /// x <- S^-1 x by L D L^T.
  static void solve(const Two& common, const Two own[3], double x[6]) {
    double S[6][6];
    for (int k = 0; k < 6; k += 2) {
      for (int l = 0; l <= k; l += 2) {
        const bool diagonal = k == l;
        S[k][l] = common.xx + (diagonal ? own[k / 2].xx : 0.0);
        S[k + 1][l] = common.yx + (diagonal ? own[k / 2].yx : 0.0);
        S[k][l + 1] = common.yx;
        S[k + 1][l + 1] = common.yy + (diagonal ? own[k / 2].yy : 0.0);
      }
    }
    double inverse[6];
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < i; ++j) {
        for (int k = 0; k < j; ++k) S[i][j] -= S[i][k] * S[j][k];  // S[i][k]: still times the pivot; S[j][k]: L
      }
      for (int j = 0; j < i; ++j) {
        const double l = S[i][j] * inverse[j];
        S[i][i] -= S[i][j] * l;
        S[i][j] = l;
      }
      inverse[i] = 1.0 / S[i][i];
    }
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= S[i][k] * x[k];
    }
    for (int i = 5; i >= 0; --i) {
      x[i] *= inverse[i];
      for (int k = i + 1; k < 6; ++k) x[i] -= S[k][i] * x[k];
    }
  }
};

}  // namespace

std::unique_ptr<Program> andrews() {
  return std::make_unique<Andrews>();
}

}  // namespace sunlagrange::hand_written
