#pragma once

#include <optional>

#include <sunlagrange/results/report.hpp>

#include "model/natural_scales.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Watches how far the path is off the constraints: the violations of the report, divergence, and whether there is any
/// configuration that satisfies the constraints.
class Feasibility {
 public:
  Feasibility(SampledPath& path, double t_start, double t_end);

  /// Call after SampledPath::restart.
  void restart() { start_q_.resize(0); }

  /// After every state that the path has accepted, before it looks between its samples.
  void accept(Report& report);

  /// max |g| of the newest state relative to max|G| max|q| of the start; large: the solution
  /// has diverged.
  double divergence() const { return divergence_; }

  /// True once: no configuration satisfies the constraints any more. found() tells the story.
  bool became_infeasible();
  const std::optional<Status>& found() const { return found_; }

  /// After a failure at the newest state: the motion ends here because the constraints cannot be met a little later
  /// (`ahead` seconds at most), and why.
  std::optional<Status> motion_ends_here(double last_step, double ahead) const;

 private:
  std::optional<Status> infeasible_at(double t, const Eigen::VectorXd& q) const;
  double size(const Eigen::VectorXd& x) const { return natural_size(*path_.system(), x); }
  double measure(const PathSample& now, double magnitude, double& entry);

  SampledPath& path_;
  double t_start_, t_end_;
  CoordinateSizes sizes_;
  RowsOfOwnScale own_scale_;
  Eigen::VectorXd entries_, scaled_;  // scratch
  double off_ = 0.0;                  // largest violation over the largest entry of G
  double relative_violation_ = 0.0;
  double divergence_ = 0.0;
  double start_scale_ = 0.0;  // max|G| max|q| of the start
  Eigen::VectorXd start_q_;   // empty: to be taken from the next state
  double checked_violation_ = 0.0;
  double checked_time_ = 0.0;
  std::optional<Status> found_;
};

}  // namespace sunlagrange::internal
