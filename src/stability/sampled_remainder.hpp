// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "stability/error_step.hpp"

namespace sunlagrange::internal {

/// Bounds over the ball |e| <= eps normal to a run, from steps that start in it. See certify().
class SampledRemainder {
 public:
  SampledRemainder(ErrorStep& step, const StepNorm& norm, double tau, double eps, double safety);

  /// Samples the ball around (t, y). Returns false if a point is declined or points with the wanted errors were not
  /// found.
  bool visit(double t, const Eigen::VectorXd& y);
  double contraction() const { return contraction_; }  ///< sup |R|
  double bound() const { return bound_; }              ///< sup |r|

  /// Returns tau_1, the largest of the steps tau/4, tau/2, 3 tau/4, tau up to which |r(s)| <= safety C s^(p+1), with C
  /// from the first two, or |r(s)| <= negligible, for a start at (t, y) with error e. Returns 0 if a point is declined.
  double step_limit(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& e, double negligible);

 private:
  bool renew_directions(double t, const Eigen::VectorXd& y);
  bool move_to(double t, const Eigen::VectorXd& x);  // moves y_ to T e = x
  bool remainder_at(double t, const Eigen::VectorXd& x, Eigen::VectorXd& r);

  ErrorStep& step_;
  const StepNorm& norm_;
  double tau_, eps_, safety_;
  double contraction_ = 0.0, spread_ = 0.0, center_contraction_ = 0.0, bound_ = 0.0;
  Eigen::VectorXd y_, e_, ahead_, behind_;
  Eigen::MatrixXd jacobian_, directions_, pseudo_inverse_;  // in the coordinates of the norm
};

}  // namespace sunlagrange::internal
