#pragma once

#include <string_view>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Which integrators a formulation goes with.
enum class Equations {
  ode,       ///< y' = f(t, y): CVODE, ARKODE
  dae,       ///< F(t, y, y') = 0: IDA
  one_step,  ///< the formulation is a fixed-step method of its own
};
constexpr auto names_of(Equations) {
  return enum_names("ode", "dae", "one_step");
}

/// How well a formulation holds the constraints of one level.
enum class Holds {
  loosely,       ///< the violation grows along the path, or nothing controls it
  to_tolerance,  ///< within some tens of the tolerance, at any time
  to_rounding,   ///< after every step
};

/// What a formulation promises of its solution with automatic gains and integrator; the contract tests hold it to that.
/// As written here: no promise but the constrained motion itself.
struct Promises {
  Holds positions = Holds::loosely;   ///< g
  Holds velocities = Holds::loosely;  ///< (g', psi)

  /// The error test of the integrator sees v. False: only q is controlled, and errors grow faster along the path.
  bool velocities_controlled = true;

  /// Other equations are solved than those of the constrained motion: v' differs by about this much, relative to the
  /// accelerations of the constraint forces, at any tolerance. 0: the motion itself is the limit.
  double altered_motion = 0.0;

  /// False: where rows depend explicitly on time the motion is another one on the same manifold (kinematic programs).
  bool same_motion_with_moving_rows = true;
};

/// What a formulation cannot treat, with the reason and what to use instead; empty: it can. Error messages read this.
struct Limits {
  std::string_view adams;  ///< integrators of IntegratorKind::adams
};

/// What is known of a formulation without making one.
struct FormulationInfo {
  std::string_view name;                 ///< filled by the registry
  std::string_view summary;              ///< filled by the registry
  Equations equations = Equations::ode;  ///< filled by the registry
  bool for_programs = false;             ///< takes kinematic programs, and nothing else; without it: everything else
  std::string_view unknowns;    ///< length of y, a sum of n, m, m_g, rank (of G), rank_g (of its holonomic rows)
  std::string_view when;        ///< it is the right choice, in a few words
  std::string_view when_not;    ///< in a few words
  std::string_view references;  ///< keys of literature.hpp
  Promises promises;
  Limits limits;
};

}  // namespace sunlagrange
