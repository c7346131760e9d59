// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/base/gain_matrix.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "linear_solver/linear_solver.hpp"
#include "model/point_evaluator.hpp"

namespace sunlagrange::internal {

/// The saddle-point matrix of a system at an evaluated point, factorised:
///
///     [ M   G^T ] [ x ]   [ top    ]
///     [ G   -C  ] [ y ] = [ bottom ]
///
/// Right-hand sides of the ODE forms, consistent states and reactions come from its solutions. It evaluates nothing: a
/// PointEvaluator gives M and G. One instance per thread.
class SaddlePointSystem {
 public:
  /// @param evaluator   gives the system and the patterns of M and G; its storage is that of evaluator_for()
  /// @param compliance  C, m x m; size 0 means C = 0
  SaddlePointSystem(const PointEvaluator& evaluator, const LinearSolverOptions& options,
                    const GainMatrix& compliance = {});

  /// Factorises with M and G of an evaluated point. Returns declined if `at` is null: the model has declined the point.
  /// No allocation after the first call.
  EvaluationResult factorize(const Workspace* at);

  /// In: right-hand sides; out: solution.
  EvaluationResult solve(double* top, double* bottom) const { return solver_->solve(top, bottom); }

  /// Solves for x = v', y = lambda without stabilisation, top = f and bottom = gamma of `at`, the factorised point.
  EvaluationResult accelerations(const Workspace& at, double* a, double* lambda) const;

  /// Solves for v' and lambda of either kind of system (MotionLaw). Kinematic programs: `a` is not touched, and lambda
  /// is mu of the velocity v, v + A^T mu = w.
  EvaluationResult complete(const Workspace& at, const double* v, double* a, double* lambda);

  /// Returns a direction u with G^T u = 0 in which every multiplier that the factorised system does not determine has a
  /// part; |u_i| |G_i| of its largest entry is 1. Empty: all multipliers are determined.
  /// @param at  the factorised point
  Eigen::VectorXd undetermined_multipliers(const Workspace& at) const;

  /// Entries of undetermined_multipliers() below this are rounding: the multiplier is determined.
  static constexpr double undetermined_above = 1e-6;

  const MechanicalSystem& system() const { return *system_; }
  LinearSolver& solver() { return *solver_; }
  const LinearSolver& solver() const { return *solver_; }

  int n() const { return system_->num_positions(); }
  int m() const { return system_->num_constraints(); }

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  std::vector<double> compliance_;
  std::unique_ptr<LinearSolver> solver_;
  Eigen::VectorXd top_;           // scratch of complete()
  bool mass_factorized_ = false;  // the solver has seen M
};

/// Return the pattern and the values of a compliance (or gain) matrix in the storage of a solver.
SparsePattern matrix_pattern(const GainMatrix& matrix, bool sparse);
std::vector<double> matrix_values(const GainMatrix& matrix, const SparsePattern& pattern);

/// The linear solver that "automatic" chooses for a system, with the reason.
struct LinearSolverChoice {
  std::string name;
  Fact reason;
};
LinearSolverChoice linear_solver_choice(const MechanicalSystem& system);

/// Returns the options with the name of a registered solver in place of "automatic".
LinearSolverOptions resolve_linear_solver(LinearSolverOptions options, const MechanicalSystem& system);

/// Returns the storage that the named solver reads.
Storage storage_of(const LinearSolverOptions& resolved);

/// Returns an evaluator whose storage is that of the linear solver of these options.
PointEvaluator evaluator_for(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options);

}  // namespace sunlagrange::internal
