// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "base/signed_vector.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Scales that make the blocks free of units, computed from the lumped masses mu_j = |H_jj|:
///
///     rows [ top  ]   columns [ top  right ]      top_j = mu_j^-1/2
///          [ left ]                               right_i = (sum_j G_ij^2 / mu_j)^-1/2, left_i the same with B
///
/// The scaled Schur complement of the lumped masses then has a unit diagonal. A coordinate without mass (H_jj = 0) gets
/// the mass that its constraints transmit from their other coordinates.
class BlockScales {
 public:
  explicit BlockScales(const BlockPattern& pattern);

  /// @param row_compliance  added to the diagonal of the Schur complement; nullptr: none
  /// @param same_H  H is that of the last call
  void compute(const BlockPattern& pattern, const BlockValues& values, const double* row_compliance = nullptr,
               bool same_H = false);

  const Eigen::VectorXd& top() const { return top_; }
  const Eigen::VectorXd& right() const { return right_; }
  const Eigen::VectorXd& left() const { return left_; }

  /// True for coordinates that have no mass of their own.
  const std::vector<bool>& massless() const { return massless_; }

  /// Returns the smallest S_ii / reference_i for lumped masses; 1 if `reference` is null.
  double smallest_share(const double* reference) const;

  /// Returns S_ii = sum_j G_ij^2 / mu_j of lumped masses. A row of zeros has the largest value.
  const Eigen::VectorXd& schur_diagonal() const { return schur_; }

 private:
  template <class Scalar>
  void find_masses(const BlockPattern& pattern, const Scalar* top_left);
  template <class Scalar>
  void find_massless(const BlockPattern& pattern, const Scalar* top_left, double largest);
  template <class Scalar>
  void row_sums(const SparsePattern& pattern, const Scalar* values, Eigen::VectorXd& sums) const;
  bool transmit_masses(const SparsePattern& jacobian, const double* values);

  SignedVector<int> diagonal_;  // slots of H_jj, -1: none
  std::vector<bool> massless_;
  bool all_with_mass_ = false;
  Eigen::VectorXd square_of_scale_, mass_, top_, right_, left_, schur_;
};

}  // namespace sunlagrange::internal
