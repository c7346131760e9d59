#include "gains/row_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "gains/motion_scales.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {
namespace {

/// The mean square of so many answers is right within a third.
constexpr int random_loads = 16;

/// A compliance 1e8 times smaller than the inertia must stay above the rounding of the lightest part.
constexpr double most = 1e6;

}  // namespace

Eigen::VectorXd row_inertias(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                             const LinearSolverOptions& linear_solver) {
  const int n = system->num_positions();
  const int m = system->num_constraints();
  LinearSolverOptions options = resolve_linear_solver(linear_solver, n, m);
  options.rank_policy = RankPolicy::minimum_norm;
  SaddlePointSystem saddle(system, options);
  const bool factorized = saddle.factorize(start.t, start.q.data(), start.v.data()) == EvaluationResult::ok;
  const Eigen::VectorXd schur = lumped_schur_diagonal(*system, saddle.workspace());
  const Eigen::VectorXd unit = schur.cwiseSqrt();
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(m);
  Eigen::VectorXd acceleration(n), multipliers(m);
  std::minstd_rand random(1);
  for (int k = 0; k < random_loads && factorized; ++k) {
    acceleration.setZero();
    for (int i = 0; i < m; ++i) multipliers[i] = random() % 2 == 0 ? unit[i] : -unit[i];
    if (saddle.solve(acceleration.data(), multipliers.data()) != EvaluationResult::ok) break;
    squares += multipliers.cwiseProduct(unit).cwiseAbs2() / random_loads;
  }
  double length = 1.0;
  for (const double x : squares) length = std::max(length, std::sqrt(x));  // not for what is not a number
  Eigen::VectorXd inertias(m);
  for (int i = 0; i < m; ++i) inertias[i] = schur[i] > 0.0 ? std::min(length, most) / schur[i] : 1.0;
  return inertias;
}

}  // namespace sunlagrange::internal
