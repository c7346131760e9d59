// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "formulation/formulation.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "simulation/turned_rows.hpp"

namespace sunlagrange::internal {

/// A state of the path with the solution of its saddle-point system.
struct PathSample {
  double t = 0.0;
  Eigen::VectorXd q, v, a, lambda;
  /// Smallest eigenvalues, squares of singular values. If the sample is not ranked, those of the last ranked one.
  double smallest = 1.0;     ///< WeakestMode::of_constraints()
  double with_masses = 1.0;  ///< WeakestMode::value
  int weakest_row = -1;      ///< row with the largest share in the weakest direction; -1: none
  bool evaluated = false;    ///< the model accepted the point
  bool regular = false;      ///< a, lambda, smallest are known
  bool ranked = false;       ///< smallest and weakest_row were determined here
};

/// Returns the options with the rank policy that has a solution everywhere.
LinearSolverOptions tolerant(LinearSolverOptions options);

/// The newest accepted states of a run and the interpolated motion between them. Checks read states here, never from
/// the integrator. Each state is evaluated once; if the formulation has evaluated this very state last (the end of a
/// step whose last stage is the first one of the next step), its quantities are copied. The matrix of a state is
/// factorised, and its weakest direction is searched, only where the rows of G have turned or rank is low. Elsewhere
/// the last factor of the formulation gives accelerations and multipliers to rounding, by iterative refinement.
class SampledPath {
 public:
  /// @param options  nothing automatic left; lost rank is tolerated whatever their policy
  /// @param sparing  false: rank is determined at every state
  SampledPath(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options, bool sparing);

  /// Drops the samples: the motion starts again, perhaps with other constraints.
  void restart(std::shared_ptr<const MechanicalSystem> system);

  /// Adds a state: the start, the state after an event, or the end of an accepted step.
  /// @param a       v' as the formulation has it; null: not known, the ideal acceleration takes its place
  /// @param nearby  the last evaluation of the formulation, close to the state; may be null
  void accept(double t, const double* q, const double* v, const double* a, const LastEvaluation* nearby);

  /// Sets v' or v of the first state, as long as it is the only one.
  void set_start_acceleration(const double* a);
  void set_start_velocity(const double* v);

  /// Evaluates and solves a point between the samples, on their quintic polynomial. @param ranked  determine its rank
  PathSample between(double t, bool ranked = true);

  /// Evaluates the polynomial.
  void interpolate(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) const;

  /// Returns the samples, newest last: from the third-last ranked sample on, at least two if there are two.
  const std::deque<PathSample>& samples() const { return samples_; }
  const PathSample& newest() const { return samples_.back(); }

  /// Returns up to three of them whose rank was determined, newest last.
  const std::vector<const PathSample*>& ranked() const { return ranked_; }

  /// Returns the number of constraint directions that are lost everywhere; -1: not known yet.
  int permanently_lost() const { return permanently_lost_; }

  /// Determines the rank of the newest sample.
  void rank_newest();

  /// Evaluates g and G at a point of the polynomial; quantities() has them. Returns false if the model declines the
  /// point.
  bool evaluate_between(double t, PathSample& sample);

  /// Returns the time at which the smallest singular value reaches zero if it goes on falling as between the last two
  /// states where it is known: it is linear in time beside a pose of lost rank [s]. INFINITY: it does not fall.
  double time_of_pose() const;

  /// Returns the name of PathSample::weakest_row; empty if there is none.
  std::string weakest_constraint(int weakest_row) const;

  /// Returns the quantities of the point that was evaluated last; those of the newest state have energy and power, if
  /// the model gives them.
  const Workspace& quantities() const { return evaluator_.quantities(); }

  const std::shared_ptr<const MechanicalSystem>& system() const { return system_; }
  const LinearSolverOptions& linear_solver() const { return options_; }

  /// Returns the threshold below which the linear solver treats directions of the active rows as lost.
  double rank_threshold() const { return rank_threshold_for(system_->num_constraints(), options_.rank_threshold); }

 private:
  void place(double t, const double* q, const double* v, PathSample& sample);
  void clear(double t, PathSample& sample) const;  // but for q and v
  bool evaluate(const PathSample& sample, unsigned what);
  bool take_quantities(const LastEvaluation* nearby, const PathSample& sample);
  void solve(PathSample& sample);
  void solve(PathSample& sample, EvaluationResult factorized);
  void rank(PathSample& sample);
  void factorise(PathSample& sample);
  bool solve_there(const LastEvaluation* nearby, PathSample& sample);
  bool solve_with(const LastEvaluation* nearby, PathSample& sample);
  bool rank_is_due();
  void keep(PathSample sample);
  int count_permanently_lost(double t, const double* q, const double* v);

  std::shared_ptr<const MechanicalSystem> system_;
  LinearSolverOptions options_;
  bool sparing_;
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  std::deque<PathSample> samples_;
  std::vector<PathSample> spare_;  // memory to use again
  std::vector<const PathSample*> ranked_;
  TurnedRows turned_;     // since the last ranked sample
  int unranked_ = 0;      // samples since then
  int not_refined_ = 0;   // samples ahead that are factorised afresh
  double largest_ = 0.0;  // of `smallest` so far
  Eigen::VectorXd top_, bottom_;
  int permanently_lost_ = -1;
};

}  // namespace sunlagrange::internal
