// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/identify.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>

#include "analysis/identification/least_squares.hpp"
#include "analysis/identification/measured_residuals.hpp"
#include "analysis/shared/rounding.hpp"
#include "base/words.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/parts.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct FitLimits {
  /// Relative singular value, over rtol, of a direction that changes the outputs by no more than errors of integration.
  static constexpr double integration_errors = 100.0;
  static constexpr double run_errors = 10.0;  ///< error of an output over the tolerances of its run
  static constexpr double share = 1e-2;       ///< entry of a parameter in a null direction that makes it confounded
  /// Residual over the variation of the measured values about their mean: a fit that leaves so much of every output
  /// explains nothing, one that leaves so much of a single output is worse than a constant.
  static constexpr double unexplained = 0.7, worse_than_constant = 2.0;
  static constexpr std::size_t many_values = 10;  ///< number of values from which their mean is known well
  static constexpr double deviations = 4.0;       ///< of chi_square from its expectation that is plausible
};

/// Groups the parameters of the null directions of the Jacobian: parameters of one group change together.
/// @param x  the estimates over their sizes
std::vector<Confounded> confounded_groups(const MatrixXd& directions, const std::vector<Unknown>& unknowns,
                                          const VectorXd& x) {
  const MatrixXd together = directions * directions.transpose();
  Parts parts(directions.rows());
  parts.unite((together.cwiseAbs().array() < FitLimits::share * FitLimits::share).select(0.0, together), 0, 0);
  std::vector<Confounded> list;
  for (const std::vector<int>& members : parts.members()) {
    const MatrixXd rows = directions(members, Eigen::all);
    if (rows.rowwise().norm().maxCoeff() < FitLimits::share) continue;
    Confounded found;
    for (const int i : members) found.parameters.push_back(unknowns[static_cast<std::size_t>(i)].about.name);
    const SingularValues svd = singular_values(rows, SingularVectors::left);  // the directions of this group alone
    const Index many = (svd.values.array() > 0.5).count();
    found.directions = svd.U.leftCols(many);
    for (std::size_t k = 0; k < members.size(); ++k) {
      const bool relative = unknowns[static_cast<std::size_t>(members[k])].kind == Unknown::Kind::parameter;
      if (relative && x[members[k]] != 0.0) found.directions.row(static_cast<Index>(k)) /= std::abs(x[members[k]]);
    }
    for (auto direction : found.directions.colwise()) {
      Index largest = 0;
      direction.cwiseAbs().maxCoeff(&largest);
      direction /= direction[largest];
    }
    list.push_back(std::move(found));
  }
  return list;
}

std::string confounding_message(const std::vector<Confounded>& confounded) {
  std::string message;
  for (const Confounded& group : confounded) {
    if (!message.empty()) message += "; ";
    message += group.parameters.size() == 1U
                   ? quoted(group.parameters) + " has no influence on what was measured"
                   : quoted(group.parameters) +
                         " cannot be distinguished: they can change together without any effect on "
                         "what was measured";
  }
  return message + "; leave parameters out, or measure other outputs or a motion that distinguishes them";
}

/// Returns the value of chi_square / k that lies so many standard deviations off its mean, for k degrees of freedom
/// (Wilson and Hilferty).
double chi_square_limit(double k, double deviations) {
  const double root = 1.0 - 2.0 / (9.0 * k) + deviations * std::sqrt(2.0 / (9.0 * k));
  return root * root * root;
}

/// The residual of an output beside the variation of its measured values about their mean.
struct OutputResidual {
  std::string output;
  double residual = 0.0, variation = 0.0;  // root mean squares
  bool significant = true;                 // true if the residual exceeds the errors of the runs
  bool many = false;                       // true if there are enough values to know their mean

  bool constant() const { return !(variation > 0.0); }
  double ratio() const { return !significant ? 0.0 : constant() ? INFINITY : residual / variation; }
};

