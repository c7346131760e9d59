#include <sunlagrange/analysis/identify.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>

#include "analysis/identification/least_squares.hpp"
#include "analysis/identification/measured_residuals.hpp"
#include "base/words.hpp"
#include "linear_algebra/decompositions.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What integration may leave of a direction that changes nothing, over rtol.
constexpr double integration_errors = 100.0;
constexpr double takes_part = 1e-2;          // entry of a parameter in such directions, of unit length
constexpr double moves_along = 1e-4;         // of two parameters: product of these entries
constexpr double explains_nothing = 0.7;     // of what the values vary about their mean, left over of every output
constexpr double worse_than_constant = 2.0;  // the same, of one output of
constexpr std::size_t many_values = 10;
constexpr double errors_of_a_run = 10.0;      // its tolerances
constexpr double rounding_of_a_mean = 1e-14;  // of what was added up to it
constexpr double believable_deviations = 4;   // of chi_square from what it should be

/// Groups the parameters of the null directions of the Jacobian: parameters of one group change together.
/// @param x  the estimates over their sizes
std::vector<Confounded> groups(const MatrixXd& directions, const std::vector<Unknown>& unknowns, const VectorXd& x) {
  const Index p = directions.rows();
  const MatrixXd together = directions * directions.transpose();
  std::vector<Index> group(static_cast<std::size_t>(p), -1);
  std::vector<Confounded> list;
  for (Index first = 0; first < p; ++first) {
    if (directions.row(first).norm() < takes_part || group[static_cast<std::size_t>(first)] >= 0) continue;
    std::vector<Index> members = {first};
    group[static_cast<std::size_t>(first)] = first;
    for (std::size_t k = 0; k < members.size(); ++k) {
      for (Index j = 0; j < p; ++j) {
        if (group[static_cast<std::size_t>(j)] >= 0 || std::abs(together(members[k], j)) < moves_along) continue;
        group[static_cast<std::size_t>(j)] = first;
        members.push_back(j);
      }
    }
    std::sort(members.begin(), members.end());
    Confounded found;
    MatrixXd rows(static_cast<Index>(members.size()), directions.cols());
    for (std::size_t k = 0; k < members.size(); ++k) {
      rows.row(static_cast<Index>(k)) = directions.row(members[k]);
      found.parameters.push_back(unknowns[static_cast<std::size_t>(members[k])].about.name);
    }
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

std::string account(const std::vector<Confounded>& confounded) {
  std::string message;
  for (const Confounded& group : confounded) {
    if (!message.empty()) message += "; ";
    message += group.parameters.size() == 1U
                   ? quoted(group.parameters) + " has no influence on what was measured"
                   : quoted(group.parameters) +
                         " cannot be distinguished: changing them together leaves what was measured "
                         "as it is";
  }
  return message + "; leave parameters out, or measure something else or a motion that distinguishes them";
}

/// Returns the value of chi_square / k that lies so many standard deviations off its mean, for k degrees of freedom
/// (Wilson and Hilferty).
double chi_square_limit(double k, double deviations) {
  const double root = 1.0 - 2.0 / (9.0 * k) + deviations * std::sqrt(2.0 / (9.0 * k));
  return root * root * root;
}

/// The residual of an output beside the variation of its measured values about their mean.
struct LeftOver {
  std::string output;
  double left = 0.0, variation = 0.0;  // root mean squares
  bool something = true;               // true if the residual exceeds the errors of the runs
  bool many = false;                   // true if there are enough values to know their mean

  bool constant() const { return !(variation > 0.0); }
  double times() const { return !something ? 0.0 : constant() ? INFINITY : left / variation; }
};

/// Returns the residuals of the outputs that were measured more than twice. @param options  of the runs, whose errors
/// do not count as residual
std::vector<LeftOver> leftovers(const MeasuredResiduals& at, const std::vector<Fit>& fits,
                                const std::vector<Measurement>& measurements, const SimulationOptions& options) {
  std::vector<LeftOver> list;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const std::vector<double>& values = measurements[k].values;
    if (values.size() < 3U) continue;
    const VectorXd measured = Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
    const double root = std::sqrt(static_cast<double>(values.size()));
    LeftOver output;
    output.output = fits[k].output;
    output.variation = (measured.array() - measured.mean()).matrix().norm() / root;
    if (output.variation < rounding_of_a_mean * measured.norm() / root) output.variation = 0.0;
    output.left = fits[k].rms * measurements[k].deviation;
    const double tolerance = options.atol * at.natural_scale(k) + options.rtol * measured.norm() / root;
    output.something = output.left > std::min(integration_errors * tolerance,
                                              std::max(errors_of_a_run * tolerance, 0.1 * output.variation));
    output.many = values.size() >= many_values;
    list.push_back(output);
  }
  return list;
}

/// Returns a sentence if a fit without given deviations explains none of its outputs, or one of them worse than a
/// constant would; else an empty string.
std::string nothing_explained(const std::vector<LeftOver>& outputs) {
  if (outputs.empty()) return "";
  const auto less = [](const LeftOver& a, const LeftOver& b) { return a.times() < b.times(); };
  const LeftOver& worst = *std::max_element(outputs.begin(), outputs.end(), less);
  const LeftOver& best = *std::min_element(outputs.begin(), outputs.end(), less);
  const bool worse_than_mean = std::any_of(outputs.begin(), outputs.end(), [](const LeftOver& output) {
    return output.many && output.times() > worse_than_constant;
  });
  if (!worse_than_mean && !(best.times() > explains_nothing)) return "";
  if (worst.constant())
    return "every measured value of \"" + worst.output + "\" is the same, and the model is " + text(worst.left) +
           " off them: its sensor is stuck or too coarse, and that output is to be left out or its deviation given; or "
           "the model or the start is wrong";
  return "what is left over of \"" + worst.output + "\" is " + text(worst.times()) +
         " times what its measured values vary about their mean: they are noise about a constant, or the deviations of "
         "the outputs differ and must be given, or the model or the start is wrong, or this is a local minimum; look "
         "at the residuals in time, and begin from another guess";
}

/// Computes the covariance, the confounded parameters, and the verdict about the residuals.
void judge(const MeasuredResiduals& at, const VectorXd& x, const SimulationOptions& options,
           const std::vector<Measurement>& measurements, bool deviations_known, Identification& result) {
  const auto p = static_cast<Index>(at.unknowns().size());
  const SingularValues svd = singular_values(at.jacobian(), SingularVectors::right);
  const double least = integration_errors * options.rtol * std::max(at.size(), svd.values[0]);
  const Index rank = (svd.values.array() > least).count();
  result.chi_square = at.residual().squaredNorm();
  result.degrees_of_freedom = static_cast<int>(at.count() - rank);
  const double freedoms = result.degrees_of_freedom;
  result.noise_factor = std::sqrt(result.chi_square / freedoms);
  if (freedoms < 1.0) result.noise_factor = std::numeric_limits<double>::quiet_NaN();
  result.deviations_known = deviations_known;
  if (freedoms < 1.0)
    result.untested =
        "as many values were measured as unknowns were determined: nothing is left over that could speak "
        "against the model";
  else if (!deviations_known)
    result.untested =
        "no deviation given, or only ratios: the residuals say how large the noise would have to be, and "
        "the deviations of the estimates follow from that; the fit was not tested";
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
      if (lost.row(i).norm() >= takes_part) result.deviation[i] = std::numeric_limits<double>::infinity();
    }
    result.confounded = groups(lost, at.unknowns(), x);
    result.status = {Outcome::rank_loss, account(result.confounded)};
    return;
  }
  if (freedoms < 1.0) {
    if (deviations_known) return;
    result.deviation.setConstant(std::numeric_limits<double>::infinity());
    result.misfit = "as many values were measured as unknowns are sought, " + std::to_string(p) +
                    ": nothing is left over that would tell the noise, so nobody knows what the estimates are worth; "
                    "measure more values, or say their deviations";
    return;
  }
  if (!deviations_known) {
    result.misfit = nothing_explained(leftovers(at, result.fits, measurements, options));
    return;
  }
  const double ratio = result.chi_square / freedoms, most = chi_square_limit(freedoms, believable_deviations);
  if (ratio > most)
    result.misfit = "what is left over is " + text(result.noise_factor) +
                    " times the noise that was stated: the model, the start or the deviations are wrong, or this is a "
                    "local minimum; look at the residuals in time, and begin from another guess";
  else if (ratio < chi_square_limit(freedoms, -believable_deviations))
    result.misfit = "what is left over is only " + text(result.noise_factor) +
                    " times the noise that was stated: the deviations, also those of the estimates, are too large by "
                    "as much";
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
      judge(residuals, x, options, measurements, wanted.deviations_known, result);
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
