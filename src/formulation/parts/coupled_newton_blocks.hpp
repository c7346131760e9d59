#pragma once

#include <memory>
#include <vector>

#include <sunlagrange/internal/quantities.hpp>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Newton system of the forms that demand g = 0 and g' = 0 at once with multipliers mu and lambda. With h = 1/c of IDA,
/// x_q = h (x_v + w) and the position rows divided by h and lessened by the velocity rows, two saddle-point blocks
/// couple only through terms that vanish with h:
///
///     [ M + h N     h N                 G_g^T     ] [ w          ]    r = M v' + G^T lambda - f
///     [ h^2 r_q     M + h r_v + h^2 r_q       G^T ] [ x_v        ]    N = d(M (q' - v) + G_g^T mu)/dq
///     [ G_g - h V_g   -h V_g                      ] [ x_mu       ]    V = d(g', psi)/dq
///     [ h V           G + h V                     ] [ h x_lambda ]    G_g, V_g: their rows of g
///
/// In the first block M is M + D with the masses that massless coordinates borrow for their correction.
/// One more instance of the shape every linear solver takes, so rank policies and KLU come for free.
class CoupledNewtonBlocks {
 public:
  CoupledNewtonBlocks(const SystemPatterns& patterns, int m_g, const LinearSolverOptions& options);

  /// Factorises for the blocks evaluated last. `correction_q`: N in the slots of the tangent pattern; `borrowed`: D, a
  /// number for each coordinate.
  LinearOutcome factorize(double h, const Workspace& w, const Eigen::VectorXd& correction_q,
                          const Eigen::VectorXd& borrowed);

  /// In: right-hand sides of the four block rows above; out: (w, x_v), (x_mu, h x_lambda).
  LinearOutcome solve(double* top, double* bottom) { return solver_->solve(top, bottom); }

  const LinearSolver& solver() const { return *solver_; }

 private:
  int n_;
  int m_g_;
  // slots of the entries of M, the tangent blocks and G in the doubled patterns
  std::vector<int> upper_diagonal_;
  std::vector<int> upper_mass_, upper_left_, upper_right_, lower_mass_, lower_left_, lower_right_;
  std::vector<int> mu_jacobian_, lambda_jacobian_;
  std::vector<int> mu_left_, mu_right_, lambda_left_, lambda_right_;
  Eigen::VectorXd top_left_, jacobian_, bottom_left_;
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace sunlagrange::internal
