// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/base/figures.hpp>

/// The description of an identification.
namespace sunlagrange {

void Confounded::describe(Figures& f) {
  f("parameters", parameters, "parameters that the measurements cannot tell apart");
  f("directions", directions, "1", "columns: relative changes that leave every output unchanged");
}

void Fit::describe(Figures& f) {
  f("output", output, "name of the output");
  f("values", values, "unit of the output", "values of the model at the times of the measurement");
  f("rms", rms, "1", "root mean square of (model - measured) / deviation");
}

void Identification::describe(Figures& f) {
  status.describe(f);
  f("parameters", parameters, "parameters with their estimates; start values are called q(x), v(x)");
  Eigen::VectorXd estimates(static_cast<Eigen::Index>(parameters.size()));
  for (Eigen::Index i = 0; i < estimates.size(); ++i) estimates[i] = parameters[static_cast<std::size_t>(i)].value;
  f.derived("estimates", estimates, "unit of p", "estimates");
  f("guess", guess, "unit of p", "values with which the search began");
  f("deviation", deviation, "unit of p", "standard deviations of the estimates; infinite where confounded");
  f("covariance", covariance, "product of the units", "covariance of the estimates");
  f("confounded", confounded, "parameters that the measurements cannot tell apart");
  f("chi_square", chi_square, "1", "sum of ((model - measured) / deviation)^2");
  f("degrees_of_freedom", degrees_of_freedom, "measured values less the parameters they determine");
  f("deviations_known", deviations_known, "true if the deviations of the measurements are known");
  f("noise_factor", noise_factor, "1", "root of chi_square over degrees_of_freedom; none without such");
  f("misfit", misfit, "what speaks against the model; empty: nothing");
  f("untested", untested, "why the fit could not be tested; empty: it was");
  f("fits", fits, "fit of each measurement");
  f("runs", runs, "integrations with sensitivities");
  f("wall_seconds", wall_seconds, "s", "wall time");
}

}  // namespace sunlagrange
