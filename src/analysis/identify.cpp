#include <sunlagrange/analysis/identify.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/least_squares.hpp"
#include "analysis/motion_output.hpp"
#include "analysis/one_coordinate.hpp"
#include "base/problems.hpp"
#include "base/words.hpp"
#include "linear_algebra/decompositions.hpp"
#include "model/parameter_derivative.hpp"

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
constexpr double believable_deviations = 4;  // of chi_square from what it should be

/// One that is sought.
struct Unknown {
  enum class Kind { parameter, position, velocity };
  Kind kind = Kind::parameter;
  SystemParameter about;
  double size = 1.0;
  int coordinate = -1;
};

bool within(Range range, double value) {
  return range == Range::finite || (range == Range::positive ? value > 0.0 : value >= 0.0);
}

/// The normalised residuals as functions of the unknowns, each over its size.
class Residuals {
 public:
  Residuals(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
            const std::vector<Measurement>& measurements, const SimulationOptions& options,
            const IdentificationOptions& wanted)
      : system_(system), start_(start), measurements_(measurements), options_(options) {
    asked_.parameters = wanted.parameters;
    asked_.start_positions = wanted.start_positions;
    asked_.start_velocities = wanted.start_velocities;
    const auto n = static_cast<Index>(system->num_positions());
    if (start_.v.size() == 0) start_.v = VectorXd::Zero(n);
    name_unknowns();
    check();
    hold(start_.fixed_positions, wanted.start_positions);
    hold(start_.fixed_velocities, wanted.start_velocities);
    for (const Measurement& m : measurements) {
      outputs_.push_back(motion_output(*system, m.output));
      asked_.times.insert(asked_.times.end(), m.t.begin(), m.t.end());
      count_ += static_cast<Index>(m.t.size());
    }
    std::sort(asked_.times.begin(), asked_.times.end());
    asked_.times.erase(std::unique(asked_.times.begin(), asked_.times.end()), asked_.times.end());
    options_.t_end = asked_.times.back();
    if (count_ < static_cast<Index>(unknowns_.size()))
      throw Error("identify: " + std::to_string(count_) + " measured values for " + std::to_string(unknowns_.size()) +
                  " unknowns; measure more, or seek fewer");
  }

  Index count() const { return count_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }

  VectorXd guess() const {
    VectorXd x(static_cast<Index>(unknowns_.size()));
    for (Index i = 0; i < x.size(); ++i) x[i] = unknown(i).about.value / unknown(i).size;
    return x;
  }

  std::shared_ptr<const MechanicalSystem> system_at(const VectorXd& x) const {
    std::vector<std::pair<std::string, double>> values;
    for (Index i = 0; i < x.size(); ++i) {
      if (unknown(i).kind == Unknown::Kind::parameter) values.emplace_back(unknown(i).about.name, value(x, i));
    }
    return values.empty() ? system_ : with_parameters(system_, values);
  }
  InitialState start_at(const VectorXd& x) const {
    InitialState start = start_;
    for (Index i = 0; i < x.size(); ++i) {
      if (unknown(i).kind == Unknown::Kind::position) start.q[unknown(i).coordinate] = value(x, i);
      if (unknown(i).kind == Unknown::Kind::velocity) start.v[unknown(i).coordinate] = value(x, i);
    }
    return start;
  }
  double value(const VectorXd& x, Index i) const { return x[i] * unknown(i).size; }

