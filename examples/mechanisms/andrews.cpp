#include <cmath>
#include <string>

#include "mechanisms/mechanism.hpp"

/// Andrews' squeezing mechanism: seven bodies driven by a motor, three closed loops and a spring. IVP test set problem
/// (constants, start and coordinates as there); IFToMM problem A03.
///
///      C  o fixed end of the spring             crank O-F turns by beta (motor torque 0.033 N m about O);
///          \   spring c0, l0                    coupler F-E carries theta, relative to the crank;
///      B    o D          E: where the           B-E: triangle with the spring point D, angle gamma;
///       o--------------o   three loops meet     A-G-E: phi relative to delta;
///       |    gamma   / | \                      A-H-E: omega relative to epsilon.
///      fixed        /  |  F
///           G o    /   |   \  theta             A, B, C, O are fixed; O is the origin.
///            phi \ |   o H  o O
///                  o A        beta              Every row of g closes a loop O-F-E: rows 1, 2 with B-E,
///              delta, epsilon                   rows 3, 4 with A-G-E, rows 5, 6 with A-H-E (x, then y).
///
/// q = (beta, theta, gamma, phi, delta, omega, epsilon) [rad]; n = 7, m = 6: one degree of freedom. No gravity.
/// Energy: kinetic plus spring; the motor's torque is not in it, its power is torque x beta'.
/// Check values at the start: beta'' = 14222.4439199541, lambda_1 = 98.56687039624, lambda_2 = -6.12268834425.
/// Reference at t = 0.03 s: index-1 elimination by an eighth-order Runge-Kutta method, tolerances 1e-11 to 3e-14 agree
/// to 4e-13; the published end point of the test set is good to 3e-10 only.
namespace sunlagrange::mechanisms {
namespace {

struct Andrews {
  // masses [kg], moments of inertia [kg m^2] of bodies 1 ... 7
  double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
  // fixed points A, B, C [m]
  double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  // spring [N/m], free length [m]; motor torque [N m]
  double c0 = 4530.0, l0 = 0.07785, torque = 0.033;
  // lengths [m], named as in the test set
  double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
         sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
         zf = 0.02, zt = 0.04, fa = 0.01421;

  void describe_parameters(Parameters& p) {
    double* const masses[] = {&m1, &m2, &m3, &m4, &m5, &m6, &m7};
    double* const inertias[] = {&I1, &I2, &I3, &I4, &I5, &I6, &I7};
    for (int k = 0; k < 7; ++k) {
      p.not_negative(("m" + std::to_string(k + 1)).c_str(), *masses[k], "kg", "mass of a body");
      p.not_negative(("I" + std::to_string(k + 1)).c_str(), *inertias[k], "kg m^2", "moment of inertia of a body");
    }
    p.finite("xa", xa, "m", "x of A");
    p.finite("ya", ya, "m", "y of A");
    p.finite("xb", xb, "m", "x of B");
    p.finite("yb", yb, "m", "y of B");
    p.finite("xc", xc, "m", "x of C");
    p.finite("yc", yc, "m", "y of C");
    p.not_negative("c0", c0, "N/m", "stiffness of the spring");
    p.positive("l0", l0, "m", "free length of the spring");
    p.finite("torque", torque, "N m", "of the motor");
    p.positive("d", d, "m", "length F-E");
    p.positive("rr", rr, "m", "length O-F");
    p.positive("ss", ss, "m", "length B-E");
    p.positive("u", u, "m", "length A-H");
    p.positive("zf", zf, "m", "length H-E");
    p.positive("zt", zt, "m", "length A-G");
    p.positive("e", e, "m", "length G-E");
  }

