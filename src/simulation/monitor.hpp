#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/results/report.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "linear_solver/motion_law.hpp"
#include "simulation/singularity.hpp"

namespace sunlagrange {

/// Watches accepted steps: violation, energy balance, physical multipliers, rank along the path, feasibility. Fills the
/// trajectory and the report; uses only the system, never the integrator.
class RunMonitor {
 public:
  /// @param system  with the constraints that are active
  /// @param rows    their rows in the full system, as the trajectory has them
  RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
             const SimulationOptions& options);

  /// Goes on after an event with other active constraints; accept() the state after it next. Only `work` [J] of its
  /// change of energy is accounted for.
  void restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows, double work);

  /// Call with the start and after every accepted step. `a` is v' as the formulation has it, for dense output; null:
  /// not known (yet), the ideal acceleration takes its place.
  void accept(double t, const double* q, const double* v, const double* a, Simulation& run);

  /// v' of the start, or of the state after an event, known only after the first step.
  void set_start_acceleration(const double* a, Simulation& run);

  /// v of the start of a kinematic program, whose gains act on it if the start is taken as given.
  void set_start_velocity(const double* v, Simulation& run);

  /// Constraint with the largest share in the weakest direction at the last accepted step; may be empty.
  std::string weakest_constraint() const;

  /// max |g| of the last accepted step relative to max|G| max|q| of the start; large: the solution has diverged.
  double divergence() const { return divergence_; }

  /// True once: no configuration satisfies the constraints any more; `status` tells the story.
  bool became_infeasible(const Simulation& run, Status& status);

  /// With AtSingularity::project, at the edge of a singular configuration: the state beyond it.
  std::optional<MotionState> beyond_singularity() const;

  /// After a failure at the last accepted step: does the motion end here because the constraints cannot be met a little
  /// later (`ahead` seconds at most)?
  bool motion_ends_here(double last_step, double ahead, Status& status);

  /// Drops into the report what is known only at the end.
  void finish(Simulation& run);

 private:
  int count_permanently_lost(double t, const double* q, const double* v);
  void evaluate(double t, const double* q, const double* v, PathSample& sample);
  double power(double t, const double* q, const double* v, const double* lambda);
  void add_work(const PathSample& from, const PathSample& to);
  PathSample between(double t);
  void record(const PathSample& sample, Trajectory& trajectory);
  bool infeasible_at(double t, const Eigen::VectorXd& q, Status& status) const;

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions options_;
  std::vector<int> full_rows_;  // of the active constraints
  Eigen::VectorXd full_lambda_;
  SaddlePointSystem saddle_;
  std::unique_ptr<Workspace> rows_;  // for drift, energy, power
  std::deque<PathSample> last_;      // at most three, newest last
  Eigen::VectorXd zero_;
  std::size_t first_ = 0;  // index of the start, or of the state after the last event, in the trajectory
  double energy_start_ = Report::none;
  double work_ = 0.0;
  bool energy_valid_ = false;
  SingularityWatch singularity_;
  std::vector<double> mass_diagonal_;
  std::vector<int> mass_slots_;  // of M_ii in the workspace
  int permanently_lost_;         // constraint directions lost everywhere; -1: not known yet
  double relative_violation_ = 0.0;
  double divergence_ = 0.0;
  double start_scale_ = 0.0;  // max|G| max|q| of the start
  Eigen::VectorXd start_q_;
  double checked_violation_ = 0.0;
  double checked_time_ = 0.0;
};

}  // namespace sunlagrange
