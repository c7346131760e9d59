#include <Eigen/LU>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange {
namespace {

/// Template of a linear solver: LU with full pivoting of the whole matrix [H G^T; B -C]. Slow, short, and honest about
/// lost rank: the strict policy reports it, the others let the factorisation drop the lost pivots.
class RecipeLinearSolver final : public LinearSolver {
 public:
  RecipeLinearSolver(const BlockPattern& pattern, const LinearSolverOptions& options)
      : n_(pattern.top_left.rows),
        m_(pattern.jacobian.rows),
        options_(options),
        matrix_(n_ + m_, n_ + m_),
        x_(n_ + m_) {
    lu_.setThreshold(1e-12);
  }

  LinearOutcome factorize(const BlockValues& v) override {
    ++counts_.factorizations;
    matrix_.topLeftCorner(n_, n_) = Eigen::Map<const Eigen::MatrixXd>(v.top_left, n_, n_);
    const Eigen::Map<const Eigen::MatrixXd> G(v.jacobian, m_, n_);
    matrix_.topRightCorner(n_, m_) = G.transpose();
    matrix_.bottomLeftCorner(m_, n_) =
        v.bottom_left == nullptr ? G : Eigen::Map<const Eigen::MatrixXd>(v.bottom_left, m_, n_);
    matrix_.bottomRightCorner(m_, m_).setZero();
    if (v.compliance != nullptr)
      matrix_.bottomRightCorner(m_, m_) = -Eigen::Map<const Eigen::MatrixXd>(v.compliance, m_, m_);
    if (!matrix_.allFinite()) return LinearOutcome::not_finite;
    lu_.compute(matrix_);
    const bool lost = lu_.rank() < n_ + m_;
    if (lost) ++counts_.rank_events;
    return lost && options_.rank_policy == RankPolicy::strict ? LinearOutcome::rank_loss : LinearOutcome::ok;
  }

  LinearOutcome solve(double* top, double* bottom) override {
    ++counts_.solves;
    x_ << Eigen::Map<Eigen::VectorXd>(top, n_), Eigen::Map<Eigen::VectorXd>(bottom, m_);
    x_ = lu_.solve(x_).eval();
    Eigen::Map<Eigen::VectorXd>(top, n_) = x_.head(n_);
    Eigen::Map<Eigen::VectorXd>(bottom, m_) = x_.tail(m_);
    return x_.allFinite() ? LinearOutcome::ok : LinearOutcome::not_finite;
  }

  int rank() const override { return static_cast<int>(lu_.rank()) - n_; }
  WeakestMode weakest_mode(int) override { return {}; }
  std::string description() const override { return "LU with full pivoting of the whole matrix"; }

 private:
  int n_, m_;
  LinearSolverOptions options_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd x_;
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_recipe_linear_solver(const BlockPattern& pattern,
                                                        const LinearSolverOptions& options) {
  return std::make_unique<RecipeLinearSolver>(pattern, options);
}

}  // namespace sunlagrange
