// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/internal/quantities.hpp>

#include "formulation/parts/real_and_complex.hpp"
#include "linear_solver/newton_matrix.hpp"

namespace sunlagrange::internal {

/// The Newton system of the forms that impose g = 0 and g' = 0 at once, with multipliers mu and lambda. h = 1/c of IDA.
/// With x_q = h (x_v + w), and the velocity rows subtracted from the position rows divided by h, two saddle-point
/// blocks remain, whose coupling vanishes with h:
///
///     [ M + h N     h N                 G_g^T     ] [ w          ]    r = M v' + G^T lambda - f
///     [ h^2 r_q     M + h r_v + h^2 r_q       G^T ] [ x_v        ]    N = d(M (q' - v) + G_g^T mu)/dq
///     [ G_g - h V_g   -h V_g                      ] [ x_mu       ]    V = d(g', psi)/dq
///     [ h V           G + h V                     ] [ h x_lambda ]    G_g, V_g: their rows of g
///
/// In the first block M stands for M + D, where D contains the masses that coordinates without mass get there. The
/// matrix has the saddle-point shape, so that every linear solver and rank policy applies.
class CoupledNewtonBlocks {
 public:
  CoupledNewtonBlocks(const SystemPatterns& patterns, int m_g, const LinearSolverOptions& options);

  /// Copies the blocks evaluated last. `correction_q`: N in the slots of the tangent pattern; `added_masses`: the n
  /// entries of D.
  void store(const Workspace& w, const Eigen::VectorXd& correction_q, const Eigen::VectorXd& added_masses);

  /// Factorises with the blocks stored last. h is double or Complex; factors of both exist side by side.
  template <class Scalar>
  EvaluationResult factorize(Scalar h);

  /// In: right-hand sides of the four block rows above; out: (w, x_v), (x_mu, h x_lambda).
  template <class Scalar>
  EvaluationResult solve(Scalar* top, Scalar* bottom) {
    return matrix<Scalar>().solve(top, bottom);
  }

  LinearCounts counts() const;
  std::string solver_description() const { return matrices_.of<double>()->solver().description(); }

 private:
  template <class Scalar>
  using Matrix = std::unique_ptr<NewtonMatrix<Scalar>>;
  template <class Scalar>
  NewtonMatrix<Scalar>& matrix() {
    Matrix<Scalar>& matrix = matrices_.of<Scalar>();
    if (matrix == nullptr) matrix = std::make_unique<NewtonMatrix<Scalar>>(pattern_, options_);
    return *matrix;
  }

  int n_;
  int m_g_;
  // slots of the entries of M, of the tangent blocks and of G in the doubled patterns
  std::vector<int> upper_diagonal_;
  std::vector<int> upper_mass_, upper_left_, upper_right_, lower_mass_, lower_left_, lower_right_;
  std::vector<int> mu_jacobian_, lambda_jacobian_;
  std::vector<int> mu_left_, mu_right_, lambda_left_, lambda_right_;
  Eigen::VectorXd mass_, r_q_, r_v_, V_q_, G_, correction_q_, added_masses_;  // entries of the blocks stored last
  Eigen::VectorXd jacobian_;
  BlockPattern pattern_;
  LinearSolverOptions options_;
  RealAndComplex<Matrix> matrices_;  // the complex one is made at its first use, by implicit Runge-Kutta methods
};

}  // namespace sunlagrange::internal