/// Returns the residuals of the outputs that were measured more than twice. @param options  of the runs, whose errors
/// do not count as residual
std::vector<OutputResidual> output_residuals(const MeasuredResiduals& at, const std::vector<Fit>& fits,
                                             const std::vector<Measurement>& measurements,
                                             const SimulationOptions& options) {
  std::vector<OutputResidual> list;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const std::vector<double>& values = measurements[k].values;
    if (values.size() < 3U) continue;
    const VectorXd measured = Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
    const double root = std::sqrt(static_cast<double>(values.size()));
    OutputResidual output;
    output.output = fits[k].output;
    output.variation = (measured.array() - measured.mean()).matrix().norm() / root;
    if (output.variation < rounding_of_value * measured.norm() / root) output.variation = 0.0;
    output.residual = fits[k].rms * measurements[k].deviation;
    const double tolerance = options.atol * at.natural_scale(k) + options.rtol * measured.norm() / root;
    output.significant =
        output.residual > std::min(FitLimits::integration_errors * tolerance,
                                   std::max(FitLimits::run_errors * tolerance, 0.1 * output.variation));
    output.many = values.size() >= FitLimits::many_values;
    list.push_back(output);
  }
  return list;
}

/// Returns a sentence if a fit without given deviations explains none of its outputs, or one of them worse than a
/// constant would; else an empty string.
std::string nothing_explained(const std::vector<OutputResidual>& outputs) {
  if (outputs.empty()) return "";
  const auto less = [](const OutputResidual& a, const OutputResidual& b) { return a.ratio() < b.ratio(); };
  const OutputResidual& worst = *std::max_element(outputs.begin(), outputs.end(), less);
  const OutputResidual& best = *std::min_element(outputs.begin(), outputs.end(), less);
  const bool worse_than_mean = std::any_of(outputs.begin(), outputs.end(), [](const OutputResidual& output) {
    return output.many && output.ratio() > FitLimits::worse_than_constant;
  });
  if (!worse_than_mean && !(best.ratio() > FitLimits::unexplained)) return "";
  if (worst.constant())
    return "all measured values of \"" + worst.output + "\" are equal, and the model is " + text(worst.residual) +
           " off: its sensor is stuck or too coarse (leave the output out, or give its deviation), or the model or the "
           "start is wrong";
  return "the residual of \"" + worst.output + "\" is " + text(worst.ratio()) +
         " times the variation of its measured values about their mean: they are noise about a constant, or the "
         "deviations of the outputs differ and must be given, or the model or the start is wrong, or this is a local "
         "minimum; look at the residuals over time, and begin from another guess";
}

/// Computes the covariance, the confounded parameters, and the verdict about the residuals.
void evaluate_fit(const MeasuredResiduals& at, const VectorXd& x, const SimulationOptions& options,
                  const std::vector<Measurement>& measurements, bool deviations_known, Identification& result) {
  const auto p = static_cast<Index>(at.unknowns().size());
  const SingularValues svd = singular_values(at.jacobian(), SingularVectors::right);
  const double least = FitLimits::integration_errors * options.rtol * std::max(at.size(), svd.values[0]);
  const Index rank = (svd.values.array() > least).count();
  result.chi_square = at.residual().squaredNorm();
  result.degrees_of_freedom = static_cast<int>(at.count() - rank);
  const double freedoms = result.degrees_of_freedom;
  result.noise_factor = std::sqrt(result.chi_square / freedoms);
  if (freedoms < 1.0) result.noise_factor = std::numeric_limits<double>::quiet_NaN();
  result.deviations_known = deviations_known;
  if (freedoms < 1.0)
    result.untested =
        "as many values were measured as unknowns were determined, so there are no residuals that could "
        "contradict the model";
  else if (!deviations_known)
    result.untested =
        "no deviations are given, or only their ratios: the noise is estimated from the residuals, and the "
        "deviations of the estimates follow from it; the fit was not tested";
  result.fits = at.fits();
  VectorXd sizes(p);
  for (Index i = 0; i < p; ++i) sizes[i] = at.unknowns()[static_cast<std::size_t>(i)].size;
  const MatrixXd half = sizes.asDiagonal() * svd.V.leftCols(rank) * svd.values.head(rank).cwiseInverse().asDiagonal();
  result.covariance = half * half.transpose();
  if (!deviations_known) result.covariance *= result.noise_factor * result.noise_factor;
  result.deviation = result.covariance.diagonal().cwiseSqrt();
  if (rank < p) {
    const MatrixXd lost = svd.V.rightCols(p - rank);
    for (Index i = 0; i < p; ++i) {
      if (lost.row(i).norm() >= FitLimits::share) result.deviation[i] = std::numeric_limits<double>::infinity();
    }
    result.confounded = confounded_groups(lost, at.unknowns(), x);
    result.status = {Outcome::rank_loss, confounding_message(result.confounded)};
    return;
  }
  if (freedoms < 1.0) {
    if (deviations_known) return;
    result.deviation.setConstant(std::numeric_limits<double>::infinity());
    result.misfit =
        "as many values were measured as unknowns are sought, " + std::to_string(p) +
        ": there are no residuals to estimate the noise from, so the deviations of the estimates are unknown; "
        "measure more values, or give their deviations";
    return;
  }
  if (!deviations_known) {
    result.misfit = nothing_explained(output_residuals(at, result.fits, measurements, options));
    return;
  }
  const double ratio = result.chi_square / freedoms, most = chi_square_limit(freedoms, FitLimits::deviations);
  if (ratio > most)
    result.misfit = "the residuals are " + text(result.noise_factor) +
                    " times the stated noise: the model, the start or the deviations are wrong, or this is a local "
                    "minimum; look at the residuals over time, and begin from another guess";
  else if (ratio < chi_square_limit(freedoms, -FitLimits::deviations))
    result.misfit =
        "the residuals are only " + text(result.noise_factor) +
        " times the stated noise: the deviations, also those of the estimates, are too large by this factor";
}

