// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/functional.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

class Figures;

/// The parameters and start values by which a functional is differentiated.
struct GradientOptions {
  std::vector<std::string> parameters;        ///< names of system_parameters(), e.g. "rod.L"
  std::vector<std::string> start_positions;   ///< names of coordinates whose start value is varied
  std::vector<std::string> start_velocities;  ///< the same for velocities
  /// Number of steps between two checkpoints. The backward integration needs the motion. It is stored at every step
  /// between two checkpoints and integrated once more from each checkpoint. Default (0): what 64 MB hold, at least 10
  /// and at most 10000.
  int checkpoint_interval = 0;
};

/// Value and derivatives of a functional.
struct Gradient {
  double value = 0.0;                       ///< J
  std::vector<SystemParameter> parameters;  ///< parameters of the entries; start values are called "q(x)", "v(x)"
  Eigen::VectorXd gradient;                 ///< dJ/dp, in the unit of J over that of the parameter
  MotionState end;                          ///< end of the motion, with v' and lambda of the formulation

  long steps = 0;                ///< steps of the motion
  long rhs_evaluations = 0;      ///< evaluations of the motion in the forward integration
  long checkpoints = 0;          ///< number of intervals that were integrated twice
  long backward_steps = 0;       ///< steps of the adjoint equations
  long adjoint_evaluations = 0;  ///< evaluations of the adjoint equations, each one solve with known factors
  long linearisations = 0;  ///< points at which the tangents of the motion were evaluated in the backward integration
  long parameter_evaluations = 0;  ///< evaluations of the explicit derivatives, by all parameters at once
  double wall_seconds = 0.0;
  /// finished, or the reason why the forward or backward integration ended; infeasible: as sensitivities(). `gradient`
  /// is empty unless it is finished.
  Status status;

  void describe(Figures& f);
};

/// Returns the gradient of one number by any number of parameters and start values. The cost is that of one integration
/// forward and one backward: adjoint sensitivities by CVODES, for the formulations baumgarte, penalty, projected and
/// unstabilized. With (q, v)' = F(q, v, p) and its linear map F_y, which sensitivities() integrates forward,
///
///     mu' = -F_y^T mu - psi_y,     mu(end) = phi_y,
///     dJ/dp = mu(0) s(0) + integral of mu F_p dt,     s(0) = d(consistent start)/dp,
///
/// where F_y^T mu needs one solve with the symmetric saddle-point factors of the motion, and Newton's matrix is the
/// transpose of that of the motion. For `projected` it is the adjoint of the equations with projected tangents, as
/// sensitivities() integrates them (docs/decisions/0030-sensitivities.md).
///
/// The fixed part of the start, automatic gains and redundant rows are treated as by sensitivities(). The integrator of
/// the options is used in both directions: cvode_bdf or cvode_adams. The error of the gradient follows rtol, relative
/// to the largest possible change of the functional, so a small derivative has fewer digits. The value follows the
/// steps of the motion; its integral is not part of the error test.
/// @param options  keep_going is also asked in the backward integration, with times that decrease; max_steps holds for
///                 each direction
/// @throws Error with all problems, as simulate(); if there is nothing to differentiate by; on unknown names, events,
/// rows that are switched off, and other formulations or integrators
/// When not to use it: for several numbers and few parameters, and for derivatives along the motion (sensitivities());
/// across impacts; if the functional depends explicitly on parameters, add that part by hand.
Gradient gradient(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                  const SimulationOptions& options, const Functional& functional, const GradientOptions& wanted);

/// Returns the value alone, identical to that of gradient(), without backward integration; `gradient` and `parameters`
/// stay empty. It serves differences of values, and searches that need no derivative.
/// @throws Error as gradient()
Gradient functional_value(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                          const SimulationOptions& options, const Functional& functional);

}  // namespace sunlagrange
