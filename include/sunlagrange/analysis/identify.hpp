// SPDX-License-Identifier: BSD-3-Clause
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

class Figures;

/// Measured values of one output along a motion.
struct Measurement {
  /// Name as in Stepper::read(): a coordinate "arm.phi", its rate "arm.phi'", its acceleration "arm.phi''", or a
  /// multiplier "lambda:pin.x".
  std::string output;
  std::vector<double> t;       ///< [s], increasing, not before the start
  std::vector<double> values;  ///< one for each time, in the unit of the output
  double deviation = 1.0;      ///< > 0, standard deviation of each value; errors are independent
};

/// The unknowns, and options of the search.
struct IdentificationOptions {
  /// Names of system_parameters(), also linked ones ("body.m,weight.m"). The values in the system are the guess.
  std::vector<std::string> parameters;
  std::vector<std::string> start_positions;   ///< names of coordinates whose start value is estimated and held
  std::vector<std::string> start_velocities;  ///< the same for velocities
  /// False if only the ratios of the deviations are known. Their common factor is then estimated from the residuals.
  bool deviations_known = true;
  int max_runs = 200;  ///< integrations with sensitivities, including rejected ones
};

/// Parameters that the measurements determine only in combinations. A single one has no influence on the measurements.
struct Confounded {
  std::vector<std::string> parameters;
  /// Columns: relative changes dp / |p| of these parameters that change no output, with the largest entry 1. Start
  /// values and zeros are relative to their natural sizes.
  Eigen::MatrixXd directions;

  void describe(Figures& f);
};

/// The fit of one measurement.
struct Fit {
  std::string output;
  std::vector<double> values;  ///< values of the model at the times of the measurement
  /// Root mean square of (model - measured) / deviation: about 1 if the model, the noise and the deviations are right.
  double rms = 0.0;

  void describe(Figures& f);
};

/// Estimates with their uncertainty.
struct Identification {
  std::vector<SystemParameter> parameters;  ///< parameters with their estimates; start values are called "q(x)", "v(x)"
  Eigen::VectorXd guess;                    ///< start of the search
  Eigen::VectorXd deviation;                ///< standard deviations of the estimates; infinite where confounded
  /// Covariance of the estimates, (J^T W J)^-1: the bound of Cramer and Rao, which least squares attain for small
  /// noise. With confounded parameters it is the pseudo-inverse, for the combinations that are determined. Without a
  /// degree of freedom and without known deviations the noise cannot be estimated: not-a-number, and the deviations are
  /// infinite.
  Eigen::MatrixXd covariance;
  std::vector<Confounded> confounded;

  double chi_square = 0.0;       ///< sum over all measured values of ((model - measured) / deviation)^2
  int degrees_of_freedom = 0;    ///< number of measured values minus that of determined unknowns
  bool deviations_known = true;  ///< true if the options give the deviations
  /// Root of chi_square over degrees_of_freedom: the factor by which the stated deviations are too small or, if they
  /// are not known, the estimate of their common factor. Not-a-number without a degree of freedom.
  double noise_factor = 0.0;
  /// A sentence with the evidence against the model. Empty if the residuals are compatible with the stated deviations,
  /// or if `untested` gives the reason why they were not compared.
  std::string misfit;
  /// The reason why the residuals were not compared with the stated deviations. Empty if they were.
  std::string untested;
  std::vector<Fit> fits;

  std::shared_ptr<const MechanicalSystem> system;  ///< system with the estimates
  InitialState start;                              ///< start with the estimates
  int runs = 0;
  double wall_seconds = 0.0;
  /// finished; rank_loss: parameters are confounded; step_limit: max_runs; interrupted; or the outcome of the run at
  /// the guess.
  Status status;

  void describe(Figures& f);
};

/// Returns the parameters and start values for which a motion fits measurements best, by weighted least squares: the
/// method of Levenberg and Marquardt [More1978] with the Jacobian by sensitivities(), and the covariance of the
/// estimate. Every run starts from the consistent state nearest to `start` for its parameters, so as many coordinates
/// should be held as the mechanism has degrees of freedom; otherwise "nearest" is part of the model.
/// @param options  formulation and tolerances, as sensitivities(); t_end is not used, because the run ends at the last
///                 measurement
/// @throws Error with all problems: names, sizes, times, deviations, fewer values than unknowns; as sensitivities()
/// When not to use it: for a guess from which the motion is a different one (local minima; begin with a short part of
/// the measurements) or has other impacts (residuals then jump with the guess); for noise that is correlated or has
/// outliers (the covariance is then too small).
Identification identify(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                        const std::vector<Measurement>& measurements, const SimulationOptions& options,
                        const IdentificationOptions& wanted);

}  // namespace sunlagrange
