// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/stability/step_map.hpp>

namespace sunlagrange {

/// Predictions of step maps along a motion for fixed-step runs of one model, with given gains and steps. No run of
/// simulate() is observed.
///
/// A step keeps the constraints if small errors die out (dies_out()), and if the violation that the truncation errors
/// of the steps sustain stays small (keeps_constraints()). Neither implies the other: the runs may contract to a common
/// motion that is off the constraints.
class FixedStepPrediction {
 public:
  /// @param options  formulation, gains other than those varied, linear solver
  /// @param t_end    of the motion [s]
  /// @throws Error if the start cannot be made consistent
  FixedStepPrediction(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                      const FormulationOptions& options, const ButcherTable& table, double t_end);

  /// Returns the growth along the points that the method itself visits, which are off the constraints by its truncation
  /// error. It is infinite if the run diverges.
  /// @param rate  [1/s], which makes g comparable with g'
  ErrorGrowth along_the_run(const Gains& gains, double step, int steps, double rate) const;

  /// Returns the growth along the exact motion. @throws Error if the accurate run that provides it fails
  ErrorGrowth along_the_motion(const Gains& gains, double step, int steps, double rate);

  /// Returns the largest violation of a run from the start to t_end, by the measures of its report: the larger of
  /// Report::relative_violation and Report::relative_velocity_violation. The constraint error follows
  ///
  ///     e_(k+1) = S_k e_k + Q_k(e_k, e_k) + d_k,
  ///
  /// with the step map S_k of StepMap::on_errors(), its second-order term Q_k, and the defect d_k, the error after a
  /// step from a point without error. The points are those of the run, moved onto the constraints. With constant S and
  /// d, and small errors, the violation tends to (I - S)^-1 d. Terms of third order are neglected. Infinite if the run
  /// diverges, or as soon as the violation of the positions (of systems without rows g, of psi) exceeds `stop_above`.
  /// @param rate  [1/s], which makes g comparable with g' where directions are chosen
  double violation(const Gains& gains, double step, double rate, double stop_above = 1.0) const;

  /// Returns true if violation() stays below fixed_step_violation_bound(), less what the neglected terms may add.
  bool keeps_constraints(const Gains& gains, double step, double rate) const;

 private:
  const Trajectory& exact_motion();
  Eigen::VectorXd weights(int size, double rate) const;
  FormulationOptions with(const Gains& gains) const;
  double t_of(double k, double step) const { return start_.t + k * step; }

  std::shared_ptr<const MechanicalSystem> system_;
  FormulationOptions options_;
  ButcherTable table_;
  double t_end_;
  MotionState start_;
  Trajectory exact_;
  std::map<double, MotionState> exact_states_;  // on the constraints, by time
};

/// Returns true if the error decays: it is smaller in the second half of the steps than in the first and never exceeds
/// a thousand times its start.
bool dies_out(const ErrorGrowth& growth);

/// Largest gains with which fixed steps keep the constraints [1/s], found by largest_stable_gain(): omega of K_D = 2
/// zeta omega, K_P = omega^2, K_N = omega; K_N for a kinematic program. NaN if none was found. Smaller gains may be too
/// weak to hold the constraints at the same step.
struct GainLimits {
  /// by the stability function of the method, for constant constraint dynamics; says nothing of the motion
  double rule = 0.0;
  double contraction = 0.0;  ///< small errors die out along the run of the method; it may be off the constraints
  /// small errors die out along the exact motion, and the run keeps the constraints; NaN if there is no exact motion
  double along_the_motion = 0.0;
  double along_the_run = 0.0;  ///< the same along the run of the method, the best prediction
};

/// Predicts gain limits for one step, as `sunlagrange-bench stability` does, for any model:
///
///     gain_limits(system, start, {}, rk4(), 0.01, 2.0).along_the_run
///
/// @param t_end  end of the motion [s], to which the violation is followed; the decay of small errors is examined over
///               at most `steps` steps
/// @param zeta   damping ratio of second-order laws
/// @throws Error if the start cannot be made consistent, the formulation is no ODE form, or fewer than 4 steps fit
GainLimits gain_limits(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                       const FormulationOptions& options, const ButcherTable& table, double step, double t_end,
                       double zeta = 1.0, int steps = 200);

}  // namespace sunlagrange
