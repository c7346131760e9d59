// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "linear_solver/factors/block_scales.hpp"

namespace sunlagrange::internal {

/// G at one configuration.
struct ConstraintRows {
  Eigen::VectorXd G;      // values in the slots of RowEvaluator::jacobian()
  Eigen::VectorXd speed;  // 1 / sqrt(mass) of each coordinate
};

/// Evaluates ConstraintRows. One instance per thread.
class RowEvaluator {
 public:
  explicit RowEvaluator(const MechanicalSystem& system);

  /// Returns false if the model declines the point or returns values that are not finite.
  bool operator()(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, ConstraintRows& rows);

  const SparsePattern& jacobian() const { return w_->patterns->jacobian; }

 private:
  BlockPattern pattern() const;

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> w_;
  BlockScales scales_;
};

/// Singular values and left null space of R G D.
struct Decomposition {
  Eigen::VectorXd values;  // length m
  Eigen::MatrixXd null;    // m x (m - rank)
  int rank = 0;
  double lost = 0.0;  // largest lost singular value, relative to the smallest that is not lost

  /// @param threshold  relative bound of squared singular values
  Decomposition(const Eigen::MatrixXd& RGD, double threshold);

  /// Returns the bound below which entries of the null vectors count as zero.
  double cut() const { return std::min(0.03, std::max(1e-9, 10.0 * lost)); }  // 1e-9: rounding of exact null vectors
};

/// Orders rows of A by Gram-Schmidt with pivoting, so that the first k span best. Of equal rows the last (or first) is
/// taken.
std::vector<int> pivoted_rows(Eigen::MatrixXd A, Eigen::Index k, bool prefer_last);

/// Returns the given rows of A, in that order.
Eigen::MatrixXd rows_of(const Eigen::MatrixXd& A, const std::vector<int>& rows);

}  // namespace sunlagrange::internal
