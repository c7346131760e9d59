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

/// By what a functional is differentiated.
struct GradientOptions {
  std::vector<std::string> parameters;        ///< by names of system_parameters(): "rod.L"
  std::vector<std::string> start_positions;   ///< coordinates, by name: their start value
  std::vector<std::string> start_velocities;  ///< the same for velocities
  /// Steps between two checkpoints. The way back needs the motion: it is kept at every step of one such stretch, the
  /// others are integrated once more from their checkpoint. 0: what 64 MB hold, 10 at least and 10000 at most.
  int checkpoint_interval = 0;
};

/// The value of a functional and its derivatives.
struct Gradient {
  double value = 0.0;                       ///< J
  std::vector<SystemParameter> parameters;  ///< of the entries; start values are called "q(x)", "v(x)"
  Eigen::VectorXd gradient;                 ///< dJ/dp, in the unit of J over that of the parameter
  MotionState end;                          ///< where the motion ended, with v' and lambda of the formulation

  long steps = 0;                  ///< of the motion
  long rhs_evaluations = 0;        ///< of the motion, on the way there
  long checkpoints = 0;            ///< stretches that were integrated twice
  long backward_steps = 0;         ///< of the adjoint
  long adjoint_evaluations = 0;    ///< of the adjoint equations: one solve with the factors of the motion each
  long linearisations = 0;         ///< points at which the motion was evaluated with its tangents on the way back
  long parameter_evaluations = 0;  ///< of the explicit derivatives, all parameters at once
  double wall_seconds = 0.0;
  /// finished, or what ended the way there or back; infeasible: as sensitivities(). Unless finished, `gradient` is
  /// empty.
  Status status;

  void describe(Figures& f);
};

/// The gradient of one number by any number of parameters and start values, for the cost of one motion and one way
/// back: adjoint sensitivities by CVODES, for the formulations baumgarte, penalty, projected and unstabilized. With
/// (q, v)' = F(q, v, p) and its linear map F_y that sensitivities() integrates forward,
///
///     mu' = -F_y^T mu - psi_y,     mu(end) = phi_y,
///     dJ/dp = mu(0) s(0) + integral of mu F_p dt,     s(0) = d(consistent start)/dp,
///
/// where F_y^T mu needs one solve with the symmetric saddle-point factors of the motion, and Newton's matrix is the
/// transpose of that of the motion. `projected`: the adjoint of the equations whose tangents are projected, as
/// sensitivities() integrates them (docs/decisions/0030-sensitivities.md).
///
/// What is held of the start, automatic gains, redundant rows: as sensitivities(). Forward and backward the integrator
/// of the options: cvode_bdf or cvode_adams. The error of the gradient follows rtol, relative to the largest that the
/// functional could change by: a derivative that is small against that has fewer digits. The value follows the steps
/// of the motion; its integral is not in the error test.
/// @param options  keep_going is asked on the way back, too, with times that decrease; max_steps holds for each way
/// @throws Error listing what is wrong, as simulate(); if nothing is asked for, on unknown names, events, rows that are
///         switched off, and formulations or integrators other than these
/// When not: for several numbers and few parameters, and to see how a motion changes along its way (sensitivities());
/// across impacts; with explicit dependence of the functional on parameters: add that by hand.
Gradient gradient(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                  const SimulationOptions& options, const Functional& functional, const GradientOptions& wanted);

/// The value alone, of the motion that gradient() integrates, to the last digit: no way back, so `gradient` and
/// `parameters` stay empty. For differences of values, and searches that need no derivative.
/// @throws Error as gradient()
Gradient functional_value(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                          const SimulationOptions& options, const Functional& functional);

}  // namespace sunlagrange