  enum { beta, theta, gamma, phi, delta, omega, epsilon };
  static constexpr int num_positions = 7;
  static constexpr int num_constraints = 6;

  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    using std::cos;
    using std::sin;
    const T cos_theta = cos(q[theta]);
    const T sin_phi = sin(q[phi]);
    const T sin_omega = sin(q[omega]);
    const double ee = e - ea;
    const double zz = zf - fa;
    M(beta, beta) = m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * cos_theta + da * da) + I1 + I2;
    M(beta, theta) = M(theta, beta) = m2 * (da * da - da * rr * cos_theta) + I2;
    M(theta, theta) = m2 * da * da + I2;
    M(gamma, gamma) = m3 * (sa * sa + sb * sb) + I3;
    M(phi, phi) = m4 * ee * ee + I4;
    M(phi, delta) = M(delta, phi) = m4 * (ee * ee + zt * ee * sin_phi) + I4;
    M(delta, delta) = m4 * (zt * zt + 2.0 * zt * ee * sin_phi + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M(omega, omega) = m6 * zz * zz + I6;
    M(omega, epsilon) = M(epsilon, omega) = m6 * (zz * zz - u * zz * sin_omega) + I6;
    M(epsilon, epsilon) = m6 * (zz * zz - 2.0 * u * zz * sin_omega + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const T cos_gamma = cos(q[gamma]);
    const T sin_gamma = sin(q[gamma]);
    const T x = sd * cos_gamma + sc * sin_gamma + xb - xc;  // spring: from C to D
    const T y = sd * sin_gamma - sc * cos_gamma + yb - yc;
    const T length = sqrt(x * x + y * y);
    const T pull = -c0 * (length - l0) / length;
    const T swing_theta = m2 * da * rr * sin(q[theta]);
    const T swing_phi = m4 * zt * (e - ea) * cos(q[phi]);
    const T swing_omega = m6 * u * (zf - fa) * cos(q[omega]);
    f[beta] = torque - swing_theta * v[theta] * (v[theta] + 2.0 * v[beta]);
    f[theta] = swing_theta * v[beta] * v[beta];
    f[gamma] = pull * (x * (sc * cos_gamma - sd * sin_gamma) + y * (sd * cos_gamma + sc * sin_gamma));
    f[phi] = swing_phi * v[delta] * v[delta];
    f[delta] = -swing_phi * v[phi] * (v[phi] + 2.0 * v[delta]);
    f[omega] = -swing_omega * v[epsilon] * v[epsilon];
    f[epsilon] = swing_omega * v[omega] * (v[omega] + 2.0 * v[epsilon]);
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos;
    using std::sin;
    const T x = rr * cos(q[beta]) - d * cos(q[beta] + q[theta]);  // E, reached over O-F
    const T y = rr * sin(q[beta]) - d * sin(q[beta] + q[theta]);
    const T pd = q[phi] + q[delta];
    const T oe = q[omega] + q[epsilon];
    g[0] = x - ss * sin(q[gamma]) - xb;
    g[1] = y + ss * cos(q[gamma]) - yb;
    g[2] = x - e * sin(pd) - zt * cos(q[delta]) - xa;
    g[3] = y + e * cos(pd) - zt * sin(q[delta]) - ya;
    g[4] = x - zf * cos(oe) - u * sin(q[epsilon]) - xa;
    g[5] = y - zf * sin(oe) + u * cos(q[epsilon]) - ya;
  }

  double energy(double t, View<const double> q, View<const double> v) const {
    double M[49] = {};
    mass_matrix<double>(t, q, MatrixView<double>(M, 7, 7));
    double sum = 0.0;
    for (int k = 0; k < 49; ++k) sum += 0.5 * v[k % 7] * M[k] * v[k / 7];
    const double x = sd * std::cos(q[gamma]) + sc * std::sin(q[gamma]) + xb - xc;
    const double y = sd * std::sin(q[gamma]) - sc * std::cos(q[gamma]) + yb - yc;
    const double stretch = std::hypot(x, y) - l0;
    return sum + 0.5 * c0 * stretch * stretch;
  }
  double power(double, View<const double>, View<const double> v) const { return torque * v[beta]; }

  void draw(double, View<const double> q, Drawing& drawing) const {
    using std::cos;
    using std::sin;
    const Drawing::Point O{}, A{xa, ya}, B{xb, yb}, C{xc, yc};
    const Drawing::Point F{rr * cos(q[beta]), rr * sin(q[beta])};
    const Drawing::Point E{F.x - d * cos(q[beta] + q[theta]), F.y - d * sin(q[beta] + q[theta])};
    const Drawing::Point D{B.x + sd * cos(q[gamma]) + sc * sin(q[gamma]),
                           B.y + sd * sin(q[gamma]) - sc * cos(q[gamma])};
    const Drawing::Point G{A.x + zt * cos(q[delta]), A.y + zt * sin(q[delta])};
    const Drawing::Point H{A.x + u * sin(q[epsilon]), A.y - u * cos(q[epsilon])};
    const auto bar = [&](int body, Drawing::Point from, Drawing::Point to) {
      drawing.on_body(from, body);
      drawing.on_body(to, body);
    };
    bar(beta, O, F);
    bar(theta, F, E);
    bar(gamma, B, E);
    drawing.on_body(D, gamma);
    bar(delta, A, G);
    bar(phi, G, E);
    bar(epsilon, A, H);
    bar(omega, H, E);
    drawing.spring(C, D);
    for (const Drawing::Point& p : {O, A, B}) drawing.pin(drawing.ground(p));
    drawing.ground(C);
    for (const Drawing::Point& p : {E, F, G, H}) drawing.pin(p);
  }

  std::vector<std::string> position_names() const {
    return {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};
  }
  std::vector<std::string> constraint_names() const {
    return {"loop B x", "loop B y", "loop A-G x", "loop A-G y", "loop A-H x", "loop A-H y"};
  }
};

std::optional<ReferenceState> end_point(double t) {
  if (std::abs(t - 0.03) > 1e-12) return std::nullopt;
  ReferenceState end{Eigen::VectorXd(7), Eigen::VectorXd(7), Eigen::VectorXd(6)};
  end.q << 15.8107711951541, -15.7563710584123, 0.04082224011963588, -0.5347301163420956, 0.5244099658799541,
      0.5347301163420978, 1.048080741041945;
  end.v << 1139.920302259121, -1424.379295177549, 11.03291191072305, 19.2933741052145, 0.5735699148348512,
      -19.29337410521435, 0.3231791492518405;
  end.lambda << 199.1753481045341, -29.75530997498544, 23.06654361162206, 31.4527252757708, 22.64249478639363,
      11.61739235260568;
  return end;
}

Mechanism make(int) {
  Mechanism mechanism;
  mechanism.system = make_system(Andrews{});
  mechanism.start.q.resize(7);
  mechanism.start.q << -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842551,
      -0.222668390165885885, 1.23054744454982119;
  mechanism.t_end = 0.03;
  mechanism.reference = end_point;
  mechanism.reference_source = "index-1 elimination, tolerances to 3e-14, at t = 0.03 s only";
  return mechanism;
}

}  // namespace

MechanismEntry make_andrews() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
