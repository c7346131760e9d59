// SPDX-License-Identifier: BSD-3-Clause
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

/// Limits and tolerances of the search for a state at rest.
struct EquilibriumOptions {
  int max_iterations = 200;  ///< most iterations of one search
  /// Largest unbalanced force relative to the typical force of its part (Linearisation::imbalance), and largest
  /// violation of a row in the scales of linearise().
  double tolerance = 1e-10;
  LinearSolverOptions linear_solver;  ///< rank policy and threshold
  /// Asked during the search with the time of the configuration, or of the motion after a release. False ends the
  /// search with Outcome::interrupted; what was found is kept. Default: never asked.
  std::function<bool(double t)> keep_going;

  // The following are used by static_equilibria() only.
  int starts = 20;      ///< number of starts: the given one, and random ones around it
  double spread = 1.0;  ///< largest distance of a random start, in natural scales of each coordinate
  unsigned seed = 1;    ///< seed of the random starts
};

/// A state at rest: G^T lambda = f(t, q, 0), g = 0.
struct Equilibrium {
  MotionState state;  ///< v = 0; lambda of least norm where rows are redundant
  /// -G^T lambda, n: the constraint forces along the coordinates. By constraint name: reactions(system, {t, q, {}}).
  Eigen::VectorXd reaction;
  Linearisation linearisation;
  Modes modes;  ///< modes with the verdict about stability
  int iterations = 0;

  /// finished; infeasible: no equilibrium was found near the start, or the constraints prescribe a motion; the message
  /// states the largest unbalanced force; model_error; interrupted. Unless finished, `state` is the end of the search,
  /// and there is no linearisation.
  Status status;

  void describe(Figures& f);
};

/// Returns the equilibrium that Newton's iteration of KINSOL with line search reaches from a start, stable or not. Time
/// is frozen at that of the start; velocities of the start are not used. Redundant rows and free directions are
/// allowed: steps are the shortest ones. If the search stalls, at a stationary point of the residual such as a
/// horizontal pendulum or far from any equilibrium, the mechanism is released from rest, and the search is repeated
/// from the point of largest kinetic energy, up to twenty times (dynamic relaxation with kinetic damping, P. A. Cundall
/// 1976). A stable equilibrium is then the likely result. Forces below 1e-13 of the typical one count as zero, so a
/// force that decays with distance may be missed beside a large weight that is coupled to it.
/// @throws Error if the system is null or a kinematic program, on options out of range; as consistent_state()
/// When not to use it: for steady motions, which are no rest (simulate with damping until they are reached); for large
/// systems, because matrices are dense, O((n + m)^3) for each iteration.
Equilibrium static_equilibrium(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                               const EquilibriumOptions& options = {});

/// Returns all different equilibria reached from several starts, stable ones first. Angles that differ by full turns
/// count as equal. The result is empty if none was found; static_equilibrium() gives the reason. Equilibria that no
/// random start reaches are not found. An interrupted search returns those found before.
std::vector<Equilibrium> static_equilibria(const std::shared_ptr<const MechanicalSystem>& system,
                                           const InitialState& start, const EquilibriumOptions& options = {});

}  // namespace sunlagrange
