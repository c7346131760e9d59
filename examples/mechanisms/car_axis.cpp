#include <cmath>

#include "mechanisms/mechanism.hpp"

/// Car axis on a bumpy road, IVP test set: a rod without inertia, a mass at either end, each carried by a spring.
///
///       (xl, yl) o------------- L -------------o (xr, yr)     mass at either end k = M eps^2 / 2 = 5e-4 kg
///                |                             |              springs: 1 N/m, free length L0; gravity 1 m/s^2 along -y
///                > spring                      > spring       left wheel O at rest
///                |                             |              right wheel W = (xb, yb) rides over the bumps:
///                O - - - - - - - - - - - - - - W              yb = r sin(w t), xb = sqrt(L^2 - yb^2)
///
/// L = 1 m, L0 = 0.5 m, r = 0.1 m, w = 10 rad/s. q = (xl, yl, xr, yr) [m]; n = 4, m = 2, both rows in m^2:
///
///     left spring across the chassis O W:  g1 = xl xb(t) + yl yb(t)                    moves
///     length of the rod:                   g2 = (xl - xr)^2 + (yl - yr)^2 - L^2
///
/// The test set adds +G^T lambda to the forces: its multipliers are minus those of this library, row by row.
/// Energy: kinetic, springs, weight. The right wheel works on it in two ways: through the end of its spring, which is
/// `power` (the explicit derivative of the spring energy by time), and through g1, which every run adds by itself.
/// Check values at the start: lambda = 0, energy 6.25e-4 J. Reference at t = 3 s: IVP test set, computed in quadruple
/// precision (an older published column has wrong digits in lambda from the eighth on).
namespace sunlagrange::mechanisms {
namespace {

struct CarAxis {
  double mass = 5e-4;      ///< at either end [kg]
  double L = 1.0;          ///< [m]
  double L0 = 0.5;         ///< free length of the springs [m]
  double gravity = 1.0;    ///< [m/s^2]
  double bump = 0.1;       ///< r [m], less than L
  double rate = 10.0;      ///< w [rad/s]
  double stiffness = 1.0;  ///< stiffness of the springs [N/m]

  enum { xl, yl, xr, yr };
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  static constexpr bool constant_mass_matrix = true;

  /// Right wheel (xb, yb) [m].
  template <class T>
  void wheel(const T& t, T& xb, T& yb) const {
    using std::sin;
    using std::sqrt;
    yb = bump * sin(rate * t);
    xb = sqrt(L * L - yb * yb);
  }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = mass;
  }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T>, View<T> f) const {
    using std::sqrt;
    T xb;
    T yb;
    wheel(t, xb, yb);
    const T dx = q[xr] - xb;
    const T dy = q[yr] - yb;
    const T left = stiffness * (L0 / sqrt(q[xl] * q[xl] + q[yl] * q[yl]) - 1.0);  // force per unit of spring vector
    const T right = stiffness * (L0 / sqrt(dx * dx + dy * dy) - 1.0);
    f[xl] = left * q[xl];
    f[yl] = left * q[yl] - mass * gravity;
    f[xr] = right * dx;
    f[yr] = right * dy - mass * gravity;
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    T xb;
    T yb;
    wheel(t, xb, yb);
    const T dx = q[xl] - q[xr];
    const T dy = q[yl] - q[yr];
    g[0] = q[xl] * xb + q[yl] * yb;
    g[1] = dx * dx + dy * dy - L * L;
  }

  double energy(double t, View<const double> q, View<const double> v) const {
    double xb = 0.0;
    double yb = 0.0;
    wheel(t, xb, yb);
    const double left = std::hypot(q[xl], q[yl]) - L0;
    const double right = std::hypot(q[xr] - xb, q[yr] - yb) - L0;
    const double kinetic = 0.5 * mass * (v[xl] * v[xl] + v[yl] * v[yl] + v[xr] * v[xr] + v[yr] * v[yr]);
    return kinetic + 0.5 * stiffness * (left * left + right * right) + mass * gravity * (q[yl] + q[yr]);
  }

  /// Power of the right wheel at its end of the right spring [W].
  double power(double t, View<const double> q, View<const double>) const {
    double xb = 0.0;
    double yb = 0.0;
    wheel(t, xb, yb);
    const double yb_dot = bump * rate * std::cos(rate * t);
    const double xb_dot = -yb * yb_dot / xb;
    const double dx = q[xr] - xb;
    const double dy = q[yr] - yb;
    return stiffness * (L0 / std::hypot(dx, dy) - 1.0) * (dx * xb_dot + dy * yb_dot);
  }

  void draw(double t, View<const double> q, Drawing& d) const {
    Drawing::Point O{}, W{}, left{q[xl], q[yl]}, right{q[xr], q[yr]};
    wheel(t, W.x, W.y);
    d.ground(O);
    d.trace(W);
    d.rod(O, W);
    d.spring(O, left);
    d.spring(W, right);
    d.rod(left, right);
    d.mass(left);
    d.mass(right);
  }

  std::vector<std::string> position_names() const { return {"xl", "yl", "xr", "yr"}; }
  std::vector<std::string> constraint_names() const { return {"left spring across chassis", "rod length"}; }
};

std::optional<ReferenceState> end_point(double t) {
  if (std::abs(t - 3.0) > 1e-12) return std::nullopt;
  return ReferenceState{Eigen::Vector4d(0.493455784275402809122e-1, 0.496989460230171153861, 1.04174252488542151681,
                                        0.373911027265361256927),
                        Eigen::Vector4d(-0.770583684040972357970e-1, 0.744686658723778553466e-2,
                                        0.175568157537232222276e-1, 0.770341043779251976443),
                        -Eigen::Vector2d(-0.473688659084893324729e-2, -0.110468033125734368808e-2)};
}

Mechanism make(int) {
  Mechanism mechanism;
  mechanism.system = make_system(CarAxis{});
  mechanism.start.q = Eigen::Vector4d(0.0, 0.5, 1.0, 0.5);
  mechanism.start.v = Eigen::Vector4d(-0.5, 0.0, -0.5, 0.0);
  mechanism.t_end = 3.0;
  mechanism.reference = end_point;
  mechanism.reference_source = "IVP test set, quadruple precision, at t = 3 s only";
  return mechanism;
}

}  // namespace

MechanismEntry make_car_axis() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
