#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "simulation/turned_rows.hpp"

namespace sunlagrange::internal {

/// A point of the path with what the saddle-point system says there.
struct PathSample {
  double t = 0.0;
  Eigen::VectorXd q, v, a, lambda;
  double smallest = 1.0;     ///< WeakestMode::of_constraints(); of the last ranked sample if this one is not
  double with_masses = 1.0;  ///< WeakestMode::value, likewise
  int weakest_row = -1;      ///< with the largest share in the weakest direction; -1: none
  bool evaluated = false;    ///< the model accepted the point
  bool regular = false;      ///< a, lambda, smallest are known
  bool ranked = false;       ///< smallest and weakest_row were determined here
};

/// The same options with the rank policy that gives an answer everywhere.
LinearSolverOptions tolerant(LinearSolverOptions options);

/// The newest accepted states of a run, and what lies between them: everything that watches a run looks at this, never
/// at the integrator. Every state is evaluated, once: what the integrator has evaluated last at this very state (the
/// end of a step whose last stage is the next first one) is taken over. Factorised, and searched for its weakest
/// direction, it is only where the rows have turned or rank is low. In between the factor that the integrator has left
/// nearby gives accelerations and multipliers to rounding, by iterative refinement with the matrix of the state itself.
class SampledPath {
 public:
  /// @param options  resolved; sampling tolerates lost rank whatever their policy
  /// @param sparing  false: every sample is ranked
  SampledPath(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options, bool sparing);

  /// The motion starts anew, perhaps with other constraints: the samples are dropped.
  void restart(std::shared_ptr<const MechanicalSystem> system);

  /// The start, a state after an event, or an accepted step. `a` is v' as the formulation has it; null: not known
  /// (yet), the ideal acceleration takes its place. `nearby`: what was solved last, close to
  /// the state; may be empty.
  void accept(double t, const double* q, const double* v, const double* a, const LastEvaluation* nearby);

  /// v' or v of the state from which the motion started, as long as no step was accepted.
  void set_start_acceleration(const double* a);
  void set_start_velocity(const double* v);

  /// A point within the samples, on their quintic polynomial. `ranked` false: its rank does not matter.
  PathSample between(double t, bool ranked = true);

  /// q and v of the polynomial.
  void interpolate(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) const;

  /// Newest last: those since the last but two ranked one, at least two as soon as there are.
  const std::deque<PathSample>& samples() const { return samples_; }
  const PathSample& newest() const { return samples_.back(); }

  /// The ranked ones among them, at most three, newest last.
  const std::vector<const PathSample*>& ranked() const { return ranked_; }

  /// Makes the newest a ranked one.
  void rank_newest();

  /// The model at a point of the polynomial; quantities() are those of g and G there. False: it declined the point.
  bool evaluate_between(double t, PathSample& sample);

  /// Constraints of one level.
  enum class Level { positions, velocities };

  /// True: Newton's iteration from the newest state meets the constraints of the level to `tolerance`, relative to the
  /// largest entry of G times the largest coordinate or velocity. False: it does not, or was not tried.
  bool meets_constraints_nearby(Level level, double tolerance);

  /// Name of PathSample::weakest_row; may be empty.
  std::string weakest_constraint(int weakest_row) const;

  /// What the model said at the point that was sampled last; of the newest state with energy and power, if the model
  /// knows them.
  const Workspace& quantities() const { return evaluator_.quantities(); }

  const std::shared_ptr<const MechanicalSystem>& system() const { return system_; }
  const LinearSolverOptions& linear_solver() const { return options_; }

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
  int permanently_lost_ = -1;  // constraint directions lost everywhere; -1: not known yet
};

}  // namespace sunlagrange::internal
