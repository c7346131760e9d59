// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/crossing.hpp"

#include <algorithm>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/interpolation.hpp"
#include "base/numerics.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by branches_test (AtSingularity::project).
struct CrossingThresholds {
  double move = 1e-4;     ///< of the size: the projection undoes the error of the extrapolation, not more
  double depth = 0.05;    ///< of the value at the edge: the smallest eigenvalue falls below it on the way through a
                          ///< singular pose; the samples lie so dense that one sees less than a hundredth
  double nearest = 1e-4;  ///< of the longest gap: the first sample
  double growth = 1.2;    ///< of the gap from sample to sample
};
constexpr CrossingThresholds crossing_threshold;

}  // namespace

std::optional<MotionState> cross_singularity(const std::shared_ptr<const MechanicalSystem>& system,
                                             const LinearSolverOptions& options, const PathSample& before,
                                             const PathSample& now, double level, double t_end) {
  if (!before.regular || !now.regular || !(now.t > before.t)) return std::nullopt;
  const QuinticHermite path({before.t, before.q, before.v, before.a}, {now.t, now.q, now.v, now.a});
  const double furthest = std::min(0.5 * (now.t - before.t), t_end - now.t);
  if (!(furthest > shortest_interval(now.t))) return std::nullopt;
  PointEvaluator evaluator = evaluator_for(system, options);
  SaddlePointSystem saddle(evaluator, options);
  saddle.factorize(
      evaluator.at(before.t, before.q.data(), before.v.data()));  // the scale that eigenvalues are relative to
  double t = 0.0;
  double lowest = now.smallest;
  bool beyond = false;
  for (double W = crossing_threshold.nearest * furthest; W <= furthest && !beyond; W *= crossing_threshold.growth) {
    t = now.t + W;
    const Eigen::VectorXd q = path.position(t);
    const Eigen::VectorXd v = path.velocity(t);
    if (saddle.factorize(evaluator.at(t, q.data(), v.data())) != EvaluationResult::ok) continue;
    const double smallest = saddle.solver().weakest_mode().of_constraints();
    lowest = std::min(lowest, smallest);
    beyond = lowest < crossing_threshold.depth * now.smallest && smallest >= std::max(level, now.smallest);
  }
  if (!beyond) return std::nullopt;
  ConsistencyOptions consistency;
  consistency.linear_solver = options;
  const ConsistentState state = consistent_state(system, {t, path.position(t), path.velocity(t)}, consistency);
  const double size = std::max(natural_size(*system, now.q), (t - before.t) * natural_size(*system, now.v));
  if (!state.report.status.finished() ||
      !(natural_size(*system, state.report.position_moves) <= crossing_threshold.move * size))
    return std::nullopt;
  return state.state;
}

}  // namespace sunlagrange::internal
