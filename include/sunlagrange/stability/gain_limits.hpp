#pragma once

#include <memory>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/stability/step_map.hpp>

namespace sunlagrange {

/// Growth of a small constraint error in fixed-step runs of one model, by step maps along its motion for given gains
/// and steps. No disturbed run is integrated.
class FixedStepGrowth {
 public:
  /// @param options  formulation, gains other than those varied, linear solver
  /// @param t_end    of the exact motion [s]
  /// @throws Error if the start cannot be made consistent
  FixedStepGrowth(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                  const FormulationOptions& options, const ButcherTable& table, double t_end);

  /// Returns the growth along the points that the method itself visits, which are off the constraints by its truncation
  /// error. It is infinite if the run diverges.
  /// @param rate  [1/s], which makes g comparable with g'
  ErrorGrowth along_the_run(const Gains& gains, double step, int steps, double rate) const;

  /// Returns the growth along the exact motion. @throws Error if the accurate run that provides it fails
  ErrorGrowth along_the_motion(const Gains& gains, double step, int steps, double rate);

 private:
  const Trajectory& exact_motion();
  Eigen::VectorXd weights(int size, double rate) const;

  std::shared_ptr<const MechanicalSystem> system_;
  FormulationOptions options_;
  ButcherTable table_;
  double t_end_;
  MotionState start_;
  Trajectory exact_;
};

/// Returns true if the error decays: it is smaller in the second half of the steps than in the first and never exceeds
/// a thousand times its start.
bool dies_out(const ErrorGrowth& growth);

/// Largest gains with which fixed steps keep the constraints [1/s]: omega of K_D = 2 zeta omega, K_P = omega^2, K_N =
/// omega; K_N for a kinematic program. NaN if none was found.
struct GainLimits {
  double rule = 0.0;              ///< by the stability function of the method, for constant constraint dynamics
  double along_the_motion = 0.0;  ///< by step maps along the exact motion
  double along_the_run = 0.0;     ///< by step maps along the run of the method, the best prediction
};

/// Predicts gain limits for one step, as `sunlagrange-bench stability` does, for any model:
///
///     gain_limits(system, start, {}, rk4(), 0.01, 2.0).along_the_run
///
/// @param t_end  end of the motion [s]; at most `steps` steps of it are examined
/// @param zeta   damping ratio of second-order laws
/// @throws Error if the start cannot be made consistent, the formulation is no ODE form, or fewer than 4 steps fit
GainLimits gain_limits(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                       const FormulationOptions& options, const ButcherTable& table, double step, double t_end,
                       double zeta = 1.0, int steps = 200);

}  // namespace sunlagrange
