#pragma once

#include <algorithm>
#include <optional>

#include <sunlagrange/results/report.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "model/natural_scales.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Relative violation of (g', psi) that may be a contradiction: rows that repeat others are off them by what positions
/// are off.
inline double suspicious_velocities(double relative_violation) {
  return std::max(2e-5, 10.0 * relative_violation);
}

/// Watches how far the path is off the constraints: the violations of the report, divergence, and whether there is any
/// configuration that satisfies the constraints.
class Feasibility {
 public:
  Feasibility(SampledPath& path, const SimulationOptions& options, double t_start, double t_end);

  /// Call after SampledPath::restart.
  void restart() { start_q_.resize(0); }

  /// The violations of a report that goes on.
  void resume(const Report& report);

  /// After every state that the path has accepted, before it looks between its samples.
  /// @param inside_a_step  it is dense output, as the state at a root: no formulation put it onto the constraints
  void accept(Report& report, bool inside_a_step);

  /// After accept(), when nobody asks for the newest state any more: the longest steps, and some others, in their
  /// middle.
  void look_between(Report& report);

  /// max |g| of the newest state relative to max|G| max|q| of the start; large: the solution
  /// has diverged.
  double divergence() const { return divergence_; }

  /// True once: no configuration satisfies the constraints any more. found() tells the story.
  bool became_infeasible();
  const std::optional<Status>& found() const { return found_; }

  /// Notes in the report where no velocity satisfies the velocity constraints, from the newest state on.
  void look_at_velocities(Report& report);

  /// After a failure at the newest state: the motion ends here because the constraints cannot be met a little later
  /// (`ahead` seconds at most), and why.
  std::optional<Status> motion_ends_here(double last_step, double ahead) const;

 private:
  std::optional<Status> infeasible_at(double t, const Eigen::VectorXd& q, double tolerance) const;
  double size(const Eigen::VectorXd& x) const { return natural_size(*path_.system(), x); }
  double measure(const Eigen::VectorXd& x, const Eigen::VectorXd& violations, double& entry);
  void note_way(const Eigen::VectorXd& q, Report& report) const;
  void note_velocities(Report& report, bool inside_a_step);

  SampledPath& path_;
  double t_start_, t_end_;
  double suspicious_;  // violation that starts a check
  ErrorTolerances tolerances_;
  CoordinateSizes sizes_;
  RowsOfOwnScale own_scale_;
  Eigen::VectorXd entries_, scaled_;  // scratch
  double off_ = 0.0;                  // largest violation over the largest entry of G
  double off_at_start_ = 0.0, off_velocity_at_start_ = 0.0;
  double off_between_ = 0.0;        // the same between the steps
  double off_velocity_ = 0.0;       // the same of (g', psi)
  double off_contradiction_ = 0.0;  // the same where no velocity takes it back
  double longest_step_ = 0.0;       // that was looked into
  int not_looked_ = 0;              // steps since then
  PathSample between_;              // scratch
  double relative_violation_ = 0.0;
  double divergence_ = 0.0;
  double start_scale_ = 0.0;        // max|G| max|q| of the start
  Eigen::VectorXd start_q_;         // empty: to be taken from the next state
  Eigen::VectorXd last_q_;          // empty: there is none yet
  double relative_velocity_ = 0.0;  // as relative_violation_

  /// Checks are repeated after growth by half, and after each hundredth of the interval.
  struct Check {
    double violation = 0.0;
    double t = 0.0;
    bool due(double now, double at, double span);
  };
  Check positions_checked_, velocities_checked_;
  int contradictions_ = 0;  // checks of velocities that failed, one after the other
  std::optional<Status> found_;
};

}  // namespace sunlagrange::internal
