#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// A point of the path with what the saddle-point system says there.
struct PathSample {
  double t = 0.0;
  Eigen::VectorXd q, v, a, lambda;
  double smallest = 1.0;   ///< relative smallest singular value
  int weakest_row = -1;    ///< with the largest share in the weakest direction; -1: none
  bool evaluated = false;  ///< the model accepted the point
  bool regular = false;    ///< a, lambda, smallest are known
};

/// The same options with the rank policy that gives an answer everywhere.
LinearSolverOptions tolerant(LinearSolverOptions options);

/// The newest accepted states of a run, and what lies between them: everything that watches a run looks at this, never
/// at the integrator.
class SampledPath {
 public:
  /// @param options  resolved; sampling tolerates lost rank whatever their policy
  SampledPath(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options);

  /// The motion starts anew, perhaps with other constraints: the samples are dropped.
  void restart(std::shared_ptr<const MechanicalSystem> system);

  /// The start, a state after an event, or an accepted step. `a` is v' as the formulation has it; null: not known
  /// (yet), the ideal acceleration takes its place.
  void accept(double t, const double* q, const double* v, const double* a);

  /// v' or v of the state from which the motion started, as long as no step was accepted.
  void set_start_acceleration(const double* a);
  void set_start_velocity(const double* v);

  /// A point within the samples, on their quintic polynomial.
  PathSample between(double t);

  /// At most three, newest last.
  const std::deque<PathSample>& samples() const { return samples_; }
  const PathSample& newest() const { return samples_.back(); }

  /// Name of PathSample::weakest_row; may be empty.
  std::string weakest_constraint(int weakest_row) const;

  /// What the model said at the point that was sampled last.
  const Workspace& quantities() const { return saddle_.workspace(); }

  const std::shared_ptr<const MechanicalSystem>& system() const { return system_; }
  const LinearSolverOptions& linear_solver() const { return options_; }

 private:
  void evaluate(double t, const double* q, const double* v, PathSample& sample);
  int count_permanently_lost(double t, const double* q, const double* v);

  std::shared_ptr<const MechanicalSystem> system_;
  LinearSolverOptions options_;
  SaddlePointSystem saddle_;
  std::deque<PathSample> samples_;
  int permanently_lost_ = -1;  // constraint directions lost everywhere; -1: not known yet
};

}  // namespace sunlagrange::internal
