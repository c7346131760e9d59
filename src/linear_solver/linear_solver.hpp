// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/base/evaluation_result.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/linear_solver/info.hpp>
#include <sunlagrange/linear_solver/options.hpp>

#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// The weakest direction of the constraint rows: the eigenvector of D G M^-1 G^T D with the smallest eigenvalue.
struct WeakestMode {
  double value = 1.0;     ///< smallest over largest eigenvalue, in [0, 1]; error mostly 25 %, up to m times too large
  int row = -1;           ///< constraint row with the largest share in that direction, -1 if m = 0
  double geometry = 0.0;  ///< the same by the geometry of G, without masses; 0: not known

  /// Least squared length of a row of G, relative to its largest one so far. It shows that a row vanishes even if the
  /// system has only this row, whose direction is the strongest one as well.
  double shortest_row = 1.0;

  /// Returns how near the constraints are to a loss of rank, in [0, 1]. Eigenvalues that are small because masses lie
  /// far apart do not count.
  double of_constraints() const { return std::max(value, std::min(1.0, geometry)); }
};

/// Factorises one block system and solves with it as often as needed. Results: `rank_loss` (strict policy: S is
/// singular to the threshold), `singular` (the whole matrix is, because M is singular on the null space of G),
/// `not_finite`. All inverses that contain the constraints are computed here. One instance per thread.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  /// Copies the values; only weakest_mode() reads values.jacobian again, which must not change until then. No
  /// allocation after the first call, but for pivot refreshes of sparse solvers, which are counted.
  virtual EvaluationResult factorize(const BlockValues& values) = 0;

  /// Solves with the last factorisation. In: right-hand sides (length n, length m). Out: the solution. No allocation.
  virtual EvaluationResult solve(double* top, double* bottom) = 0;

  /// Returns the number of constraint directions that are not lost in the last factorisation; m for Newton systems.
  virtual int rank() const = 0;

  /// Estimates the weakest direction of the last factorised saddle-point system by a few solves. Not for Newton
  /// systems.
  WeakestMode weakest_mode() { return weakest_mode(0); }

  /// The same beyond `lost` directions that are always lost (redundant rows). With more than 16 lost directions the
  /// value is 1, or 0 if further rank is lost.
  virtual WeakestMode weakest_mode(int lost) = 0;

  /// Returns a phrase for the report that says what was used, e.g. "block, minimum norm: bordered by the lost
  /// directions".
  virtual std::string description() const = 0;

  const LinearCounts& counts() const { return counts_; }

 protected:
  LinearCounts counts_;
};

class Factors;

/// Entry of the registry of linear solvers (linear_solvers.inc). It makes factors; rank is decided above them.
struct LinearSolverEntry : LinearSolverInfo {
  std::unique_ptr<Factors> (*make)(const BlockPattern&) = nullptr;  ///< null: missing
  /// True if it factorises complex Newton systems. False: they become real systems of twice the size.
  bool complex = false;

  /// Returns why it cannot be used, or nothing if it can.
  std::string objection() const;
};

const Registry<LinearSolverEntry>& linear_solver_registry();
const LinearSolverEntry& find_linear_solver(std::string_view name);

/// Makes the linear solver that `options` name. @throws Error if it is not known, or not built in
std::unique_ptr<LinearSolver> make_linear_solver(const BlockPattern& pattern, const LinearSolverOptions& options);

}  // namespace sunlagrange::internal
