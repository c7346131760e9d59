#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/base/gain_matrix.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "linear_solver/evaluation_result.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// The kernel of the library at one point (t, q, v):
///
///     [ M   G^T ] [ x ]   [ top    ]
///     [ G   -C  ] [ y ] = [ bottom ]
///
/// Evaluates the system, hands the blocks to a linear solver, solves for any right-hand side. Right-hand sides of the
/// ODE forms, consistent states and reactions all come from here. One instance per thread.
class SaddlePointSystem {
 public:
  /// @param compliance  C, m x m; size 0 means C = 0
  SaddlePointSystem(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options,
                    const GainMatrix& compliance = {});

  /// Evaluates M, f, g, (g', psi), gamma, G at the point and factorises. No allocation after the first call.
  EvaluationResult factorize(double t, const double* q, const double* v);

  /// The same with the quantities that workspace() has.
  EvaluationResult factorize();

  /// In: right-hand sides; out: solution.
  EvaluationResult solve(double* top, double* bottom) { return from_linear(solver_->solve(top, bottom)); }

  /// x = v', y = lambda without any stabilisation: top = f, bottom = gamma, at the factorised point.
  EvaluationResult accelerations(double* a, double* lambda);

  /// v' and lambda at the factorised point, for either kind of system (MotionLaw). Kinematic programs: `a` is not
  /// touched, and lambda is mu of the velocity v, v + A^T mu = w.
  EvaluationResult complete(const double* v, double* a, double* lambda);

  const MechanicalSystem& system() const { return *system_; }
  std::shared_ptr<const MechanicalSystem> shared_system() const { return system_; }
  const Workspace& workspace() const { return *workspace_; }
  Workspace& workspace() { return *workspace_; }
  LinearSolver& solver() { return *solver_; }
  const LinearSolver& solver() const { return *solver_; }

  int n() const { return system_->num_positions(); }
  int m() const { return system_->num_constraints(); }

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<double> compliance_;
  std::unique_ptr<LinearSolver> solver_;
  Eigen::VectorXd top_;           // scratch of complete()
  bool mass_factorized_ = false;  // the solver has seen M
};

/// Pattern and values of a compliance (or gain) matrix in the storage of a solver.
SparsePattern matrix_pattern(const GainMatrix& matrix, bool sparse);
std::vector<double> matrix_values(const GainMatrix& matrix, const SparsePattern& pattern);

/// What "automatic" stands for.
struct LinearSolverChoice {
  std::string name;
  Fact reason;
};
LinearSolverChoice linear_solver_choice(const MechanicalSystem& system);

/// "automatic" resolved.
LinearSolverOptions resolve_linear_solver(LinearSolverOptions options, const MechanicalSystem& system);

/// Storage that the named solver wants.
Storage storage_of(const LinearSolverOptions& resolved);

}  // namespace sunlagrange::internal
