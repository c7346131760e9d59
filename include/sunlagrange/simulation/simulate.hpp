// SPDX-License-Identifier: BSD-3-Clause
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

/// States that the trajectory keeps. The start and the last state are kept in every case, whatever the outcome. Dense
/// output, balances and reactions along the motion have the accuracy of the run only with every_step.
enum class Record {
  every_step,
  ends_only,
  every_kth_step,  ///< each SimulationOptions::record_stride-th accepted step
  /// At SimulationOptions::record_times: dense output between the steps, projected onto the constraints as
  /// consistent_state_at() does. With Start::as_given, or where the projection fails, the polynomial itself.
  at_times,
};

/// Options of a run: the equations that are integrated (FormulationChoice), the integrator, tolerances, start, singular
/// poses, recorded states and events. The defaults suit most mechanisms; t_end is what every run sets:
///
/// @code
/// SimulationOptions options;
/// options.t_end = 2.0;
/// options.rtol = options.atol = 1e-8;
/// options.keep_going = [](double t) { return t < 1e6; };
/// @endcode
///
/// The local error of a coordinate q_i is kept below rtol |q_i| + atol s_i with its natural scale s_i. The run solves
/// M v' + G^T lambda = f, g(t, q) = 0, psi(t, q, v) = 0 (notation.hpp) in the form that the formulation makes of it;
/// docs/theory has the equations of each form.
struct SimulationOptions : FormulationChoice {
  double t_end = 1.0;  ///< end of the run [s], later than the start

  /// Default: chosen with an automatic formulation; else cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for
  /// one-step methods, "table" if a table is given.
  std::string integrator = "automatic";
  double step = 0.0;  ///< [s], required by the integrators with fixed steps: rk1 ... rk4, table, trapezoidal
  /// Longest step of an integrator with step control [s]. An integrator knows forces, prescribed motions and
  /// constraints only where it evaluates the model, and steps over what begins and ends in between; a mechanism at rest
  /// allows steps as long as the run. Give less than the length of a pulse; the length of the run means no limit.
  /// Default: 0, no limit where nothing depends on the time; where something may begin and end unseen, a fiftieth of
  /// the run for explicit methods, a hundredth for the others.
  double max_step = 0.0;
  long max_steps = 1000000;  ///< largest number of accepted steps

  /// Explicit Runge-Kutta method of the integrator "table", with fixed steps, for every ODE form.
  std::optional<ButcherTable> table;

  IdaOverrides ida;                 ///< read by ida and radau
  Start start = Start::consistent;  ///< as_given: nothing is projected, violations of the start stay
  /// Treatment of poses where the constraints lose rank, at_singularity.hpp.
  AtSingularity at_singularity = AtSingularity::automatic;

  /// True: the run ends with Outcome::infeasible as soon as no configuration satisfies the constraints. False: it goes
  /// on, and is infeasible at the end; only penalty forms have a solution then.
  bool stop_when_infeasible = true;

  Record record = Record::every_step;  ///< states that the trajectory keeps
  long record_stride = 1;              ///< for Record::every_kth_step, at least 1
  std::vector<double> record_times;    ///< for Record::at_times [s], increasing, within the run

  /// Called before every step with the time reached [s], in the thread that called simulate(). If it returns false, the
  /// run ends with Outcome::interrupted; the trajectory up to there is kept. It can also display the progress.
  std::function<bool(double t)> keep_going;

  /// True: a second, several times more accurate run follows (one-step methods: three quarters of every step; BDF:
  /// radau; others: a tenth of the tolerances), and Report::error_estimate has the difference of both. The total cost
  /// is 2 to 2.5 times that of the run, and up to 10 times on stiff or singular mechanisms. A Stepper refuses it.
  bool estimate_error = false;

  /// Functions of the state whose error is estimated besides that of q, v and lambda. simulate() throws what they
  /// throw.
  std::vector<EstimatedFunction> estimated_functions;

  /// Impacts, contacts, joints that break and others, see events.hpp. Not for rk1 and for formulations that are
  /// one-step methods.
  std::vector<Event> events;

  /// Constraints, by row or element, that are switched off at the start. Contacts of `events` always are.
  std::vector<std::string> inactive_constraints;
};

/// Integrates the system from `given` to options.t_end.
/// @throws Error listing every invalid option. Numerical failures do not throw: Simulation::status has them. If the
/// model throws, the run ends with Outcome::model_error and the text of the exception.
Simulation simulate(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                    const SimulationOptions& options = {});

/// Returns dense output on the constraints: position_at() and velocity_at(), projected in the mass metric, with the
/// accelerations and multipliers of that state. The polynomial itself is off the constraints by its interpolation
/// error.
/// @param system  with the constraints that are active at t
/// @throws Error if t is outside the trajectory
ConsistentState consistent_state_at(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                                    double t, const ConsistencyOptions& options = {});

}  // namespace sunlagrange
