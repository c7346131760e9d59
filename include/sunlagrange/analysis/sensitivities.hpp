// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/events/events.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

class Figures;

/// The time at which CVODES and IDAS correct the sensitivities.
enum class SensitivityMethod {
  simultaneous,  ///< together with the state, in one nonlinear system
  staggered,     ///< after the state has converged and passed its error test
};

constexpr auto names_of(SensitivityMethod) {
  return enum_names("simultaneous", "staggered");
}

/// A parameter that only events contain: a restitution, the limit of a joint that breaks.
struct EventParameter {
  std::string name;    ///< name of the column, "floor.e"
  double value = 0.0;  ///< value at which the motion is differentiated; SimulationOptions::events has it
  /// Returns SimulationOptions::events for another value: the same names in the same order. Throws Error out of range.
  std::function<std::vector<Event>(double value)> events;
  std::string unit = {};     ///< "1": a pure number
  std::string meaning = {};  ///< half a line
};

/// The parameters and start values by which a motion is differentiated, and the times.
struct SensitivityOptions {
  std::vector<std::string> parameters;        ///< names of system_parameters(): "rod.L"; linked: "body.m,weight.m"
  std::vector<std::string> start_positions;   ///< names of coordinates whose start value is varied
  std::vector<std::string> start_velocities;  ///< the same for velocities
  std::vector<double> times;                  ///< [s], increasing, within the run. Default: start and end
  SensitivityMethod method = SensitivityMethod::staggered;  ///< time at which sensitivities are corrected
  /// false: the steps follow the motion alone, and the error of the sensitivities is not controlled
  bool error_control = true;
  std::vector<EventParameter> event_parameters = {};  ///< their columns are the last ones
};

/// A motion and its derivatives at one time. There is one column for each parameter, in the unit of the quantity over
/// that of the parameter.
struct SensitivityPoint {
  MotionState state;  ///< state of the motion, with v' and lambda of the formulation
  Eigen::MatrixXd q;  ///< dq/dp, n x p
  Eigen::MatrixXd v;  ///< dv/dp
  Eigen::MatrixXd a;  ///< dv'/dp
  /// dlambda/dp, m x p; of least norm where rows are redundant, 0 for rows that are switched off
  Eigen::MatrixXd lambda;

  void describe(Figures& f);
};

/// An event of the motion, and the derivative of its time.
struct EventSensitivity {
  double t = 0.0;  ///< [s]
  std::string name;
  Eigen::VectorXd dt;  ///< dt/dp, length p; NaN if the root is grazed, 0 at the start

  void describe(Figures& f);
};

/// Derivatives of a motion by parameters and start values, along the motion and at its events.
struct Sensitivities {
  std::vector<SystemParameter> parameters;  ///< parameters of the columns; start values are called "q(x)", "v(x)"
  std::vector<SensitivityPoint> points;  ///< points at the times that were reached; at the time of an event, after it
  std::vector<EventSensitivity> events;  ///< events of the motion, as in Report::events

  /// Largest entry of G dq/dp + dg/dp at the points, relative to the sum of the sizes of its terms. The size of each
  /// coordinate is at least its value over that of the parameter, and at least the largest dq/dp.
  double constraint_error = 0.0;

  double rtol = 0.0, atol = 0.0;  ///< tolerances of the motion
  long steps = 0;
  long rhs_evaluations = 0;          ///< evaluations of the motion
  long sensitivity_evaluations = 0;  ///< evaluations of the sensitivity equations, by all parameters at once
  double wall_seconds = 0.0;
  /// finished, or the reason why the run ended; infeasible: the derivative does not exist, because the constraints
  /// contradict each other when a parameter changes, an event is grazed, or other events happen at a neighbouring
  /// value. The message names both.
  Status status;

  void describe(Figures& f);
};

/// Forward sensitivities: returns the derivatives of a motion by parameters and start values. They are integrated
/// beside the motion by CVODES (baumgarte, penalty, projected, unstabilized) or IDAS (ggl, stabilized_index1). The
/// equations
///
///     M ds_v/dt + G^T dlambda = -(r_q s_q + r_v s_v + dr/dp),     r = M v' + G^T lambda - f,
///
/// with the rows of the formulation differentiated in the same way, take their tangents from the elements (dual
/// numbers) and are solved with the factors of the motion [MalyPetzold1996].
///
/// The start is the consistent state s0 that consistent_state() makes of `start`. Its derivative is that of
/// consistent_state() called again with s0 while p changes: fixed entries stay, the others follow the constraints by
/// the shortest change, so G dq/dp + dg/dp = 0 from the first step on. With Start::as_given the derivative is zero or
/// one. Automatic gains count as constants.
///
/// Sensitivities jump at events. At h(t, y) = 0, y = (q, v), with y+ = J(t, y-) after the event,
///
///     dtau/dp = -(h_y s- + h_p) / (h_t + h_y y'-),
///     s+ = J_t dtau/dp + J_y (s- + y'- dtau/dp) + J_p - y'+ dtau/dp.
///
/// J consists of all that an instant does: impacts, rows switched on or off, the consistent state after it; so G dq/dp
/// + dg/dp = 0 holds for the rows that are active then. Roots and actions are also called at neighbouring states, in
/// systems with other parameters, so they must depend on their point alone. An event that changes nothing leaves s
/// unchanged; an event that stops the run ends the points (without `times` the last one is at the event). In the series
/// of impacts with which a contact comes to rest, those that simulate() resolves are differentiated.
/// @param options  fixed steps and other formulations or integrators are refused
/// @throws Error with all problems, as simulate(); if there is nothing to differentiate by; on unknown names
/// When not to use it: where an event is grazed, or coincides with another one from which a parameter separates it (the
/// derivative does not exist, and the status says so); for actions with a memory; through singular poses (s grows
/// without bound towards them); for hundreds of parameters (gradient() is cheaper); for a few parameters to three
/// digits (differences are cheaper); where a motion is chaotic, so s grows without bound.
Sensitivities sensitivities(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                            const SimulationOptions& options, const SensitivityOptions& wanted);

}  // namespace sunlagrange
