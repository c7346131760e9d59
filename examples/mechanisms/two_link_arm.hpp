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
/// x = x0 - v t, q2 = pi + 2 asin(x / sqrt 2), i.e. cos q2 = x^2 - 1.
namespace sunlagrange::mechanisms {

struct TwoLinkArm {
  double l = 1.0;         ///< length of link 1 [m]; link 2 has half of it
  double m = 1.0;         ///< mass of link 2 [kg]; link 1 has twice that
  double gravity = 9.81;  ///< [m/s^2]
  double speed = 0.6;     ///< v [m/s]
  double x0 = 0.295953;   ///< start of P [m]

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

  std::vector<std::string> position_names() const { return {"q1", "q2"}; }
  std::vector<std::string> constraint_names() const { return {"height of P", "x of P"}; }
};

/// Positions on the smooth branch, empty after the end of reach.
inline std::optional<Eigen::VectorXd> two_link_reference(double t) {
  const TwoLinkArm arm;
  const double x = (arm.x0 - arm.speed * t) / arm.l;
  const double half = x / std::sqrt(2.0);
  if (std::abs(half) > 1.0) return std::nullopt;
  const double q2 = std::acos(-1.0) + 2.0 * std::asin(half);
  Eigen::VectorXd q(2);
  q << std::atan2(0.5, x) - std::atan2(0.5 * std::sin(q2), 1.0 + 0.5 * std::cos(q2)), q2;
  return q;
}

/// Start, gains and reference of the printed example around a model.
inline Mechanism two_link_mechanism(std::shared_ptr<const MechanicalSystem> system) {
  Mechanism mechanism;
  mechanism.system = std::move(system);
  mechanism.start.q = Eigen::Vector2d(1.396263, 3.563268);
  mechanism.start.v = Eigen::Vector2d(0.358620, -0.867745);
  mechanism.t_end = 0.4;
  mechanism.gains.K_D = Gain(std::vector<double>{20.0, 10.0});
  mechanism.gains.K_P = Gain(std::vector<double>{100.0, 25.0});
  mechanism.reference = two_link_reference;
  mechanism.reference_source = "closed form on the smooth branch, for the consistent start";
  return mechanism;
}

}  // namespace sunlagrange::mechanisms
