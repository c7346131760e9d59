// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/base/fact.hpp>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Method of multipliers on a saddle-point system with compliance C = Lambda^-1 [Bayo1988; BayoLedesma1996]:
///
///     [ M   G^T ] [ v'_k     ]   [ f                   ]
///     [ G   -C  ] [ lambda_k ] = [ b - C lambda_{k-1}  ],     lambda_0 = 0,
///
/// with one factorisation, and one solve per iteration. The limit has C = 0: G v' = b where the rows allow it, the
/// least-squares solution in the metric of Lambda where they do not. In an eigenmode sigma of G M^-1 G^T with Lambda =
/// alpha I the error falls by 1 / (1 + alpha sigma) per iteration; in range(G M^-1 G^T) lambda tends to the solution of
/// least C-norm.
///
/// Stops when the constraint force no longer changes: |G^T (lambda_k - lambda_{k-1})| <= tolerance (|f| + |G^T lambda|)
/// in the norm sum_j F_j^2 / M_jj, which does not depend on units. The change of lambda itself is no criterion: with
/// redundant rows that contradict each other lambda grows without bound while G^T lambda and v' converge. With a
/// contraction rho the remaining error is rho / (1 - rho) times the last change.
///
/// Every iteration starts from zero, so that v' is a function of the point alone, as integrators require.
class MultiplierIteration {
 public:
  MultiplierIteration(const PointEvaluator& evaluator, GainMatrix compliance, double tolerance, int max_iterations);

  /// Replaces f and b by v' and lambda. `saddle` is factorised with the compliance. An iteration that ends at
  /// max_iterations is counted and returns its last iterate. No allocation.
  EvaluationResult solve(const Workspace& w, const SaddlePointSystem& saddle, double* a, double* lambda);

  /// Returns the number of evaluations that ended at the limit while the constraint force still changed by more than a
  /// hundred tolerances.
  long far_off() const { return far_off_; }

  /// Returns the numbers of iterations and of evaluations that did not converge, and the slowest contraction.
  std::vector<Fact> statistics() const;

 private:
  double force_norm(const Eigen::VectorXd& force) const;

  GainMatrix compliance_;
  double tolerance_;
  int max_iterations_;
  std::vector<int> mass_diagonal_;  // slots of M_jj
  Eigen::VectorXd force_, rows_, old_, change_, constraint_force_;
  Eigen::VectorXd masses_;  // M_jj, with the largest mass for coordinates without one
  long evaluations_ = 0;
  long iterations_ = 0;
  long not_converged_ = 0;
  long far_off_ = 0;
  long most_ = 0;
  double slowest_ = 0.0;
};

}  // namespace sunlagrange::internal
