#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// When CVODES and IDAS correct the sensitivities.
enum class SensitivityMethod {
  simultaneous,  ///< together with the state, in one nonlinear system
  staggered,     ///< after the state has converged and passed its error test
};

/// "simultaneous", "staggered".
const char* to_string(SensitivityMethod method);

/// By what a motion is differentiated, and where.
struct SensitivityOptions {
  std::vector<std::string> parameters;        ///< by names of system_parameters(): "rod.L"; linked: "body.m,weight.m"
  std::vector<std::string> start_positions;   ///< coordinates, by name: their start value
  std::vector<std::string> start_velocities;  ///< the same for velocities
  std::vector<double> times;                  ///< [s], increasing, within the run; empty: the start and the end
  SensitivityMethod method = SensitivityMethod::staggered;
  bool error_control = true;  ///< false: the steps follow the motion alone, the sensitivities are as good as it happens
};

/// A motion and its derivatives at one time. Columns: one for each parameter, in the unit of the quantity over that of
/// the parameter.
struct SensitivityPoint {
  MotionState state;
  Eigen::MatrixXd q;       ///< dq/dp, n x p
  Eigen::MatrixXd v;       ///< dv/dp
  Eigen::MatrixXd a;       ///< dv'/dp
  Eigen::MatrixXd lambda;  ///< dlambda/dp, m x p; of least norm where rows are redundant
};

struct Sensitivities {
  std::vector<SystemParameter> parameters;  ///< of the columns; start values are called "q(x)", "v(x)"
  std::vector<SensitivityPoint> points;     ///< at the times that were reached

  /// Largest entry of G dq/dp + dg/dp at the points, over the sum of the sizes of its terms, each coordinate counted
  /// with at least its own size over that of the parameter.
  double constraint_error = 0.0;

  long steps = 0;
  long rhs_evaluations = 0;          ///< of the motion
  long sensitivity_evaluations = 0;  ///< of the equations of the sensitivities, all parameters at once
  double wall_seconds = 0.0;
  /// finished, or what ended the run; infeasible: the constraints contradict each other when a parameter changes.
  Status status;
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
/// @param options  events, switched rows, fixed steps, and other formulations or integrators than these are refused
/// @throws Error listing what is wrong, as simulate(); if nothing is asked for; on unknown names
/// When not: across impacts (the jump is missing); through singular poses (s grows without bound towards them); for
/// hundreds of parameters (an adjoint would be cheaper); for a few of them to three digits (differences are cheaper);
/// where a motion is chaotic: s then grows without bound, and rightly so.
Sensitivities sensitivities(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                            const SimulationOptions& options, const SensitivityOptions& wanted);

}  // namespace sunlagrange
