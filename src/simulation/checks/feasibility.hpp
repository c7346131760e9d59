// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "linear_solver/saddle_point_system.hpp"
#include "simulation/checks/constraint_violation.hpp"

namespace sunlagrange::internal {

/// Checks that positions and velocities exist that satisfy the constraints. A violation starts a search; searches are
/// repeated as the violation grows, and now and then.
class Feasibility final : public Check {
 public:
  Feasibility(ObservedRun& run, const ConstraintViolation& violation);

  void restart(double event_work) override;
  void observe(const AcceptedStep& step) override;
  void finish(Status& status) override;
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override;

  /// True if no configuration satisfied the constraints at some accepted state.
  bool infeasible() const { return found_.has_value(); }

  /// Returns why the motion cannot go on, for a run that failed or stalled at the newest state: the constraints cannot
  /// be met a little later. Empty: they can, or that was found before.
  /// @param what_happened  for the message
  std::optional<Status> ends_here(double last_step, const std::string& what_happened) const;

 private:
  enum class Level { positions, velocities };

  /// Decides when a search is due.
  struct Schedule {
    double violation = 0.0;  // at the last search
    double t = 0.0;
    bool due(double violation_now, double t_now, double span);
  };

  /// Newton's iteration onto the constraints.
  struct Newton {
    explicit Newton(const SampledPath& path)
        : evaluator(evaluator_for(path.system(), path.linear_solver())), saddle(evaluator, path.linear_solver()) {}
    PointEvaluator evaluator;
    SaddlePointSystem saddle;
  };

  void check_positions();
  void check_velocities();
  bool newton_meets_constraints(Level level, double tolerance);
  std::optional<Status> infeasible_at(double t, const Eigen::VectorXd& q, double tolerance) const;
  double size(const Eigen::VectorXd& x) const { return natural_size(*run_.path.system(), x); }

  ObservedRun& run_;
  const ConstraintViolation& violation_;
  double suspicious_;               // violation of the positions that starts a search
  Eigen::VectorXd start_;           // q of the motion since the last restart; empty: the next state
  std::unique_ptr<Newton> newton_;  // made at its first use
  Schedule positions_, velocities_;
  int failed_searches_ = 0;  // for velocities, in a row
  double infeasible_velocity_;
  std::optional<Status> found_;
};

}  // namespace sunlagrange::internal
