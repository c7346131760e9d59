#include "simulation/crossing.hpp"

#include <algorithm>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/interpolation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// The projection may undo the error of the extrapolation, not more.
constexpr double furthest_move = 1e-4;

/// How far the smallest singular value must fall on the way for it to lead through a singular configuration: looks lie
/// so dense that one sees less than a hundredth.
constexpr double deep_enough = 0.05;

}  // namespace

std::optional<MotionState> cross_singularity(const std::shared_ptr<const MechanicalSystem>& system,
                                             const LinearSolverOptions& options, const PathSample& before,
                                             const PathSample& now, double level, double t_end) {
  if (!before.regular || !now.regular || !(now.t > before.t)) return std::nullopt;
  const QuinticHermite path({before.t, before.q, before.v, before.a}, {now.t, now.q, now.v, now.a});
  const double furthest = std::min(0.5 * (now.t - before.t), t_end - now.t);
  PointEvaluator evaluator = evaluator_for(system, options);
  SaddlePointSystem saddle(evaluator, options);
  saddle.factorize(
      evaluator.at(before.t, before.q.data(), before.v.data()));  // the scale that singular values are relative to
  double t = 0.0;
  double lowest = now.smallest;
  bool beyond = false;
  for (double W = 1e-4 * furthest; W <= furthest && !beyond; W *= 1.2) {
    t = now.t + W;
    const Eigen::VectorXd q = path.position(t);
    const Eigen::VectorXd v = path.velocity(t);
    if (saddle.factorize(evaluator.at(t, q.data(), v.data())) != EvaluationResult::ok) continue;
    const double smallest = saddle.solver().weakest_mode().of_constraints();
    lowest = std::min(lowest, smallest);
    beyond = lowest < deep_enough * now.smallest && smallest >= std::max(level, now.smallest);
  }
  if (!beyond) return std::nullopt;
  ConsistencyOptions consistency;
  consistency.linear_solver = options;
  const ConsistentState state = consistent_state(system, {t, path.position(t), path.velocity(t)}, consistency);
  const double size = std::max(natural_size(*system, now.q), (t - before.t) * natural_size(*system, now.v));
  if (!state.report.status.finished() || !(natural_size(*system, state.report.position_moves) <= furthest_move * size))
    return std::nullopt;
  return state.state;
}

}  // namespace sunlagrange::internal
