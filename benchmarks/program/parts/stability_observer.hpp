#pragma once

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::program {

/// Observes by time integration alone whether a fixed-step run keeps its constraints: two runs, one from the start, one
/// from a start moved off the constraints by a little. Their constraint errors differ by what the seed has become;
/// truncation errors, which both have, drop out. It knows no stability theory.
class StabilityObserver {
 public:
  struct Settings {
    double seed = 1e-7;  ///< of max|q| (at least 1), along G^T
    int steps = 200;     ///< of a run; at least 4
  };

  /// @param options  formulation, integrator, table; t_end bounds the length of a run
  StabilityObserver(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                    const SimulationOptions& options, const Settings& settings);

  /// How many steps of this length a run has: as set, fewer where it would be longer than up to t_end.
  int steps(double step) const;

  /// Largest difference of the errors (w g, g', psi), of a kinematic program f, in the second half of the steps over
  /// the largest in the first half; infinite if a run did not reach its end, or if the difference grew beyond
  /// `largest_transient` times the seed.
  /// @param rate  w [1/s], makes g comparable with g'
  double growth(const Gains& gains, double step, double rate) const;

  /// growth() < 1.
  bool stable(const Gains& gains, double step, double rate) const { return growth(gains, step, rate) < 1.0; }

 private:
  Eigen::MatrixXd errors(const Trajectory& path, double rate) const;

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions options_;
  Settings settings_;
  InitialState start_;
  InitialState seeded_;
};

}  // namespace sunlagrange::program
