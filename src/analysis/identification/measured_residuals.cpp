// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/identification/measured_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>

#include "analysis/shared/one_coordinate.hpp"
#include "base/problems.hpp"
#include "model/coordinate_unit.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

bool within(Range range, double value) {
  return range == Range::finite || (range == Range::positive ? value > 0.0 : value >= 0.0);
}

void hold(std::vector<std::string>& held, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(held.begin(), held.end(), name) == held.end()) held.push_back(name);
  }
}

}  // namespace

MeasuredResiduals::MeasuredResiduals(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                                     const std::vector<Measurement>& measurements, const SimulationOptions& options,
                                     const IdentificationOptions& wanted)
    : system_(system), start_(start), measurements_(measurements), options_(options) {
  requested_.parameters = wanted.parameters;
  requested_.start_positions = wanted.start_positions;
  requested_.start_velocities = wanted.start_velocities;
  const auto n = static_cast<Index>(system->num_positions());
  if (start_.v.size() == 0) start_.v = VectorXd::Zero(n);
  list_unknowns();
  check();
  hold(start_.fixed_positions, wanted.start_positions);
  hold(start_.fixed_velocities, wanted.start_velocities);
  for (const Measurement& m : measurements) {
    outputs_.push_back(motion_output(*system, m.output));
    requested_.times.insert(requested_.times.end(), m.t.begin(), m.t.end());
    count_ += static_cast<Index>(m.t.size());
  }
  std::sort(requested_.times.begin(), requested_.times.end());
  requested_.times.erase(std::unique(requested_.times.begin(), requested_.times.end()), requested_.times.end());
  options_.t_end = requested_.times.back();
  options_.record = Record::ends_only;
  options_.record_times.clear();
  if (count_ < static_cast<Index>(unknowns_.size()))
    throw Error("identify: " + std::to_string(count_) + " measured values for " + std::to_string(unknowns_.size()) +
                " unknowns; measure more, or seek fewer");
}

VectorXd MeasuredResiduals::guess() const {
  VectorXd x(static_cast<Index>(unknowns_.size()));
  for (Index i = 0; i < x.size(); ++i) x[i] = unknown(i).about.value / unknown(i).size;
  return x;
}

std::shared_ptr<const MechanicalSystem> MeasuredResiduals::system_at(const VectorXd& x) const {
  std::vector<std::pair<std::string, double>> values;
  for (Index i = 0; i < x.size(); ++i) {
    if (unknown(i).kind == Unknown::Kind::parameter) values.emplace_back(unknown(i).about.name, value(x, i));
  }
  return values.empty() ? system_ : with_parameters(system_, values);
}

InitialState MeasuredResiduals::start_at(const VectorXd& x) const {
  InitialState start = start_;
  for (Index i = 0; i < x.size(); ++i) {
    if (unknown(i).kind == Unknown::Kind::position) start.q[unknown(i).coordinate] = value(x, i);
    if (unknown(i).kind == Unknown::Kind::velocity) start.v[unknown(i).coordinate] = value(x, i);
  }
  return start;
}

bool MeasuredResiduals::evaluate(const VectorXd& x) {
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
    found = sensitivities(system_at(x), start_at(x), options_, requested_);
  } catch (const Error& error) {
    if (runs_ == 1) throw;  // misuse; later runs may violate a relation between parameters
    found.status = {Outcome::model_error, error.what()};
  }
  status_ = found.status;
  if (status_.finished() && found.points.size() < requested_.times.size())
    status_ = {Outcome::model_error, "an event ended the motion before the last measurement: " + status_.message};
  if (!status_.finished()) return false;
  store(found.points);
  return true;
}

double MeasuredResiduals::natural_scale(std::size_t k) const {
  const MotionOutput& output = outputs_[k];
  return output.part == MotionOutput::Part::multiplier ? 1.0 : system_->natural_scales()[output.index];
}