/// Returns parameters without influence to their guess, from which rounding has moved them.
void keep_guess(const std::vector<Confounded>& confounded, const MeasuredResiduals& residuals, VectorXd& x) {
  for (const Confounded& group : confounded) {
    if (group.parameters.size() > 1U) continue;
    for (Index i = 0; i < x.size(); ++i) {
      if (residuals.unknowns()[static_cast<std::size_t>(i)].about.name == group.parameters[0])
        x[i] = residuals.guess()[i];
    }
  }
}

}  // namespace

Identification identify(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                        const std::vector<Measurement>& measurements, const SimulationOptions& options,
                        const IdentificationOptions& wanted) {
  require_system(system, "identify");
  if (wanted.max_runs < 1)
    throw Error("identify: max_runs = " + std::to_string(wanted.max_runs) + " must be at least 1");
  const auto begin = std::chrono::steady_clock::now();
  MeasuredResiduals residuals(system, start, measurements, options, wanted);
  VectorXd x = residuals.guess();
  Identification result;
  result.guess.resize(x.size());
  for (Index i = 0; i < x.size(); ++i) result.guess[i] = residuals.value(x, i);
  const LeastSquaresProblem problem{residuals.count(),
                                    [&](const VectorXd& at, VectorXd& r) {
                                      const bool good = residuals.evaluate(at);
                                      if (residuals.status().outcome == Outcome::interrupted) throw residuals.status();
                                      if (good) r = residuals.residual();
                                      return good;
                                    },
                                    [&](const VectorXd& at, MatrixXd& J) {
                                      const bool good = residuals.evaluate(at);
                                      if (good) J = residuals.jacobian();
                                      return good;
                                    }};
  try {
    const LeastSquaresEnd end = minimise_least_squares(problem, options.rtol, wanted.max_runs, x);
    if (!residuals.evaluate(x)) {
      result.status = residuals.status();
      if (end == LeastSquaresEnd::declined) result.status.message = "at the guess: " + result.status.message;
    } else {
      evaluate_fit(residuals, x, options, measurements, wanted.deviations_known, result);
      keep_guess(result.confounded, residuals, x);
      if (end == LeastSquaresEnd::too_many_evaluations)
        result.status = {Outcome::step_limit, "max_runs = " + std::to_string(wanted.max_runs) +
                                                  " runs did not lead to a minimum; give a better guess, or raise it"};
    }
  } catch (const Status& interrupted) {
    result.status = interrupted;
  }
  for (Index i = 0; i < x.size(); ++i) {
    result.parameters.push_back(residuals.unknowns()[static_cast<std::size_t>(i)].about);
    result.parameters.back().value = residuals.value(x, i);
  }
  result.system = residuals.system_at(x);
  result.start = residuals.start_at(x);
  result.runs = residuals.runs();
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace sunlagrange
