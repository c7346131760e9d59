// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class Figures;

/// The start that a user gives: time, positions, velocities. StartValues fills it by name.
struct InitialState {
  double t = 0.0;       ///< time of the start [s]
  Eigen::VectorXd q{};  ///< length n
  Eigen::VectorXd v{};  ///< length n; empty: at rest

  /// Names of the coordinates that keep their given position in the consistent start; the name of a block stands for
  /// all its coordinates. The other coordinates are changed so that the constraints hold.
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

  /// Typical max |q| of the motion, over the coordinates of natural scale 1, from which automatic gains and error
  /// weights take their scales; 0: that of this q. Give it where an integration restarts, e.g. after an impact, for q
  /// may be near zero there.
  double typical_position = 0.0;

  void describe(Figures& f);
};

}  // namespace sunlagrange
