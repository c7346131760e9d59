// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sunlagrange {

class Figures;

/// Settings of Newton's iteration and of the error test that a DAE form needs in IDA. They differ from the defaults of
/// IDA.
struct DaeSettings {
  bool suppress_algebraic = false;      ///< IDASetSuppressAlg
  double nonlinear_coefficient = 0.33;  ///< IDASetNonlinConvCoef
  int max_nonlinear_iterations = 4;     ///< IDASetMaxNonlinIters
  double initial_step = 0.0;            ///< IDASetInitStep [s]; 0: IDA's own

  void describe(Figures& f);
};

/// Values that replace the settings a DAE form chooses for IDA. A value that is not given stays the choice of the form.
struct IdaOverrides {
  std::optional<bool> suppress_algebraic;
  std::optional<double> nonlinear_coefficient;  ///< > 0
  std::optional<int> max_nonlinear_iterations;  ///< > 0
  std::optional<double> initial_step;           ///< [s], > 0

  void describe(Figures& f);
};

/// Settings of a DAE form, as a run uses them.
struct DaeFacts {
  std::vector<std::string> algebraic;        ///< names of the unknowns without a derivative (v, lambda, mu)
  std::string error_weights;                 ///< the rule of the error weights, in words
  double time_scale = 0.0;                   ///< T of the error weights [s]
  std::optional<double> typical_multiplier;  ///< size of lambda in the error weights, if they use one
  DaeSettings settings;                      ///< the choice of the form, with the overrides applied
  IdaOverrides asked;

  /// True if the error test of IDA leaves the algebraic unknowns out.
  bool masked() const { return settings.suppress_algebraic && !algebraic.empty(); }

  /// Applies the user's overrides to the settings of the form.
  void apply(const IdaOverrides& overrides);

  void describe(Figures& f);
};

}  // namespace sunlagrange
