#pragma once

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Whether velocities follow from accelerations over fixed steps, which no error test has chosen: over each pair of
/// equal steps Simpson's rule says what the accelerations at its three states make of v,
///
///     d = v(t + h) - v(t - h) - h / 3 (a(t - h) + 4 a(t) + a(t + h)),
///
/// and d and what v gained are summed. Of methods up to order 4 d it is of the size of their error or smaller
/// where steps are short, and of the size of v where the motion turns within one.
class CoarseSteps {
 public:
  /// The motion starts anew.
  void restart() { seen_ = 0; }

  /// After every state that the path has accepted.
  void accept(const SampledPath& path);

  /// natural_size() of d, summed over the run; half of it, as each step is in two pairs.
  double defect() const { return defect_; }

  /// The same of v(t + h) - v(t - h): over the largest v, the angle by which the motion has turned.
  double gained() const { return gained_; }

 private:
  struct State {
    double t = 0.0;
    Eigen::VectorXd v, a;
  };
  State before_, middle_;
  Eigen::VectorXd d_;
  int seen_ = 0;  // states in a row whose acceleration is known
  double defect_ = 0.0, gained_ = 0.0;
};

}  // namespace sunlagrange::internal
