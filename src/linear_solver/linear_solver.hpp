#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/linear_solver/info.hpp>
#include <sunlagrange/linear_solver/options.hpp>

#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// Result of a factorisation or solve. Everything but `ok` is recoverable for the integrator.
enum class LinearOutcome {
  ok,
  rank_loss,   ///< strict policy: G M^-1 G^T is singular to the threshold
  singular,    ///< the whole matrix is singular (M is singular on the null space of G)
  not_finite,  ///< an entry of the matrix or right-hand side is NaN or infinite
};

/// The weakest direction of the scaled Schur complement D G M^-1 G^T D.
struct WeakestMode {
  double value = 1.0;     ///< smallest over largest singular value, in [0, 1]; mostly to 25 %, up to m times too large
  int row = -1;           ///< constraint row with the largest share in that direction, -1 if m = 0
  double geometry = 0.0;  ///< what G itself makes of the direction, without masses; 0: not known

  /// Least square of the length of a row of G beside the largest that it has had: one row alone is its own strongest
  /// direction, and that it vanishes only its length tells.
  double shortest_row = 1.0;

  /// How near the constraints are to a loss of rank: values that are small because masses lie far apart do not count.
  double of_constraints() const { return std::max(value, std::min(1.0, geometry)); }
};

/// One block system: factorise, solve as often as needed. The only place of the library that inverts anything
/// containing the constraints. Holds scratch, so one instance per thread.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  /// Copies what it needs to solve; weakest_mode() reads values.jacobian again, which stays as it is until then. No
  /// allocation after the first call (exception: pivot refreshes of sparse solvers, counted).
  virtual LinearOutcome factorize(const BlockValues& values) = 0;

  /// Solve with the last factorisation. In: right-hand sides (length n, length m). Out: the solution. No allocation.
  virtual LinearOutcome solve(double* top, double* bottom) = 0;

  /// Number of constraint directions kept by the last factorisation (m if regular, and for Newton systems).
  virtual int rank() const = 0;

  /// Estimated from the last factorisation of a saddle-point system, a few extra solves; not for Newton systems.
  WeakestMode weakest_mode() { return weakest_mode(0); }

  /// The weakest direction beyond `lost` directions that are lost anyway (permanently redundant rows). Of more
  /// than 16 lost directions only whether further rank is lost is told: value 1 or 0.
  virtual WeakestMode weakest_mode(int lost) = 0;

  /// One line on what was really used, for the report's "used" column, e.g. "klu, minimum norm by delta 1e-8".
  virtual std::string description() const = 0;

  const LinearCounts& counts() const { return counts_; }

 protected:
  LinearCounts counts_;
};

class Factors;

/// Entry of the linear-solver registry (linear_solvers.inc): what factorises. What rank means is above it.
struct LinearSolverEntry : LinearSolverInfo {
  std::unique_ptr<Factors> (*make)(const BlockPattern&) = nullptr;  ///< null: missing
  /// Factorises complex Newton systems as they are; else they become real ones of twice the size.
  bool complex = false;

  /// Why it cannot be used; empty: it can.
  std::string objection() const;
};

const Registry<LinearSolverEntry>& linear_solver_registry();
const LinearSolverEntry& find_linear_solver(std::string_view name);

/// The linear solver that `options` name. @throws Error if it is not known, or not built in
std::unique_ptr<LinearSolver> make_linear_solver(const BlockPattern& pattern, const LinearSolverOptions& options);

}  // namespace sunlagrange::internal