  /// Runs to the last measurement, unless that was done at the same x just now. False: declined, status() says why.
  bool evaluate(const VectorXd& x) {
    if (x_.size() == x.size() && x_ == x) return status_.finished();
    x_ = x;
    for (Index i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i]) || !within(unknown(i).about.range, value(x, i))) {
        status_ = {Outcome::model_error, unknown(i).about.name + " = " + text(value(x, i)) + " is out of its range"};
        return false;
      }
    }
    if (options_.keep_going && !options_.keep_going(start_.t)) {
      status_ = {Outcome::interrupted, "the application ended the search"};
      return false;
    }
    ++runs_;
    Sensitivities found;
    try {
      found = sensitivities(system_at(x), start_at(x), options_, asked_);
    } catch (const Error& error) {
      if (runs_ == 1) throw;  // misuse; later a relation between parameters that does not hold
      found.status = {Outcome::model_error, error.what()};
    }
    status_ = found.status;
    if (!status_.finished()) return false;
    take(found.points);
    return true;
  }

  const VectorXd& residual() const { return residual_; }
  const MatrixXd& jacobian() const { return jacobian_; }  ///< by x
  const Status& status() const { return status_; }
  int runs() const { return runs_; }

  /// |model / deviation| as large as the integration takes it: its errors are rtol times this.
  double size() const { return size_; }

  std::vector<Fit> fits() const {
    std::vector<Fit> list;
    Index first = 0;
    for (const Measurement& m : measurements_) {
      const auto many = static_cast<Index>(m.t.size());
      Fit fit{m.output, m.values, std::sqrt(residual_.segment(first, many).squaredNorm() / static_cast<double>(many))};
      for (Index k = 0; k < many; ++k) fit.values[static_cast<std::size_t>(k)] += m.deviation * residual_[first + k];
      list.push_back(std::move(fit));
      first += many;
    }
    return list;
  }

 private:
  const Unknown& unknown(Index i) const { return unknowns_[static_cast<std::size_t>(i)]; }

  /// In the order of the columns of sensitivities().
  void name_unknowns() {
    const auto add = [&](Unknown unknown) {
      for (const Unknown& other : unknowns_) {
        if (other.about.name == unknown.about.name)
          throw Error("identify: \"" + unknown.about.name + "\" is asked for twice");
      }
      unknowns_.push_back(std::move(unknown));
    };
    for (const std::string& name : asked_.parameters) {
      const ParameterDerivative derivative(system_, name);
      add({Unknown::Kind::parameter, derivative.about(), derivative.size()});
    }
    const auto add_starts = [&](const std::vector<std::string>& names, Unknown::Kind kind, const VectorXd& values) {
      for (const std::string& name : names) {
        const int j = one_coordinate(*system_, name, "identify");
        const double scale = system_->natural_scales()[j];
        const std::string called = (kind == Unknown::Kind::position ? "q(" : "v(") + name + ")";
        add({kind, {called, values[j], "", "start value", Range::finite}, std::max(std::abs(values[j]), scale), j});
      }
    };
    if (start_.q.size() != system_->num_positions() || start_.v.size() != system_->num_positions())
      throw Error("identify: the start has " + std::to_string(start_.q.size()) + " positions and " +
                  std::to_string(start_.v.size()) + " velocities, the system " +
                  std::to_string(system_->num_positions()) + " coordinates");
    add_starts(asked_.start_positions, Unknown::Kind::position, start_.q);
    add_starts(asked_.start_velocities, Unknown::Kind::velocity, start_.v);
  }

  void check() const {
    std::string problems;
    const auto require = [&problems](bool good, const std::string& complaint) {
      if (!good) problems += complaint + "\n";
    };
    require(!unknowns_.empty(), "parameters, start_positions, start_velocities: all are empty; name what is sought");
    bool any = false;
    for (const Measurement& m : measurements_) {
      const std::string who = "measurement of " + m.output + ": ";
      require(m.t.size() == m.values.size(), who + std::to_string(m.t.size()) + " times, " +
                                                 std::to_string(m.values.size()) + " values; give one for each");
      require(!m.t.empty(), who + "has no values");
      require(m.deviation > 0.0 && std::isfinite(m.deviation),
              who + "deviation = " + text(m.deviation) +
                  " must be positive and finite; if it is unknown, leave 1 and say deviations_known = false");
      double last = -std::numeric_limits<double>::infinity();
      for (const double t : m.t) {
        if (!(t > last) || !(t >= start_.t) || !std::isfinite(t)) {
          require(false, who + "t = " + text(t) + " must be later than the one before and not before the start, " +
                             text(start_.t));
          break;
        }
        last = t;
      }
      any = any || last > start_.t;
      const auto wrong =
          std::find_if(m.values.begin(), m.values.end(), [](double value) { return !std::isfinite(value); });
      require(wrong == m.values.end(), who + "a value is not finite; leave out what was not measured");
    }
    require(any, "measurements: nothing was measured after the start");
    throw_if_any(problems, "invalid identification");
  }

  static void hold(std::vector<std::string>& held, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (std::find(held.begin(), held.end(), name) == held.end()) held.push_back(name);
    }
  }

  void take(const std::vector<SensitivityPoint>& points) {
    residual_.resize(count_);
    jacobian_.resize(count_, static_cast<Index>(unknowns_.size()));
    double squares = 0.0;
    Index row = 0;
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      const Measurement& m = measurements_[i];
      double largest = 0.0;
      for (std::size_t k = 0; k < m.t.size(); ++k, ++row) {
        const auto at = std::lower_bound(asked_.times.begin(), asked_.times.end(), m.t[k]) - asked_.times.begin();
        const SensitivityPoint& point = points[static_cast<std::size_t>(at)];
        const double model = outputs_[i].row(point.state)[0];
        largest = std::max(largest, std::abs(model));
        residual_[row] = (model - m.values[k]) / m.deviation;
        for (Index j = 0; j < jacobian_.cols(); ++j)
          jacobian_(row, j) = outputs_[i].row(point)[j] / m.deviation * unknown(j).size;
      }
      squares += static_cast<double>(m.t.size()) * largest * largest / (m.deviation * m.deviation);
    }
    size_ = std::sqrt(squares);
  }

  std::shared_ptr<const MechanicalSystem> system_;
  InitialState start_;
  const std::vector<Measurement>& measurements_;
  SimulationOptions options_;
  SensitivityOptions asked_;
  std::vector<Unknown> unknowns_;
  std::vector<MotionOutput> outputs_;
  Index count_ = 0;
  VectorXd x_, residual_;
  MatrixXd jacobian_;
  Status status_;
  double size_ = 0.0;
  int runs_ = 0;
};

