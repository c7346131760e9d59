// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/internal/quantities.hpp>

#include "formulation/parts/real_and_complex.hpp"
#include "formulation/parts/stabilization.hpp"
#include "linear_solver/newton_matrix.hpp"

namespace sunlagrange::internal {

/// The Newton systems of all formulations, reduced to one shape. h is gamma of CVODE or 1/c of IDA; its type `Scalar`
/// is double or, for pairs of stages of an implicit Runge-Kutta method, Complex:
///
///     [ M + h r_v + h^2 r_q   G^T ] [ x_v        ]
///     [ B                     -C  ] [ h x_lambda ] = right-hand side,     r = M v' + G^T lambda - f
///
/// With the unknowns (x_v, h x_lambda) the matrix contains no negative power of h: this scaling of rows and columns
/// keeps the index-3 system as well conditioned as the saddle-point system at every step size. The blocks of the last
/// evaluation are kept, so that a new h needs no evaluation of the model.
class NewtonBlocks {
 public:
  /// @param stabilization  the feedback of the rows, whose pattern is needed if it couples rows; null: none
  NewtonBlocks(const Workspace& w, const LinearSolverOptions& options, const Stabilization* stabilization,
               const GainMatrix& compliance);

  /// Copies M, G and the tangent blocks evaluated last.
  void store(const Workspace& w);

  /// Sets B of the stabilised acceleration rows s = G v' - gamma + K_D g' + K_P g to G + h s_v + h^2 s_q.
  template <class Scalar>
  void acceleration_rows(Scalar h, const Stabilization& s);

  /// Sets B of constraints on the position level, G, for rows before `first_velocity_row`, and of g' or psi on the
  /// velocity level, G + h d(g', psi)/dq, for the others.
  template <class Scalar>
  void constraint_rows(Scalar h, int first_velocity_row);

  /// Factorises with the B set last for this type of h. Real and complex factors exist side by side.
  template <class Scalar>
  EvaluationResult factorize(Scalar h);

  /// Factorises the matrix of a kinematic program, r = A^T mu - w, s = A v + f_t + K f, with the unknowns (x_y, h mu):
  ///
  ///     [ I + h r_y            A^T ]
  ///     [ A + h (s_y + K A)        ],     s_y = d(A v + f_t)/dy
  template <class Scalar>
  EvaluationResult factorize_program(Scalar h, const GainMatrix& K);

  template <class Scalar>
  EvaluationResult solve(Scalar* top, Scalar* bottom) {
    return matrix<Scalar>().solve(top, bottom);
  }

  /// Factorises the transpose [H^T B^T; G -C] with the B set last. Its factors exist beside those of factorize().
  EvaluationResult factorize_transposed(double h);
  EvaluationResult solve_transposed(double* top, double* bottom) { return transposed_->matrix.solve(top, bottom); }

  /// Return the blocks stored last.
  const PatternMatrix& M() const { return M_; }
  const PatternMatrix& G() const { return G_; }
  const PatternMatrix& r_q() const { return r_q_; }

  /// y -= h s_q b_q with s_q = d(g'')/dq + K_D d(g')/dq + K_P G (psi rows: K_N, no K_P).
  template <class Scalar>
  void subtract_stabilized_q_times(Scalar h, const Eigen::Map<VectorOf<Scalar>>& b_q, const Stabilization& s,
                                   VectorOf<Scalar>& y);

  /// Adds the transpose of G b_v - h s_q b_q: b_v += G^T z, b_q -= h s_q^T z.
  void add_stabilized_rows_transposed(double h, const Eigen::VectorXd& z, const Stabilization& s,
                                      Eigen::Map<Eigen::VectorXd>& b_v, Eigen::Map<Eigen::VectorXd>& b_q);

  /// y -= (G for rows before first_velocity_row, h d(g', psi)/dq for the others) x
  template <class Scalar>
  void subtract_constraint_q_times(Scalar h, int first_velocity_row, const Eigen::Map<VectorOf<Scalar>>& x,
                                   VectorOf<Scalar>& y) const;

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
  template <class Scalar>
  void fill_top_left(Scalar h);
  template <class Scalar>
  void add_mass();  // to the block at the top left
  template <class Scalar>
  EvaluationResult factorize_with_mass();
  SparsePattern bottom_pattern(const Stabilization* stabilization);

  std::shared_ptr<const SystemPatterns> patterns_;
  struct Term {
    int target;  // slot of B
    int row;     // row of the gain matrices
    int column;  // column of the gain matrices = row of the source
    int source;  // slot of G
  };
  std::vector<Term> full_terms_;  // empty for diagonal gains: then B has the pattern of G
  PatternMatrix M_, G_, r_q_, r_v_, V_q_, A_q_, A_v_;
  BlockPattern pattern_;
  LinearSolverOptions options_;
  std::vector<double> compliance_;
  struct Transposed {
    NewtonMatrix<double> matrix;
    std::vector<int> top_left;  // slots of the entries of H
  };
  std::unique_ptr<Transposed> transposed_;  // made at its first use, by adjoint equations
  RealAndComplex<Matrix> matrices_;         // the complex one is made at its first use, by implicit Runge-Kutta methods
};

}  // namespace sunlagrange::internal
