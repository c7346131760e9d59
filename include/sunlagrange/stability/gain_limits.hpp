#pragma once

#include <memory>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/stability/step_map.hpp>

namespace sunlagrange {

/// How a small constraint error grows in fixed-step runs of one model: step maps along its motion, for the gains and
/// steps asked. No seeded run takes part.
class FixedStepGrowth {
 public:
  /// @param options  formulation, gains of what is not asked, linear solver, tolerances of the exact motion's start
  /// @param t_end    of the exact motion [s]
  /// @throws Error if the start cannot be made consistent
  FixedStepGrowth(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                  const FormulationOptions& options, const ButcherTable& table, double t_end);

  /// Along the points the method itself visits, off the constraints by its truncation error. Infinite where it
  /// diverges.
  /// @param rate  [1/s], makes g comparable with g'
  ErrorGrowth along_the_run(const Gains& gains, double step, int steps, double rate) const;

  /// Along the exact motion. @throws Error if the accurate run that provides it fails
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

/// The error dies out: the second half of the steps has less of it than the first, and it never grew a thousandfold.
bool dies_out(const ErrorGrowth& growth);

/// Up to which gain fixed steps keep the constraints [1/s]: omega of K_D = 2 zeta omega, K_P = omega^2, K_N = omega; of
/// a kinematic program K_N. NaN: none found.
struct GainLimits {
  double rule = 0.0;              ///< the method's stability function alone, constant constraint dynamics
  double along_the_motion = 0.0;  ///< step maps along the exact motion
  double along_the_run = 0.0;     ///< step maps along the method's own run: the best prediction
};

/// What `sunlagrange-bench stability` predicts for one step, for a model of your own:
///
///     gain_limits(system, start, {}, rk4(), 0.01, 2.0).along_the_run
///
/// @param t_end  end of the motion along which it holds [s]; `steps` steps of it are looked at, or as many as fit
/// @param zeta   damping ratio of second-order laws
/// @throws Error if the start cannot be made consistent, the formulation is no ODE form, or fewer than 4 steps fit
GainLimits gain_limits(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                       const FormulationOptions& options, const ButcherTable& table, double step, double t_end,
                       double zeta = 1.0, int steps = 200);

}  // namespace sunlagrange
