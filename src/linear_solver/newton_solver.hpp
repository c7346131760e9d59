#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/geometric_rank.hpp"

namespace sunlagrange::internal {

/// Newton systems [H G^T; B -C] with any factors. They only have to give usable corrections: off the constraints
/// redundant rows leave Schur complements of 1e-12, and corrections of 1e6 with them. Below 1e-9, less for more than 10
/// 000 rows (long chains have eigenvalues that small), the matrix counts as singular, unless the geometry of G says
/// that masses lie far apart: every row is lent compliance then, for this matrix and the next few. strict refuses only
/// what is singular to rounding.
class NewtonSolver final : public LinearSolver {
 public:
  NewtonSolver(const BlockPattern& pattern, std::unique_ptr<Factors> factors, bool strict);

  LinearOutcome factorize(const BlockValues& values) override;
  LinearOutcome solve(double* top, double* bottom) override;
  int rank() const override { return m_; }
  WeakestMode weakest_mode(int) override { return {}; }
  std::string description() const override;

 private:
  LinearOutcome factorize_by_policy(const BlockValues& values);
  bool regular(const BlockValues& values);
  const double* real_direction() const;

  BlockPattern pattern_;
  std::unique_ptr<Factors> factors_;
  int n_, m_;
  int parts_;  // of a number: 2 where they are complex
  bool strict_;
  double singular_below_;     // relative eigenvalue of the Schur complement below which the matrix counts as singular
  int regularized_left_ = 0;  // matrices that are still lent compliance without a question
  bool rank_event_ = false;
  LinearOutcome outcome_ = LinearOutcome::singular;
  BlockScales scales_;
  Eigen::VectorXd metric_;  // column scales of the first matrix that was asked about
  GeometricRank geometry_;
  SignedVector<double> delta_, u_, top_, bottom_;
};

}  // namespace sunlagrange::internal
