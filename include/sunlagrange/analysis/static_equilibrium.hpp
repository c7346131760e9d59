#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/linearise.hpp>
#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

struct EquilibriumOptions {
  int max_iterations = 200;  ///< of one search; where it stalls others follow
  /// Largest force that nothing balances over the typical one of its part (Linearisation::imbalance), and largest
  /// violation of a row, in the scales of linearise().
  double tolerance = 1e-10;
  LinearSolverOptions linear_solver;  ///< rank policy and threshold
  /// Asked during the search with the time at which the mechanism stands, or moves while it is let go: false ends it
  /// with Outcome::interrupted, and what was found is kept. Empty: never asked.
  std::function<bool(double t)> keep_going;

  // of static_equilibria:
  int starts = 20;      ///< the given one, and random ones about it
  double spread = 1.0;  ///< how far these lie away: up to this times the natural scale of each coordinate, both ways
  unsigned seed = 1;    ///< of these starts
};

/// A state at rest: G^T lambda = f(t, q, 0), g = 0.
struct Equilibrium {
  MotionState state;  ///< v = 0; lambda of least norm where rows are redundant
  /// -G^T lambda, n: what the constraints exert. By constraint name: reactions(system, {t, q, {}}).
  Eigen::VectorXd reaction;
  Linearisation linearisation;
  Modes modes;  ///< and stability
  int iterations = 0;

  /// finished; infeasible: no balance was found near the start, or the constraints prescribe a motion, with what is
  /// left over; model_error; interrupted. Then `state` holds where the search ended, and there is no linearisation.
  Status status;

  void describe(Figures& f);
};

/// The equilibrium that KINSOL's Newton iteration with line search reaches from a start, stable or not. Time is frozen
/// at that of the start, also while the mechanism is let go, see below; velocities of the start are not read. Redundant
/// rows and free directions are allowed: steps are the shortest ones. Where the search stalls, at a stationary point of
/// the residual like a horizontal pendulum or far from any balance, the mechanism is let go at rest, and the search
/// goes on from where it is fastest, up to twenty times (dynamic relaxation with kinetic damping, P. A. Cundall 1976):
/// then a stable equilibrium is the likely one. Forces below 1e-13 of the typical one count as none, so one that decays
/// far out may be missed beside a large weight that is coupled to it.
/// @throws Error if the system is null or a kinematic program, on options out of range; as consistent_state()
/// When not: for steady motions, which are no rest (simulate with damping until they are there); dense, O((n + m)^3) an
/// iteration.
Equilibrium static_equilibrium(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                               const EquilibriumOptions& options = {});

/// All different equilibria reached from several starts, stable ones first. Angles that differ by full turns count as
/// the same. Empty: none was found; static_equilibrium says why. What random starts do not reach is not found: this is
/// a search, no proof that there are no others. Interrupted: those found by then.
std::vector<Equilibrium> static_equilibria(const std::shared_ptr<const MechanicalSystem>& system,
                                           const InitialState& start, const EquilibriumOptions& options = {});

}  // namespace sunlagrange
