// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// The kind of the equations, which decides about the integrators.
enum class Equations {
  ode,       ///< y' = f(t, y): CVODE, ARKODE
  dae,       ///< F(t, y, y') = 0: IDA
  one_step,  ///< a fixed-step method of its own
};
constexpr auto names_of(Equations) {
  return enum_names("ode", "dae", "one_step");
}

/// Accuracy of the constraints of one level.
enum class ConstraintAccuracy {
  drifts,        ///< nothing controls the violation: it may grow along the motion
  to_tolerance,  ///< the violation stays within some tens of the tolerance
  to_rounding,   ///< the violation is at rounding level after every step
};

/// Accuracy of the solution with automatic gains and integrator, which the contract tests check. Default: the
/// constrained motion, with constraints that drift.
struct Accuracy {
  ConstraintAccuracy positions = ConstraintAccuracy::drifts;   ///< g
  ConstraintAccuracy velocities = ConstraintAccuracy::drifts;  ///< (g', psi)

  /// True if the error test of the integrator contains v. False: only q is controlled, and errors grow faster.
  bool velocities_controlled = true;

  /// Error of v' that remains at any tolerance, because the equations are altered, relative to the accelerations of the
  /// constraint forces. 0: the solution converges to the constrained motion.
  double altered_motion = 0.0;

  /// False if rows that depend on time explicitly change the motion along the manifold (kinematic programs).
  bool same_motion_with_moving_rows = true;
};

/// Reasons why a formulation does not accept something, with an alternative, for error messages. Empty: it accepts it.
struct Limits {
  std::string_view adams;  ///< integrators of IntegratorKind::adams
};

/// Description of a formulation.
struct FormulationInfo {
  std::string_view name;                 ///< filled by the registry
  std::string_view summary;              ///< filled by the registry
  Equations equations = Equations::ode;  ///< filled by the registry
  bool for_programs = false;             ///< true: it accepts kinematic programs only; false: mechanical systems only
  std::string_view unknowns;    ///< length of y, a sum of n, m, m_g, rank (of G), rank_g (of its holonomic rows)
  std::string_view when;        ///< when to use it, in a few words
  std::string_view when_not;    ///< when not to use it, in a few words
  std::string_view references;  ///< keys of literature.hpp
  Accuracy accuracy;            ///< accuracy with automatic gains and integrator
  Limits limits;                ///< integrators that it refuses
};

}  // namespace sunlagrange
