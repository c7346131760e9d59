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

/// What was measured of one output along a motion.
struct Measurement {
  /// As Stepper::read() calls them: a coordinate "arm.phi", its rate "arm.phi'", its acceleration "arm.phi''", a
  /// multiplier "lambda:pin.x".
  std::string output;
  std::vector<double> t;       ///< [s], increasing, not before the start
  std::vector<double> values;  ///< as many, in the unit of the output
  double deviation = 1.0;      ///< > 0, standard deviation of each value, independent of the others
};

/// What is sought, and how.
struct IdentificationOptions {
  /// By names of system_parameters(), linked ones among them ("body.m,weight.m"); the guess is what the system holds.
  std::vector<std::string> parameters;
  std::vector<std::string> start_positions;   ///< coordinates, by name: their start value, held while the rest follows
  std::vector<std::string> start_velocities;  ///< the same for velocities
  /// false: only the ratios of the deviations are known; their common factor is estimated from what is left over.
  bool deviations_known = true;
  int max_runs = 200;  ///< integrations with sensitivities, rejected ones included
};

/// Parameters of which the measurements tell only combinations; one by itself: it has no influence on them.
struct Confounded {
  std::vector<std::string> parameters;
  /// Columns: relative changes dp / |p| of these parameters (start values and zeros: over their natural sizes), largest
  /// entry 1, which leave every output as it is.
  Eigen::MatrixXd directions;

  void describe(Figures& f);
};

/// How well one measurement is met.
struct Fit {
  std::string output;
  std::vector<double> values;  ///< of the model, at the times of the measurement
  /// Root mean square of (model - measured) / deviation: about 1 if model and noise are right and the deviations known.
  double rms = 0.0;

  void describe(Figures& f);
};

/// A fit, and what it is worth.
struct Identification {
  std::vector<SystemParameter> parameters;  ///< with the estimates as values; start values are called "q(x)", "v(x)"
  Eigen::VectorXd guess;                    ///< where the search began
  Eigen::VectorXd deviation;                ///< standard deviations of the estimates; infinite where confounded
  /// Of the estimates, (J^T W J)^-1: the bound of Cramer and Rao, which least squares attain for small noise. With
  /// confounded parameters the pseudo-inverse: of the combinations that are determined. Without a degree of freedom
  /// the noise, unless its deviations are known, cannot be estimated: not-a-number, the deviations infinite.
  Eigen::MatrixXd covariance;
  std::vector<Confounded> confounded;

  double chi_square = 0.0;       ///< sum over all measured values of ((model - measured) / deviation)^2
  int degrees_of_freedom = 0;    ///< measured values less what was determined by them
  bool deviations_known = true;  ///< as asked
  /// Root of chi_square over degrees_of_freedom: by how much the deviations were stated too small; if they are not
  /// known, the estimate of their common factor. Not-a-number without a degree of freedom.
  double noise_factor = 0.0;
  /// Empty: what is left over may be noise of the stated deviations, unless `untested` says that nobody looked. Else
  /// what speaks against the model, in a sentence.
  std::string misfit;
  /// Empty: what a finished fit left over was held against the stated deviations. Else why it could not be.
  std::string untested;
  std::vector<Fit> fits;

  std::shared_ptr<const MechanicalSystem> system;  ///< with the estimates
  InitialState start;                              ///< the same
  int runs = 0;
  double wall_seconds = 0.0;
  /// finished; rank_loss: parameters are confounded; step_limit: max_runs; interrupted; how the run at the guess ended.
  Status status;

  void describe(Figures& f);
};

/// Parameters and start values for which a motion meets measurements best, in the sense of weighted least squares:
/// Levenberg and Marquardt's method [More1978], with the Jacobian by sensitivities(), and the covariance of the
/// estimate. Every run starts from the consistent state nearest to `start` for its parameters, so hold as many
/// coordinates as the mechanism has freedoms, or "nearest" is a part of the model.
/// @param options  formulation and tolerances, as sensitivities(); t_end is not read: the last measurement ends the run
/// @throws Error listing what is wrong: names, sizes, times, deviations, fewer values than unknowns; as sensitivities()
/// When not: for a guess so far off that the motion is another one (local minima: begin with a short piece of the
/// measurements, then go on), or has other impacts (then residuals jump with the guess); where the noise is correlated
/// or has outliers (the covariance is then too small).
Identification identify(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                        const std::vector<Measurement>& measurements, const SimulationOptions& options,
                        const IdentificationOptions& wanted);

}  // namespace sunlagrange
