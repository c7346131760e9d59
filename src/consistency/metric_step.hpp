// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>

#include "base/signed_vector.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// The metric of a projection, and the coordinates that it does not move.
struct Metric {
  Eigen::VectorXd weights;  ///< W = diag(weights); empty: W = M
  std::vector<int> fixed;   ///< coordinates that do not move

  bool plain() const { return weights.size() == 0 && fixed.empty(); }
};

/// A step of a projection in a given metric, for the first rows of G:
///
///     [ W   G^T ] [ x ]   [ top    ]
///     [ G   0   ] [ y ] = [ bottom ]      x = 0 in the fixed coordinates
///
/// Fixed coordinates are left out of W and G. A row without free coordinates is dropped; its residual remains.
/// Dependent rows are normal with fixed coordinates, therefore rank policy strict becomes minimum_norm here.
class MetricStep {
 public:
  MetricStep(const SystemPatterns& patterns, int rows, const Metric& metric, const LinearSolverOptions& resolved);

  /// Factorises with M and G of `w` and solves. In: right-hand sides (length n, length >= rows). Out: x and y.
  EvaluationResult solve(const Workspace& w, double* top, double* bottom);

  /// Both steps separately, for several right-hand sides.
  EvaluationResult factorize(const Workspace& w);
  EvaluationResult solve(double* top, double* bottom);

 private:
  // Returns the blocks of the free coordinates and stores the slots of their values in the same order.
  SparsePattern free_metric(const SparsePattern& mass, bool sparse);
  SparsePattern free_jacobian(const SparsePattern& jacobian, int rows);

  Eigen::VectorXd weights_;
  SignedVector<int> coordinates_;     // free coordinates
  SignedVector<int> rows_;            // rows that act on them
  SignedVector<int> metric_slots_;    // in M of the system; -1 - j: weight of coordinate j, -1 - n: zero
  SignedVector<int> jacobian_slots_;  // in G of the system
  int n_;
  Eigen::VectorXd metric_, jacobian_, top_, bottom_;
  std::unique_ptr<LinearSolver> solver_;  // null if no coordinate is free
};

/// Returns W x for the metric, with M of `w`.
Eigen::VectorXd metric_times(const Metric& metric, const Workspace& w, const Eigen::VectorXd& x);

}  // namespace sunlagrange::internal
