#include <cmath>

#include <sunlagrange/elements/planar/eccentric_body.hpp>
#include <sunlagrange/elements/planar/knife_edge.hpp>

#include "mechanisms/mechanism.hpp"

/// Chaplygin sleigh: a body on a smooth plane, held by one blade (or wheel) behind its centre of mass.
///
///                   . - ' |
///          phi ,-'   C    |      m = 1 kg, Theta = 0.1 kg m^2 about the centre of mass C, a = 0.1 m from the blade A
///       ..,-' A=     .  - '      to C; the blade at A = (x, y) moves only along the body, at angle phi
///     x       ` - '
///
/// q = (x, y, phi) of the blade [m, m, rad]; n = 3, no holonomic row, one nonholonomic row: the velocity of A across
/// the blade [m/s]. No forces: energy is conserved, and yet every motion ends straight ahead. With u the speed along
/// the blade, w = phi', J = Theta + m a^2: u' = a w^2, w' = -(m a / J) u w, so
///
///     u = V tanh(r t + c),  w = W / cosh(r t + c),  W = V sqrt(m / J),  r = m a V / J,  2 E = m V^2.
///
/// Start: at the origin, phi = 0, u = 0.5 m/s backwards, w = 2 rad/s: it turns round and leaves forwards. Reference:
/// these, phi = (W/r) (gd(r t + c) - gd(c)) with the Gudermannian, and x, y by Gauss quadrature of u (cos, sin) phi to
/// rounding. lambda = -m (u w + a w') [N]: the force on the blade is along its left normal.
namespace sunlagrange::mechanisms {
namespace {

struct Motion {
  double m = 1.0, Theta = 0.1, a = 0.1;
  double u0 = -0.5, w0 = 2.0;

  double J() const { return Theta + m * a * a; }
  double V() const { return std::sqrt(u0 * u0 + J() * w0 * w0 / m); }
  double r() const { return m * a * V() / J(); }
  double phase(double t) const { return r() * t + std::atanh(u0 / V()); }
  double u(double t) const { return V() * std::tanh(phase(t)); }
  double w(double t) const { return V() * std::sqrt(m / J()) / std::cosh(phase(t)); }
  double phi(double t) const {
    const auto gudermann = [](double s) { return 2.0 * std::atan(std::tanh(0.5 * s)); };
    return V() * std::sqrt(m / J()) / r() * (gudermann(phase(t)) - gudermann(phase(0.0)));
  }

  /// Five-point Gauss-Legendre rule on pieces of 1/20 s.
  Eigen::Vector2d position(double t) const {
    const double nodes[] = {0.0, 0.5384693101056831, 0.9061798459386640};
    const double weights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const int pieces = 1 + static_cast<int>(20.0 * std::abs(t));
    const double half = 0.5 * t / pieces;
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (int k = 0; k < pieces; ++k) {
      const double middle = (2 * k + 1) * half;
      for (int i = 0; i < 3; ++i) {
        for (const double side : {-1.0, 1.0}) {
          if (i == 0 && side > 0.0) continue;
          const double s = middle + side * nodes[i] * half;
          sum += weights[i] * half * u(s) * Eigen::Vector2d(std::cos(phi(s)), std::sin(phi(s)));
        }
      }
    }
    return sum;
  }

  ReferenceState state(double t) const {
    ReferenceState s;
    const Eigen::Vector2d at = position(t);
    s.q = Eigen::Vector3d(at.x(), at.y(), phi(t));
    s.v = Eigen::Vector3d(u(t) * std::cos(phi(t)), u(t) * std::sin(phi(t)), w(t));
    const double w_dot = -m * a / J() * u(t) * w(t);
    s.lambda = Eigen::VectorXd::Constant(1, -m * (u(t) * w(t) + a * w_dot));
    return s;
  }
};

Mechanism make(int) {
  const Motion motion;
  Assembly assembly;
  const Block body = assembly.add_coordinates("sleigh", BlockKind::planar_body);
  assembly.add("inertia", EccentricBody{motion.m, motion.Theta, motion.a, 0.0}, {body});
  assembly.add("blade", KnifeEdge{}, {body});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = Eigen::Vector3d::Zero();
  mechanism.start.v = Eigen::Vector3d(motion.u0, 0.0, motion.w0);
  mechanism.t_end = 10.0;
  mechanism.reference = [motion](double t) { return std::optional(motion.state(t)); };
  mechanism.reference_source = "closed form, positions by quadrature, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_chaplygin_sleigh() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
