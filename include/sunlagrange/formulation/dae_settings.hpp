#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sunlagrange {

class Figures;

/// Newton and error-control settings a DAE form needs to work with IDA; none of them is an IDA default.
struct DaeSettings {
  bool suppress_algebraic = false;      ///< IDASetSuppressAlg
  double nonlinear_coefficient = 0.33;  ///< IDASetNonlinConvCoef
  int max_nonlinear_iterations = 4;     ///< IDASetMaxNonlinIters
  double initial_step = 0.0;            ///< IDASetInitStep [s]; 0: IDA's own

  void describe(Figures& f);
};

/// Settings of IDA that DAE forms choose, for those who want others; what is not given stays the formulation's choice.
struct IdaOverrides {
  std::optional<bool> suppress_algebraic;
  std::optional<double> nonlinear_coefficient;  ///< > 0
  std::optional<int> max_nonlinear_iterations;  ///< > 0
  std::optional<double> initial_step;           ///< [s], > 0

  void describe(Figures& f);
};

/// How a DAE form is integrated.
struct DaeFacts {
  std::vector<std::string> algebraic;        ///< unknowns that have no derivative, lambda, mu; empty: none
  std::string error_weights;                 ///< in words
  double time_scale = 0.0;                   ///< T of the error weights [s]
  std::optional<double> typical_multiplier;  ///< that of the error weights, if they have one
  DaeSettings settings;                      ///< the form's choice, overrides in their place
  IdaOverrides asked;

  /// True: IDA's error test does not see the algebraic unknowns.
  bool masked() const { return settings.suppress_algebraic && !algebraic.empty(); }

  /// The user's wishes over the formulation's choices.
  void take(const IdaOverrides& overrides);

  void describe(Figures& f);
};

}  // namespace sunlagrange
