#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>

#include "linear_algebra/vector_map.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Which steps count as short, and which coordinates take none.
struct Metric {
  Eigen::VectorXd weights;  ///< W = diag(weights); empty: W = M
  std::vector<int> fixed;   ///< coordinates that stay where they are

  bool plain() const { return weights.size() == 0 && fixed.empty(); }
};

/// A step of a projection in a metric of its own, for the first rows of G:
///
///     [ W   G^T ] [ x ]   [ top    ]
///     [ G   0   ] [ y ] = [ bottom ]      x = 0 in the fixed coordinates
///
/// Fixed coordinates take part neither in W nor in G; a row that is left without coordinates is dropped, its residual
/// stays for the caller to see. With fixed coordinates such rows are the normal case, so rank policy strict becomes
/// minimum_norm here: strict is about the constraints themselves.
class MetricStep {
 public:
  MetricStep(const SystemPatterns& patterns, int rows, const Metric& metric, const LinearSolverOptions& resolved);

  /// Factorises with M and G of `w` and solves. In: right-hand sides (length n, length >= rows). Out: x and y.
  LinearOutcome solve(const Workspace& w, double* top, double* bottom);

  /// The two by themselves, for several right-hand sides.
  LinearOutcome factorize(const Workspace& w);
  LinearOutcome solve(double* top, double* bottom);

 private:
  // The blocks that are left; their values come from the slots that are remembered on the way, in the same order.
  SparsePattern free_metric(const SparsePattern& mass, bool sparse);
  SparsePattern free_jacobian(const SparsePattern& jacobian, int rows);

  Eigen::VectorXd weights_;
  std::vector<int> coordinates_;     // free ones
  std::vector<int> rows_;            // that act on them
  std::vector<int> metric_slots_;    // in M of the system; -1 - j: weight of coordinate j, -1 - n: zero
  std::vector<int> jacobian_slots_;  // in G of the system
  int n_;
  Eigen::VectorXd metric_, jacobian_, top_, bottom_;
  std::unique_ptr<LinearSolver> solver_;  // null if nothing is free
};

/// y = W x for the metric, at M of `w`.
Eigen::VectorXd metric_times(const Metric& metric, const Workspace& w, const Eigen::VectorXd& x);

}  // namespace sunlagrange::internal
