#pragma once

#include <functional>
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
#include <sunlagrange/results/simulation.hpp>

namespace sunlagrange {

/// Which states the trajectory keeps; the start and the last state always, in every outcome. Memory is that of what is
/// kept. Dense output, balances and reactions along the way are good to the accuracy of the run only with every_step.
enum class Record {
  every_step,
  ends_only,
  every_kth_step,  ///< each SimulationOptions::record_stride-th accepted step
  /// At SimulationOptions::record_times: dense output between the steps, put back onto the constraints as
  /// consistent_state_at() does (with Start::as_given, or where that fails, the polynomial as it is).
  at_times,
};

/// Everything simulate() can be asked for; defaults are what a newcomer should use.
struct SimulationOptions : FormulationChoice {
  double t_end = 1.0;  ///< [s], later than the start

  /// automatic: cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for one-step methods; table if one is given.
  std::string integrator = "automatic";
  double step = 0.0;  ///< [s], required by the fixed-step integrators rk1 ... rk4, table, trapezoidal
  /// [s] No step of an adaptive integrator is longer: an integrator sees forces, prescribed motions and constraints
  /// only where it evaluates the model, and steps over what begins and ends in between; a mechanism at rest, or in a
  /// motion as simple, lets it take steps as long as the run. 0: automatic, a hundredth of the run for multistep
  /// methods, a fiftieth for methods with stages. Shorter where a pulse is; the length of the run: no limit.
  double max_step = 0.0;
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
  long record_stride = 1;            ///< >= 1, of Record::every_kth_step
  std::vector<double> record_times;  ///< [s], increasing, within the run, of Record::at_times

  /// Asked before every step with the time reached [s], in the thread that called simulate(): false ends the run with
  /// Outcome::interrupted, everything up to there kept. Empty: never asked. Also the place for a display of progress.
  std::function<bool(double t)> keep_going;

  /// true: a companion run follows, several times as accurate (one-step methods: three quarters of every step; BDF:
  /// radau; others: a tenth of the tolerances), and Report::error_estimate says how far the two lie apart. Total cost
  /// about 2 to 2.5 times that of the run, up to 10 on stiff or singular mechanisms.
  /// Of whole runs, so for simulate() alone: a Stepper refuses it.
  bool estimate_error = false;

  /// Functions of the state whose error estimate_error tells besides those of q, v and lambda. What they throw,
  /// simulate() throws.
  std::vector<EstimatedFunction> estimated_functions;

  /// Impacts, contacts, joints that break, ...: events.hpp. Not with rk1 and formulations that are methods of their
  /// own.
  std::vector<Event> events;

  /// Constraints, by row or element, that start switched off; contacts of `events` do so by themselves.
  std::vector<std::string> inactive_constraints;
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
