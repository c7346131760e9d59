#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/events/events.hpp>
#include <sunlagrange/formulation/dae_settings.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/results/trajectory.hpp>

namespace sunlagrange {

/// Which steps the trajectory keeps.
enum class Record { every_step, ends_only };

/// Everything simulate() can be asked for; defaults are what a newcomer should use.
struct SimulationOptions : FormulationChoice {
  double t_end = 1.0;  ///< [s], later than the start

  /// automatic: cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for one-step methods; table if one is given.
  std::string integrator = "automatic";
  double step = 0.0;         ///< [s], required by the fixed-step integrators rk1 ... rk4, table, trapezoidal
  long max_steps = 1000000;  ///< accepted steps; IDA's own default of 500 ends nearly every good run

  /// Your own explicit Runge-Kutta method for the integrator "table": fixed steps, every ODE form, as rk1 ... rk4.
  std::optional<ButcherTable> table;

  IdaOverrides ida;
  Start start = Start::consistent;
  AtSingularity at_singularity = AtSingularity::filter;

  /// true: end with Outcome::infeasible as soon as no configuration satisfies the constraints.
  /// false: go on and label the run infeasible at the end (penalty forms only make sense of that).
  bool stop_when_infeasible = true;

  Record record = Record::every_step;

  /// Impacts, contacts, joints that break, ...: events.hpp. Not with rk1 and formulations that are methods of their
  /// own.
  std::vector<Event> events;

  /// Constraints, by row or element, that start switched off; contacts of `events` do so by themselves.
  std::vector<std::string> inactive_constraints;
};

struct Simulation {
  Status status;
  Trajectory trajectory;  ///< everything up to Report::t_reached, in every outcome
  Report report;
};

/// Integrates the system from `given` to options.t_end. Owns everything; shows no SUNDIALS type.
/// @throws Error listing every invalid option.
/// Numerical outcomes never throw: they are in Simulation::status. A model that throws, at the start or later, ends the
/// run with Outcome::model_error and its text.
Simulation simulate(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                    const SimulationOptions& options = {});

/// Dense output on the constraints: position_at and velocity_at, projected in the mass metric, with the accelerations
/// and multipliers that belong there. The plain polynomial leaves the manifold by its interpolation error.
/// @param system  with the constraints that are active at t
/// @throws Error if t is outside the trajectory
ConsistentState consistent_state_at(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                                    double t, const ConsistencyOptions& options = {});

}  // namespace sunlagrange
