#include "gains/row_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linear_solver/saddle_point_system.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// The mean square of so many answers is right within a third.
constexpr int random_loads = 16;

/// A compliance 1e8 times smaller than the inertia must stay above the rounding of the lightest part.
constexpr double most = 1e6;

/// What is left of a load, relative to the largest entry, in rows that depend on the loaded ones.
constexpr double noticeable = 1e-6;

/// Answers of a factorised system to loads on its rows.
class Answers {
 public:
  Answers(const PatternMatrix& G, const SaddlePointSystem& saddle, const Eigen::VectorXd& unit)
      : G_(G), saddle_(saddle), unit_(unit), acceleration_(unit.size()) {}

  /// False where the system cannot be solved.
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

  /// In units of the rows: what the load asks for and nothing moves.
  const Eigen::VectorXd& left() const { return left_; }

 private:
  const PatternMatrix& G_;
  const SaddlePointSystem& saddle_;
  const Eigen::VectorXd& unit_;
  Eigen::VectorXd acceleration_, multipliers_, left_;
};

/// Rows that depend on each other, `first` among them, and |(G M^-1 G^T)^+| of these rows [Frobenius].
struct Group {
  std::vector<int> rows;
  double inertia = 0.0;
};

Group group_of(int first, Answers& answers, Eigen::Index m) {
  Group group{{first}, 0.0};
  std::vector<Eigen::VectorXd> multipliers;
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    if (!answers.to(Eigen::VectorXd::Unit(m, group.rows[k]))) continue;
    multipliers.push_back(answers.multipliers());
    const double limit = noticeable * answers.left().maxCoeff();
    for (int i = 0; i < m; ++i) {
      const bool new_one = std::find(group.rows.begin(), group.rows.end(), i) == group.rows.end();
      if (answers.left()[i] > limit && new_one) group.rows.push_back(i);
    }
  }
  for (const Eigen::VectorXd& x : multipliers) {
    for (const int i : group.rows) group.inertia += x[i] * x[i];
  }
  group.inertia = std::sqrt(group.inertia);
  return group;
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
  Answers answers(evaluator.quantities().G, saddle, unit);
  std::minstd_rand random(1);
  for (int k = 0; k < random_loads && factorized; ++k) {
    for (int i = 0; i < m; ++i) load[i] = random() % 2 == 0 ? unit[i] : -unit[i];
    if (!answers.to(load)) break;
    squares += answers.multipliers().cwiseProduct(unit).cwiseAbs2() / random_loads;
    left = left.cwiseMax(answers.left());
  }
  double length = 1.0;
  for (const double x : squares) length = std::max(length, std::sqrt(x));  // not for what is not a number
  RowInertias result{Eigen::VectorXd(m), std::max(1.0, length / most)};
  Eigen::VectorXd& inertias = result.values;
  length = std::min(length, most);
  for (int i = 0; i < m; ++i) inertias[i] = schur[i] > 0.0 ? length / schur[i] : 1.0;
  if (!factorized || saddle.solver().rank() == m) return result;
  const double limit = noticeable * left.maxCoeff();
  std::vector<bool> seen(static_cast<std::size_t>(m), false);
  for (int i = 0; i < m; ++i) {
    if (seen[static_cast<std::size_t>(i)] || !(left[i] > limit)) continue;
    const Group group = group_of(i, answers, m);
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
