// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::program {

/// Observes by time integration alone if a fixed-step run keeps its constraints: if its own violation stays small, and
/// if a small violation dies out. For the latter it compares two runs, one from the start and one from a start
/// displaced slightly off the constraints (the seed). The difference of their constraint errors is the response to the
/// seed; common truncation errors cancel. It uses no stability theory.
class StabilityObserver {
 public:
  struct Settings {
    double seed = 1e-7;  ///< displacement along G^T, relative to max|q| (at least 1)
    int steps = 200;     ///< steps of a run; at least 4
  };

  /// @param options  formulation, integrator, table; t_end bounds the length of a run
  StabilityObserver(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                    const SimulationOptions& options, const Settings& settings);

  /// Returns the number of steps of a run with this step: the set number, or fewer if the run would pass t_end.
  int steps(double step) const;

  /// Returns the largest difference of the errors (w g, g', psi), or f for a kinematic program, in the second half of
  /// the steps over the largest in the first half; infinite if a run did not reach its end, or if the difference grew
  /// beyond `largest_transient` times the seed.
  /// @param rate  w [1/s], makes g comparable with g'
  double growth(const Gains& gains, double step, double rate) const;

  /// Returns growth() < 1.
  bool contracts(const Gains& gains, double step, double rate) const { return growth(gains, step, rate) < 1.0; }

  /// Returns the larger of Report::relative_violation and Report::relative_velocity_violation of a run to t_end: g
  /// relative to the size of the mechanism, (g', psi) relative to its largest velocity. Infinite if the run did not
  /// reach its end.
  double violation(const Gains& gains, double step) const;

  /// Returns true if violation() is at most fixed_step_violation_bound(), so that the run gives no doubt about its
  /// constraints.
  bool keeps_constraints(const Gains& gains, double step) const;

 private:
  Eigen::MatrixXd errors(const Trajectory& path, double rate) const;

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions options_;
  Settings settings_;
  InitialState start_;
  InitialState seeded_;
};

}  // namespace sunlagrange::program
