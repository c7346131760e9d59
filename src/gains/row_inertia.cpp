// SPDX-License-Identifier: BSD-3-Clause
#include "gains/row_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gains/rows_on_bodies.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// The mean square of so many responses has an error of a third.
constexpr int random_loads = 16;

/// A compliance 1e8 times smaller than the inertia must stay above the rounding of the lightest part.
constexpr double most = 1e6;

/// Residual of a load relative to its largest entry; rows above it depend on the loaded ones.
constexpr double noticeable = 1e-6;

/// Responses of a factorised system to loads on its rows.
class Responses {
 public:
  Responses(const PatternMatrix& G, const SaddlePointSystem& saddle, const Eigen::VectorXd& unit)
      : G_(G), saddle_(saddle), unit_(unit), acceleration_(unit.size()) {}

  /// Returns false if the system cannot be solved.
  bool to(const Eigen::VectorXd& load) {
    acceleration_.setZero(saddle_.n());
    multipliers_ = load;
    if (saddle_.solve(acceleration_.data(), multipliers_.data()) != EvaluationResult::ok) return false;
    left_ = load;
    left_ -= G_ * acceleration_;
    left_ = left_.cwiseProduct(unit_).cwiseAbs();
    return true;
  }

  const Eigen::VectorXd& multipliers() const { return multipliers_; }

  /// Residual of the load in units of the rows: the part that no acceleration can satisfy.
  const Eigen::VectorXd& left() const { return left_; }

 private:
  const PatternMatrix& G_;
  const SaddlePointSystem& saddle_;
  const Eigen::VectorXd& unit_;
  Eigen::VectorXd acceleration_, multipliers_, left_;
};

/// A set of rows that depend on each other, and the Frobenius norm of (G M^-1 G^T)^+ of these rows.
struct Group {
  std::vector<int> rows;
  double inertia = 0.0;
};

Group group_of(int first, Responses& responses, Eigen::Index m) {
  Group group{{first}, 0.0};
  std::vector<Eigen::VectorXd> multipliers;
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    if (!responses.to(Eigen::VectorXd::Unit(m, group.rows[k]))) continue;
    multipliers.push_back(responses.multipliers());
    const double limit = noticeable * responses.left().maxCoeff();
    for (int i = 0; i < m; ++i) {
      const bool new_one = std::find(group.rows.begin(), group.rows.end(), i) == group.rows.end();
      if (responses.left()[i] > limit && new_one) group.rows.push_back(i);
    }
  }
  for (const Eigen::VectorXd& x : multipliers) {
    for (const int i : group.rows) group.inertia += x[i] * x[i];
  }
  group.inertia = std::sqrt(group.inertia);
  return group;
}

/// Returns the largest ratio of the inertias of two bodies that one row joins.
double largest_ratio(const MechanicalSystem& system, const Workspace& w) {
  double ratio = 1.0;
  for (const auto& row : RowsOnBodies(system).of(w.G, lumped_mass(system, w), system.num_constraints())) {
    const auto [heaviest, lightest] = std::minmax_element(
        row.begin(), row.end(), [](const auto& a, const auto& b) { return a.squared_norm < b.squared_norm; });
    if (heaviest != lightest) ratio = std::max(ratio, lightest->squared_norm / heaviest->squared_norm);
  }
  return ratio;
}

}  // namespace

RowInertias row_inertias(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                         const LinearSolverOptions& linear_solver) {
  const int m = system->num_constraints();
  LinearSolverOptions options = resolve_linear_solver(linear_solver, *system);
  options.rank_policy = RankPolicy::minimum_norm;
  PointEvaluator evaluator = evaluator_for(system, options);
  SaddlePointSystem saddle(evaluator, options);
  const bool factorized =
      saddle.factorize(evaluator.at(start.t, start.q.data(), start.v.data())) == EvaluationResult::ok;
  const Eigen::VectorXd schur = lumped_schur_diagonal(*system, evaluator.quantities());
  const Eigen::VectorXd unit = schur.cwiseSqrt();
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(m), left = squares, load(m);
  Responses responses(evaluator.quantities().G, saddle, unit);
  std::minstd_rand random(1);
  for (int k = 0; k < random_loads && factorized; ++k) {
    for (int i = 0; i < m; ++i) load[i] = random() % 2 == 0 ? unit[i] : -unit[i];
    if (!responses.to(load)) break;
    squares += responses.multipliers().cwiseProduct(unit).cwiseAbs2() / random_loads;
    left = left.cwiseMax(responses.left());
  }
  double length = largest_ratio(*system, evaluator.quantities());
  for (const double x : squares) length = std::max(length, std::sqrt(x));  // ignores NaN
  RowInertias result{Eigen::VectorXd(m), std::max(1.0, length / most)};
  Eigen::VectorXd& inertias = result.values;
  length = std::min(length, most);
  for (int i = 0; i < m; ++i) inertias[i] = schur[i] > 0.0 ? length / schur[i] : 1.0;
  if (!factorized || saddle.solver().rank() == m) return result;
  const double limit = noticeable * left.maxCoeff();
  std::vector<bool> seen(static_cast<std::size_t>(m), false);
  for (int i = 0; i < m; ++i) {
    if (seen[static_cast<std::size_t>(i)] || !(left[i] > limit)) continue;
    const Group group = group_of(i, responses, m);
    double trace = 0.0;
    for (const int k : group.rows) trace += schur[k];
    for (const int k : group.rows) {
      seen[static_cast<std::size_t>(k)] = true;
      inertias[k] = std::clamp(std::sqrt(group.inertia / trace), length / trace, most / trace);
    }
  }
  return result;
}

}  // namespace sunlagrange::internal
