#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

/// How the motion left a (nearly) singular configuration.
enum class Passage {
  smooth,      ///< the velocity changed as the accelerations say: no change of branch
  jumped,      ///< the velocity jumped: the motion continues on another branch
  unverified,  ///< not decided: the run ended there, or the steps are too long to tell
};

/// "smooth", "jumped", "unverified".
const char* to_string(Passage passage);

/// Something about rank that happened along the path.
struct RankEvent {
  double t = 0.0;             ///< time of the smallest singular value [s]
  double smallest = 0.0;      ///< relative smallest singular value of the scaled G M^-1 G^T there
  std::string constraint;     ///< largest share in the lost direction
  bool stepped_over = false;  ///< lies inside an accepted step: the integrator did not notice it
  Passage passage = Passage::unverified;
  double kink = std::numeric_limits<double>::quiet_NaN();  ///< unexplained change of velocity, relative
};

/// An event of simulate() and what its handler did.
struct EventRecord {
  double t = 0.0;    ///< [s]
  std::string name;  ///< Event::name
  std::string done;  ///< in words; empty: recorded only

  double velocity_violation_before = 0.0;  ///< max |(g', psi)| before, of rows that are active before or afterwards
  double velocity_violation_after = 0.0;   ///< when the run goes on; the same for all events of one instant
  double kinetic_energy_before = 0.0;      ///< [J]
  double kinetic_energy_after = 0.0;       ///< [J]
  double moved_positions = 0.0;            ///< max |q after - q before|, by the projection onto the active constraints
  std::vector<std::string> active_constraints;  ///< rows, afterwards
};

/// What happened in a run. Not-a-number means "not applicable".
struct Report {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  Settings settings;  ///< asked and used, every automatic choice included
  ConsistencyReport start;

  double t_start = 0.0;
  double t_end = 0.0;      ///< asked
  double t_reached = 0.0;  ///< last accepted step

  long steps = 0;  ///< accepted
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;
  long factorizations = 0;
  long nonlinear_failures = 0;  ///< steps tried again or given up: an iteration failed, or a point was declined
  long error_test_failures = 0;
  long pivot_refreshes = 0;
  long rank_actions = 0;  ///< factorisations in which the rank policy acted

  double max_position_violation = 0.0;  ///< max over accepted steps of max |g|
  double max_velocity_violation = 0.0;  ///< max |(g', psi)|; kinematic programs have none
  double energy_drift = none;  ///< max |E - E0 - work| [J]; work of moving constraints, other forces, events included

  double smallest_singular_value = 1.0;  ///< relative, over accepted steps
  std::vector<RankEvent> rank_events;

  std::vector<EventRecord> events;  ///< of SimulationOptions::events, in order of time
  double event_work = none;         ///< energy that velocity jumps at events brought in [J]; negative: lost

  double wall_seconds = 0.0;
  std::string references;  ///< keys of literature.hpp for formulation and integrator

  /// Readable account in the form of the table of asked and used settings, counts, violations, remarks.
  std::string text(const Status& status) const;
};

}  // namespace sunlagrange
