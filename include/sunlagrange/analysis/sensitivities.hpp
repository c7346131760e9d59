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

/// When CVODES and IDAS correct the sensitivities.
enum class SensitivityMethod {
  simultaneous,  ///< together with the state, in one nonlinear system
  staggered,     ///< after the state has converged and passed its error test
};

constexpr auto names_of(SensitivityMethod) {
  return enum_names("simultaneous", "staggered");
}

/// A number that only events know: a restitution, the limit of a joint that breaks.
struct EventParameter {
  std::string name;  ///< of the column, "floor.e"
  double value = 0.0;
  /// SimulationOptions::events with another value: the same names in the same order. Throws Error out of its range.
  std::function<std::vector<Event>(double value)> events;
  std::string unit = {};
  std::string meaning = {};
};

/// By what a motion is differentiated, and where.
struct SensitivityOptions {
  std::vector<std::string> parameters;        ///< by names of system_parameters(): "rod.L"; linked: "body.m,weight.m"
  std::vector<std::string> start_positions;   ///< coordinates, by name: their start value
  std::vector<std::string> start_velocities;  ///< the same for velocities
  std::vector<double> times;                  ///< [s], increasing, within the run; empty: the start and the end
  SensitivityMethod method = SensitivityMethod::staggered;
  bool error_control = true;  ///< false: the steps follow the motion alone, the sensitivities are as good as it happens
  std::vector<EventParameter> event_parameters = {};  ///< the last columns
};

/// A motion and its derivatives at one time. Columns: one for each parameter, in the unit of the quantity over that of
/// the parameter.
struct SensitivityPoint {
  MotionState state;
  Eigen::MatrixXd q;       ///< dq/dp, n x p
  Eigen::MatrixXd v;       ///< dv/dp
  Eigen::MatrixXd a;       ///< dv'/dp
  Eigen::MatrixXd lambda;  ///< dlambda/dp, m x p; of least norm where rows are redundant; 0 of rows switched off

  void describe(Figures& f);
};

/// An event of the motion, and how its time changes.
struct EventSensitivity {
  double t = 0.0;  ///< [s]
  std::string name;
  Eigen::VectorXd dt;  ///< dt/dp, length p; NaN where the root is grazed; 0 at the start

  void describe(Figures& f);
};

struct Sensitivities {
  std::vector<SystemParameter> parameters;  ///< of the columns; start values are called "q(x)", "v(x)"
  std::vector<SensitivityPoint> points;     ///< at the times that were reached; at the time of an event, after it
  std::vector<EventSensitivity> events;     ///< as in Report::events

  /// Largest entry of G dq/dp + dg/dp at the points, over the sum of the sizes of its terms, each coordinate counted
  /// with at least its own size over that of the parameter, or the largest dq/dp.
  double constraint_error = 0.0;

  long steps = 0;
  long rhs_evaluations = 0;          ///< of the motion
  long sensitivity_evaluations = 0;  ///< of the equations of the sensitivities, all parameters at once
  double wall_seconds = 0.0;
  /// finished, or what ended the run; infeasible: there is no derivative, because the constraints contradict each other
  /// when a parameter changes, an event is grazed, or something else happens at it; the message names both.
  Status status;

  void describe(Figures& f);
};

/// Forward sensitivities: how the motion from a start changes with parameters and start values, integrated beside it by
/// CVODES (baumgarte, penalty, projected, unstabilized) or IDAS (ggl, stabilized_index1). The equations
///
///     M ds_v/dt + G^T dlambda = -(r_q s_q + r_v s_v + dr/dp),     r = M v' + G^T lambda - f,
///
/// with the rows of the formulation differentiated the same way, take their tangents from the elements (dual numbers)
/// and are solved with the factors of the motion; [MalyPetzold1996] is the idea.
///
/// The start is the consistent state s0 that consistent_state() makes of `start`. Its derivative is that of
/// consistent_state() called with s0 again while p changes: what is fixed stays, the rest follows the constraints the
/// shortest way, so that G dq/dp + dg/dp = 0 from the first step on. Start::as_given: the derivative is zero, or one.
/// Automatic gains count as constants.
///
/// Events jump: at h(t, y) = 0, y = (q, v), with y+ = J(t, y-) afterwards,
///
///     dtau/dp = -(h_y s- + h_p) / (h_t + h_y y'-),
///     s+ = J_t dtau/dp + J_y (s- + y'- dtau/dp) + J_p - y'+ dtau/dp.
///
/// J is all that an instant does: impacts, rows switched on or off, the consistent state after it, so that G dq/dp +
/// dg/dp = 0 holds of the rows that are active then. Roots and actions are called beside the motion as well, in systems
/// with other parameters; they must depend on their point alone. An event that changes nothing leaves s as it is, one
/// that stops the run ends the points (with no `times` the last one is there). Of the series of impacts with which a
/// contact comes to rest, those that simulate() resolves are differentiated.
/// @param options  fixed steps, and other formulations or integrators than these are refused
/// @throws Error listing what is wrong, as simulate(); if nothing is asked for; on unknown names
/// When not: where an event is grazed, or falls together with another one that a parameter moves apart from it (there
/// is no derivative, and the status says so); to actions that remember something; through singular poses (s grows
/// without bound towards them); for hundreds of parameters (gradient() is cheaper); for a few of them to three
/// digits (differences are cheaper); where a motion is chaotic: s then grows without bound, and rightly so.
Sensitivities sensitivities(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                            const SimulationOptions& options, const SensitivityOptions& wanted);

}  // namespace sunlagrange
