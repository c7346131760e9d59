#pragma once

#include <memory>

#include <sunlagrange/simulation/simulate.hpp>
#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/stability/step_map.hpp>

namespace sunlagrange::bench {

/// Whether an error that grows like this dies out, see `largest_transient`.
bool dies_out(const ErrorGrowth& growth);

/// Predicts the growth of a small constraint error in a fixed-step run by the step map, linearised along a motion; no
/// seeded run takes part.
class StabilityPredictor {
 public:
  /// @param options  formulation, linear solver, t_end, as for simulate()
  /// @throws Error if the start cannot be made consistent
  StabilityPredictor(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                     const SimulationOptions& options, const ButcherTable& table);

  /// Along the points the method itself visits, off the constraints by its truncation error. Infinite where it
  /// diverges.
  /// @param rate  [1/s], makes g comparable with g'
  ErrorGrowth along_the_run(const Gains& gains, double step, int steps, double rate) const;

  /// Along the exact motion. @throws Error if the accurate run that provides it fails
  ErrorGrowth along_the_motion(const Gains& gains, double step, int steps, double rate);

 private:
  const Trajectory& exact_motion();
  FirstOrderForm form(const Gains& gains) const;
  Eigen::VectorXd weights(int size, double rate) const;

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions options_;
  ButcherTable table_;
  MotionState start_;
  Trajectory exact_;
};

}  // namespace sunlagrange::bench
