// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Splits the columns of a constraint Jacobian J into dependent and independent ones, and solves for the dependent
/// part:
///
///     R J D = [ J_d  J_i ],     J_d x_d = b in the sense of least squares,     S = -J_d^+ J_i
///
/// with diagonal scales R, D that remove the units from J. The number of columns of J_d is the rank of J, so that
/// redundant rows need no treatment. Dense Householder QR with column pivoting for every storage of J: O(m^2 n) to
/// choose, O(m^3) to factorise. One instance per thread.
class CoordinatePartition {
 public:
  /// @param jacobian   pattern of J; it must outlive this object
  /// @param rows       number of leading rows of J that are used
  /// @param rank_threshold  as LinearSolverOptions::rank_threshold
  CoordinatePartition(const SparsePattern& jacobian, int rows, double rank_threshold);

  /// Makes the pivots of R J D the dependent columns. Allocates.
  /// @param J  values in the slots of the pattern
  /// @param row_scale, column_scale  diagonals of R and D, positive; copied
  /// @param rank  number of dependent columns, or -1: the rank of J by its geometry (JacobianScales), because R J D
  ///              also has small singular values if the ratio of masses is large
  /// @param first  columns that become dependent if J allows it (coordinates without inertia); empty: none
  /// @return false if J does not have that rank or is not finite; the partition then does not change
  bool choose(const double* J, const double* row_scale, const double* column_scale, int rank = -1,
              const std::vector<bool>& first = {});

  /// Sets the dependent columns, in ascending order. The scales do not change. Allocates.
  void set_dependent(const std::vector<int>& dependent);

  /// Factorises J_d. Returns rank_loss if J_d is singular to working precision. No allocation.
  EvaluationResult factorize(const double* J);

  /// Solves with the last factorisation, which may belong to another J. No allocation.
  /// @param b  right-hand side, length rows; replaced by x_d in the order of dependent(), length rank
  /// @return the Euclidean norm of D^-1 x_d
  double solve(double* b);

  /// Returns the largest entry of D_d^-1 S D_i with the last factorisation, which must be that of J. Exchanging the two
  /// columns of an entry multiplies the volume |det J_d| by its absolute value: below 1 no exchange improves the
  /// partition.
  double largest_influence(const double* J);

  const std::vector<int>& dependent() const { return dependent_; }      ///< columns, ascending
  const std::vector<int>& independent() const { return independent_; }  ///< columns, ascending
  int rank() const { return static_cast<int>(dependent_.size()); }
  bool factorized() const { return factorized_; }
  long factorizations() const { return factorizations_; }
  long solutions() const { return solutions_; }

 private:
  std::vector<int> pivots_after(const Eigen::MatrixXd& all, const std::vector<bool>& first, double limit) const;
  int geometric_rank(const double* J) const;
  void make_block();
  void load_column(const double* J, int column, double* target) const;
  double solve_scaled(double* b);

  const SparsePattern* pattern_;
  int rows_;
  double threshold_;
  double least_pivot_;  // J_d is singular if its last pivot is smaller, relative to the first one
  Eigen::VectorXd row_scale_, column_scale_;
  std::vector<int> dependent_, independent_;
  Eigen::MatrixXd block_;  // J_d
  PivotedQr qr_{0, 0};
  Eigen::VectorXd right_, work_, x_;
  bool factorized_ = false;
  long factorizations_ = 0, solutions_ = 0;
};

}  // namespace sunlagrange::internal
