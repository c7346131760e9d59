// SPDX-License-Identifier: BSD-3-Clause
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

/// Solves Newton systems [H G^T; B -C] with any factors. Usable corrections are enough here. A matrix counts as
/// singular if its relative eigenvalue is below RankThresholds::newton (less for more than 10 000 rows, as long chains
/// are regular), unless the geometry of G shows that masses lie far apart. Off the constraints redundant rows have
/// eigenvalues of 1e-12, which would give corrections of 1e6. Every row of a singular matrix and of the next few gets a
/// compliance. strict refuses only matrices that are singular to rounding.
class NewtonSolver final : public LinearSolver {
 public:
  NewtonSolver(const BlockPattern& pattern, std::unique_ptr<Factors> factors, bool strict);

  EvaluationResult factorize(const BlockValues& values) override;
  EvaluationResult solve(double* top, double* bottom) override;
  int rank() const override { return m_; }
  WeakestMode weakest_mode(int) override { return {}; }
  std::string description() const override;

 private:
  EvaluationResult factorize_by_policy(const BlockValues& values);
  bool regular(const BlockValues& values);
  const double* real_direction() const;

  BlockPattern pattern_;
  std::unique_ptr<Factors> factors_;
  int n_, m_;
  int parts_;  // doubles of a number: 2 if complex
  bool strict_;
  double singular_below_;     // relative eigenvalue of the Schur complement below which the matrix counts as singular
  int regularized_left_ = 0;  // number of the next matrices that get a compliance without a check
  bool rank_event_ = false;
  EvaluationResult outcome_ = EvaluationResult::singular;
  BlockScales scales_;
  Eigen::VectorXd metric_;  // column scales of the first matrix whose geometry was checked
  GeometricRank geometry_;
  SignedVector<double> delta_, u_, top_, bottom_;
};

}  // namespace sunlagrange::internal
