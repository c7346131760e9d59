#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mechanisms/mechanism.hpp"

/// The two-link manipulator of [000, Example 1]: what the corrected and the printed model share.
///
///                     y                 q1: angle of link 1 from the x axis
///                     |    P <-- v      q2: angle of link 2 from the direction of link 1
///       - - - - - - - | - -*- - - - - - - - - - - - y = l/2
///                     |     \  l/2, m2
///                     |      o
///                     |    /                 P starts at x = x0 and is led to the left with speed v:
///                     |  /  l, m1
///                     O-------------- x          Theta1 = l S1 + (l/2) S12 - l/2         = 0
///                                                Theta2 = l C1 + (l/2) C12 + v t - x0    = 0
///
/// l = 1 m, m = 1 kg, m1 = 2 m, m2 = m, g = 9.81 m/s^2 along -y, v = 0.6 m/s, x0 = 0.295953 m. S1 = sin q1,
/// C12 = cos(q1 + q2) and so on. n = m = 2 and the constraints move: no degree of freedom is left.
/// v is not printed; it follows from the printed initial velocities.
///
/// Special times: fold (q1 = pi/2, q2 = pi, both links on one line) at x0 / v = 0.493255 s, where two smooth branches
/// cross; end of reach (q2 = 0, x = -sqrt 2) at (x0 + sqrt 2) / v = 2.850278 s, after which no configuration satisfies
/// the constraints.
/// Printed start: q = (1.396263, 3.563268), v = (0.358620, -0.867745). Its five digits violate the constraints by 1e-5,
/// so a run from the start as given folds 1.3e-4 s early. Printed gains: K_D = diag(20, 10), K_P = diag(100, 25).
///
/// Reference: kinematic, for the exactly consistent start and the smooth branch through the fold:
/// x = x0 - v t, q2 = pi + 2 asin(x / sqrt 2), i.e. cos q2 = x^2 - 1; velocities and accelerations by differentiating
/// it; multipliers from G^T lambda = f - M a, without limit towards the fold.
namespace sunlagrange::mechanisms {

struct TwoLinkArm {
  double l = 1.0;         ///< length of link 1 [m]; link 2 has half of it
  double m = 1.0;         ///< mass of link 2 [kg]; link 1 has twice that
  double gravity = 9.81;  ///< [m/s^2]
  double speed = 0.6;     ///< v [m/s]
  double x0 = 0.295953;   ///< start of P [m]

  void describe_parameters(Parameters& p) {
    p.positive("l", l, "m", "length of link 1; link 2 has half of it");
    p.positive("m", m, "kg", "mass of link 2; link 1 has twice that");
    p.finite("gravity", gravity, "m/s^2", "acceleration of gravity");
    p.finite("speed", speed, "m/s", "of P to the left");
    p.finite("x0", x0, "m", "start of P");
  }

  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    using std::cos;
    using std::sin;
    const T q12 = q[0] + q[1];
    g[0] = l * sin(q[0]) + 0.5 * l * sin(q12) - 0.5 * l;
    g[1] = l * cos(q[0]) + 0.5 * l * cos(q12) + speed * t - x0;
  }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point O{0.0, 0.0}, elbow{l * std::cos(q[0]), l * std::sin(q[0])};
    const Drawing::Point P{elbow.x + 0.5 * l * std::cos(q[0] + q[1]), elbow.y + 0.5 * l * std::sin(q[0] + q[1])};
    d.rail({0.0, 0.5 * l}, {1.0, 0.0}, P);
    d.pin(d.ground(d.on_body(O, 0)));
    d.on_body(elbow, 0);
    d.pin(d.on_body(elbow, 1));
    d.trace(d.on_body(P, 1));
    d.mass(P);
  }

  std::vector<std::string> position_names() const { return {"q1", "q2"}; }
  std::vector<std::string> constraint_names() const { return {"height of P", "x of P"}; }
};

/// State on the smooth branch and its accelerations; v, a without limit towards the end of reach.
struct TwoLinkKinematics {
  Eigen::Vector2d q, v, a;
};

/// Empty from the end of reach on. Lengths in units of l.
inline std::optional<TwoLinkKinematics> two_link_kinematics(double t) {
  const TwoLinkArm arm;
  const double u = -arm.speed / arm.l;  // x'
  const double x = arm.x0 / arm.l + u * t;
  const double reach = 2.0 - x * x;
  if (!(reach > 0.0)) return std::nullopt;
  const double q2 = std::acos(-1.0) + 2.0 * std::asin(x / std::sqrt(2.0));
  const double v2 = 2.0 * u / std::sqrt(reach);
  const double a2 = u * x * v2 / reach;
  const double q1 = std::atan2(0.5, x) - std::atan2(0.5 * std::sin(q2), 1.0 + 0.5 * std::cos(q2));
  const double square = x * x + 0.25;  // distance of P from O
  const double lever = 0.5 * x * x - 0.25;
  const double v1 = -(0.5 * u + lever * v2) / square;
  const double a1 = -(x * u * v2 + lever * a2 + 2.0 * x * u * v1) / square;
  return TwoLinkKinematics{{q1, q2}, {v1, v2}, {a1, a2}};
}

/// The state above with the multipliers of a model's own M and f.
template <class Model>
std::optional<ReferenceState> two_link_reference(const Model& model, double t) {
  const std::optional<TwoLinkKinematics> s = two_link_kinematics(t);
  if (!s) return std::nullopt;
  double M[4] = {};
  double f[2] = {};
  const View<const double> q(s->q.data(), 2);
  model.template mass_matrix<double>(t, q, MatrixView<double>(M, 2, 2));
  model.template applied_force<double>(t, q, View<const double>(s->v.data(), 2), View<double>(f, 2));
  const double r1 = f[0] - M[0] * s->a[0] - M[2] * s->a[1];
  const double r2 = f[1] - M[1] * s->a[0] - M[3] * s->a[1];
  const double q12 = q[0] + q[1];
  // l (C1 lambda1 - S1 lambda2) = r1 - r2,  l (C12 lambda1 - S12 lambda2) = 2 r2
  const double determinant = -model.l * std::sin(q[1]);
  const double lambda1 = (2.0 * r2 * std::sin(q[0]) - (r1 - r2) * std::sin(q12)) / determinant;
  const double lambda2 = (2.0 * r2 * std::cos(q[0]) - (r1 - r2) * std::cos(q12)) / determinant;
  return ReferenceState{s->q, s->v, Eigen::Vector2d(lambda1, lambda2)};
}

/// Start, gains and reference of the printed example around a model.
template <class Model>
Mechanism two_link_mechanism(const Model& model) {
  Mechanism mechanism;
  mechanism.system = make_system(model);
  mechanism.start.q = Eigen::Vector2d(1.396263, 3.563268);
  mechanism.start.v = Eigen::Vector2d(0.358620, -0.867745);
  mechanism.t_end = 0.4;
  mechanism.gains.K_D = Gain(std::vector<double>{20.0, 10.0});
  mechanism.gains.K_P = Gain(std::vector<double>{100.0, 25.0});
  mechanism.reference = [model](double t) { return two_link_reference(model, t); };
  mechanism.reference_source = "closed form on the smooth branch, for the consistent start";
  return mechanism;
}

}  // namespace sunlagrange::mechanisms