std::vector<Fit> MeasuredResiduals::fits() const {
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

void MeasuredResiduals::add_unknown(Unknown unknown) {
  for (const Unknown& other : unknowns_) {
    if (other.about.name == unknown.about.name) throw Error("identify: \"" + unknown.about.name + "\" is given twice");
  }
  unknowns_.push_back(std::move(unknown));
}

/// Lists the unknowns in the order of the columns of sensitivities().
void MeasuredResiduals::list_unknowns() {
  for (const std::string& name : requested_.parameters) {
    const ParameterDerivative derivative(system_, name);
    add_unknown({Unknown::Kind::parameter, derivative.about(), derivative.size()});
  }
  const auto add_starts = [&](const std::vector<std::string>& names, Unknown::Kind kind, const VectorXd& values) {
    for (const std::string& name : names) {
      const int j = one_coordinate(*system_, name, "identify");
      const double scale = system_->natural_scales()[j];
      const std::string called = (kind == Unknown::Kind::position ? "q(" : "v(") + name + ")";
      const std::string unit = coordinate_unit(*system_, j, kind == Unknown::Kind::position ? 0 : 1);
      add_unknown(
          {kind, {called, values[j], unit, "start value", Range::finite}, std::max(std::abs(values[j]), scale), j});
    }
  };
  if (start_.q.size() != system_->num_positions() || start_.v.size() != system_->num_positions())
    throw Error("identify: the start has " + std::to_string(start_.q.size()) + " positions and " +
                std::to_string(start_.v.size()) + " velocities, the system " +
                std::to_string(system_->num_positions()) + " coordinates");
  add_starts(requested_.start_positions, Unknown::Kind::position, start_.q);
  add_starts(requested_.start_velocities, Unknown::Kind::velocity, start_.v);
}

void MeasuredResiduals::check() const {
  Problems problems;
  problems.require(!unknowns_.empty(),
                   "parameters, start_positions, start_velocities: all are empty; name what is sought");
  bool any = false;
  for (const Measurement& m : measurements_) {
    const std::string who = "measurement of " + m.output + ": ";
    problems.require(m.t.size() == m.values.size(), who + std::to_string(m.t.size()) + " times, " +
                                                        std::to_string(m.values.size()) + " values; give one for each");
    problems.require(!m.t.empty(), who + "has no values");
    problems.require(m.deviation > 0.0 && std::isfinite(m.deviation),
                     who + "deviation = " + text(m.deviation) +
                         " must be positive and finite; if it is unknown, leave 1 and say deviations_known = false");
    double last = -std::numeric_limits<double>::infinity();
    for (const double t : m.t) {
      if (!(t > last) || !(t >= start_.t) || !std::isfinite(t)) {
        problems.require(false, who + "t = " + text(t) +
                                    " must be later than the one before and not before the start, " + text(start_.t));
        break;
      }
      last = t;
    }
    any = any || last > start_.t;
    const auto wrong =
        std::find_if(m.values.begin(), m.values.end(), [](double value) { return !std::isfinite(value); });
    problems.require(wrong == m.values.end(), who + "a value is not finite; leave out what was not measured");
  }
  problems.require(any, "measurements: nothing was measured after the start");
  problems.throw_if_any("invalid identification");
}

void MeasuredResiduals::store(const std::vector<SensitivityPoint>& points) {
  residual_.resize(count_);
  jacobian_.resize(count_, static_cast<Index>(unknowns_.size()));
  double squares = 0.0;
  Index row = 0;
  for (std::size_t i = 0; i < measurements_.size(); ++i) {
    const Measurement& m = measurements_[i];
    double largest = 0.0;
    for (std::size_t k = 0; k < m.t.size(); ++k, ++row) {
      const auto at =
          std::lower_bound(requested_.times.begin(), requested_.times.end(), m.t[k]) - requested_.times.begin();
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

}  // namespace sunlagrange::internal
