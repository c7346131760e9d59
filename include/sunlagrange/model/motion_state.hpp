#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// What the user knows at the start: time, positions, velocities.
struct InitialState {
  double t = 0.0;
  Eigen::VectorXd q;  ///< length n
  Eigen::VectorXd v;  ///< length n; empty means at rest
};

/// A complete state on the acceleration level: M a + G^T lambda = f, G a = gamma.
struct MotionState {
  double t = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  Eigen::VectorXd a;       ///< v'
  Eigen::VectorXd lambda;  ///< physical multipliers (g rows, psi rows): no stabilising part

  /// Typical max |q| of the motion, from which automatic gains and error weights take their scales; 0: that of this q.
  /// Give it where an integration starts anew, e.g. after an impact: there q may happen to be near zero.
  double typical_position = 0.0;
};

}  // namespace sunlagrange
