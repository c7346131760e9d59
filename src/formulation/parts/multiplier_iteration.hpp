#pragma once

#include <sunlagrange/base/fact.hpp>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Method of multipliers on a saddle-point system with compliance C = Lambda^-1 [Bayo1988; BayoLedesma1996]:
///
///     [ M   G^T ] [ v'_k     ]   [ f                   ]
///     [ G   -C  ] [ lambda_k ] = [ b - C lambda_{k-1}  ],     lambda_0 = 0,
///
/// one factorisation, one solve per iteration. The limit has C = 0: G v' = b where the rows allow it, the least-squares
/// solution in the metric of Lambda where they do not. In an eigenmode sigma of G M^-1 G^T with Lambda = alpha I the
/// error falls by 1 / (1 + alpha sigma) per iteration; in range(G M^-1 G^T) lambda tends to the solution of least
/// C-norm.
///
/// Stops when the constraint force no longer changes: |G^T (lambda_k - lambda_{k-1})| <= tolerance (|f| + |G^T lambda|)
/// in the norm sum_j F_j^2 / M_jj, which knows no units. Not when lambda no longer changes: with redundant rows that
/// contradict each other lambda grows for ever while G^T lambda and v' converge. With a contraction rho the error left
/// is rho / (1 - rho) times the last change.
///
/// Always starts from zero: v' is a function of the point alone, as integrators demand; starting from the last lambda
/// would make it depend on their history.
class MultiplierIteration {
 public:
  MultiplierIteration(const SaddlePointSystem& saddle, GainMatrix compliance, double tolerance, int max_iterations);

  /// In: f and b, out: v' and lambda. `saddle` is factorised with the compliance. An iteration that ends at
  /// max_iterations is counted and its last iterate returned. No allocation.
  EvaluationResult solve(SaddlePointSystem& saddle, double* a, double* lambda);

  /// Evaluations that ended at the limit, where the constraint force still changed by a hundred tolerances.
  long far_off() const { return far_off_; }

  /// Iterations, evaluations that did not converge, slowest contraction met.
  std::vector<Fact> statistics() const;

 private:
  double force_norm(const Eigen::VectorXd& force) const;

  GainMatrix compliance_;
  double tolerance_;
  int max_iterations_;
  std::vector<int> mass_diagonal_;  // slots of M_jj
  Eigen::VectorXd force_, rows_, old_, change_, constraint_force_;
  Eigen::VectorXd masses_;  // M_jj, those of massless coordinates lent
  long evaluations_ = 0;
  long iterations_ = 0;
  long not_converged_ = 0;
  long far_off_ = 0;
  long most_ = 0;
  double slowest_ = 0.0;
};

}  // namespace sunlagrange::internal
