#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class Figures;

/// What the user knows at the start: time, positions, velocities. StartValues fills it by name.
struct InitialState {
  double t = 0.0;
  Eigen::VectorXd q{};  ///< length n
  Eigen::VectorXd v{};  ///< length n; empty means at rest

  /// Coordinates that keep their given position while a consistent state is sought, by name; the name of a block stands
  /// for all its coordinates. The others move so that the constraints hold: "crank angle 30 degrees, find the rest".
  std::vector<std::string> fixed_positions{};
  std::vector<std::string> fixed_velocities{};  ///< the same for velocities
};

/// A complete state on the acceleration level: M a + G^T lambda = f, G a = gamma.
struct MotionState {
  double t = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  Eigen::VectorXd a;       ///< v'
  Eigen::VectorXd lambda;  ///< physical multipliers (g rows, psi rows): no stabilising part

  /// Typical max |q| of the motion, of the coordinates of natural scale 1, from which automatic
  /// gains and error weights take their scales; 0: that of this q. Give it where an integration starts anew, e.g. after
  /// an impact: there q may happen to be near zero.
  double typical_position = 0.0;

  void describe(Figures& f);
};

}  // namespace sunlagrange
