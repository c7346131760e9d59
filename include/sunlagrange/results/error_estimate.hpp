#pragma once

#include <string>

#include <Eigen/Core>

namespace sunlagrange {

/// Estimate of the global error of a run, |numerical - exact|: how far it lies from a companion run that is several
/// times as accurate. Errors that both make alike (of the model, of a wrong branch) are not in it.
struct ErrorEstimate {
  Eigen::VectorXd q, v, lambda;  ///< at the last state, by coordinate and row
  double largest_q = 0.0;        ///< over the states that were kept, in natural scales of the coordinates
  double largest_v = 0.0;        ///< the same for velocities [1/s]
  double largest_lambda = 0.0;   ///< of all rows
  double t_compared = 0.0;       ///< [s], up to where both ran
  bool certain = true;           ///< false: `doubt` says why the error may be much larger
  std::string doubt;
  std::string companion;      ///< what it was compared with
  double wall_seconds = 0.0;  ///< of the companion
};

}  // namespace sunlagrange
