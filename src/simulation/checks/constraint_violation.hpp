// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulation/checks/check.hpp"
#include "simulation/checks/violation_measure.hpp"

namespace sunlagrange::internal {

/// Measures how far accepted states are off the constraints, and ends a run that has left them altogether.
class ConstraintViolation final : public Check {
 public:
  explicit ConstraintViolation(ObservedRun& run);

  void restart(double event_work) override;
  void observe(const AcceptedStep& step) override;
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override;

  /// Relative violation above which the constraints may contradict each other.
  static constexpr double suspicious = 2e-5;

  /// Returns max |g| of the newest state relative to max|G| max|q| there.
  double of_positions() const { return relative_; }

  /// Returns max |(g', psi)| of the newest state relative to max|G| and the largest velocity of the run.
  double of_velocities() const { return relative_velocity_; }

  /// Returns max |g| of the newest state over max|G| there: the displacement that the violation stands for.
  double displacement() const { return displacement_; }

  /// Returns true if the violation of a start that was taken as given is still there at the end.
  static bool leaves_violation_of_start(const ExpectedAccuracy& expected);

  /// Returns the `of_velocities()` above which rows may contradict each other. Dependent rows may disagree by the
  /// violation of the positions, so that smaller values show nothing.
  static double suspicious_velocities(double relative_violation);

 private:
  void measure_positions(bool inside_a_step);
  void measure_velocities(bool inside_a_step);
  Status divergence() const;

  ObservedRun& run_;
  ViolationMeasure measure_;
  // Violations over the largest entry of G. A run that was resumed has those of its report.
  double largest_, at_start_;
  double largest_of_velocities_, at_start_of_velocities_;
  double displacement_ = 0.0;  // of the newest state
  double relative_ = 0.0, relative_velocity_ = 0.0;
  double divergence_ = 0.0;   // of the newest state, relative to the scale of the start
  double start_scale_ = 0.0;  // max|G| max|q| of the start
  bool restarted_ = true;     // the next state is the first one
};

}  // namespace sunlagrange::internal
