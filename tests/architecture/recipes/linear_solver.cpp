// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {
namespace {

/// Template of a linear solver: LU of the whole equilibrated matrix. It factorises, solves, and tells its pivots.
class RecipeLinearSolver final : public Factors {
 public:
  explicit RecipeLinearSolver(const BlockPattern& pattern)
      : pattern_(pattern), n_(pattern.top_left.rows), m_(pattern.jacobian.rows), scales_(pattern) {
    lu_.resize(n_ + m_, n_ + m_);
    x_.resize(n_ + m_);
    pivots_.resize(static_cast<std::size_t>(n_ + m_));
  }

  bool factorize(const BlockValues& v, const double* row_compliance, Pivots) override {
    scales_.compute(pattern_, v, row_compliance);
    const auto top = scales_.top().asDiagonal(), right = scales_.right().asDiagonal();
    const auto left = scales_.left().asDiagonal();
    const Eigen::Map<const Matrix> H(v.top_left, n_, n_), G(v.jacobian, m_, n_);
    const Eigen::Map<const Matrix> B(pattern_.newton ? v.bottom_left : v.jacobian, m_, n_);
    lu_.topLeftCorner(n_, n_) = top * H * top;
    lu_.topRightCorner(n_, m_) = top * G.transpose() * right;
    lu_.bottomLeftCorner(m_, n_) = left * B * top;
    lu_.bottomRightCorner(m_, m_).setZero();
    if (v.compliance != nullptr) {
      lu_.bottomRightCorner(m_, m_) -= left * Eigen::Map<const Matrix>(v.compliance, m_, m_) * right;
    }
    for (int i = 0; i < m_ && row_compliance != nullptr; ++i) {
      lu_(n_ + i, n_ + i) -= scales_.left()[i] * row_compliance[i] * scales_.right()[i];
    }
    return kernels::factorize_lu(n_ + m_, lu_.data(), pivots_.data(), RankThresholds::lost_pivot);
  }

  void solve(double* top, double* bottom) override {
    Eigen::Map<Eigen::VectorXd> a(top, n_), lambda(bottom, m_);
    x_ << scales_.top().cwiseProduct(a), scales_.left().cwiseProduct(lambda);
    kernels::solve_lu(n_ + m_, lu_.data(), pivots_.data(), x_.data());
    a = scales_.top().cwiseProduct(x_.head(n_));
    lambda = scales_.right().cwiseProduct(x_.tail(m_));
  }

  bool certainly_regular(double least, const RowReference& reference) override {
    return count_pivots_below(std::sqrt(least / scales_.smallest_share(reference.square))) == 0;
  }

  int count_pivots_below(double relative) const override {
    const auto pivots = lu_.diagonal().cwiseAbs().cwiseInverse();  // the factors hold one over them
    return static_cast<int>((pivots.array() < relative * pivots.maxCoeff()).count());
  }

  std::string description() const override { return "recipe_linear_solver, LU of the whole matrix"; }

 private:
  using Matrix = Eigen::MatrixXd;

  BlockPattern pattern_;
  int n_, m_;
  BlockScales scales_;
  Matrix lu_;
  Eigen::VectorXd x_;
  std::vector<int> pivots_;
};

}  // namespace

LinearSolverEntry make_recipe_linear_solver() {
  LinearSolverEntry entry;
  entry.make = [](const BlockPattern& pattern) -> std::unique_ptr<Factors> {
    return std::make_unique<RecipeLinearSolver>(pattern);
  };
  return entry;
}

}  // namespace sunlagrange::internal