/// Parameters that take part in the same directions, which leave the outputs as they are.
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
                         " cannot be told apart: changing them together leaves what was measured "
                         "as it is";
  }
  return message + "; leave parameters out, or measure something else or a motion that tells them apart";
}

/// What chi_square over its degrees of freedom k may be, so many standard deviations off (Wilson and Hilferty).
double chi_square_limit(double k, double deviations) {
  const double root = 1.0 - 2.0 / (9.0 * k) + deviations * std::sqrt(2.0 / (9.0 * k));
  return root * root * root;
}

/// Covariance, what is confounded, and what the residuals say.
void judge(const Residuals& at, const VectorXd& x, double rtol, bool deviations_known, Identification& result) {
  const auto p = static_cast<Index>(at.unknowns().size());
  const SingularValues svd = singular_values(at.jacobian(), SingularVectors::right);
  const double least = integration_errors * rtol * std::max(at.size(), svd.values[0]);
  const Index rank = (svd.values.array() > least).count();
  result.chi_square = at.residual().squaredNorm();
  result.degrees_of_freedom = static_cast<int>(at.count() - rank);
  const double freedoms = result.degrees_of_freedom;
  result.noise_factor = freedoms > 0.0 ? std::sqrt(result.chi_square / freedoms) : 0.0;
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
  if (!deviations_known || freedoms < 1.0) return;
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
  if (system == nullptr) throw Error("identify: the system is null; build it with make_system() or Assembly::build()");
  if (wanted.max_runs < 1)
    throw Error("identify: max_runs = " + std::to_string(wanted.max_runs) + " must be at least 1");
  const auto begin = std::chrono::steady_clock::now();
  Residuals residuals(system, start, measurements, options, wanted);
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
      judge(residuals, x, options.rtol, wanted.deviations_known, result);
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
