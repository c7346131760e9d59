// SPDX-License-Identifier: BSD-3-Clause
#include "results/between_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <sunlagrange/model/parameters.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

LinearSolverOptions tolerant(LinearSolverOptions options) {
  options.rank_policy = RankPolicy::minimum_norm;
  return options;
}

/// Inserts the values at a time between other samples, if they are known.
void insert(std::vector<Sample>& samples, double t, const std::function<Eigen::VectorXd(double t)>& at) {
  Eigen::VectorXd values = at(t);
  if (values.size() == 0) return;
  const auto place = std::upper_bound(samples.begin(), samples.end(), t,
                                      [](double time, const Sample& sample) { return time < sample.t; });
  samples.insert(place, {t, std::move(values)});
}

/// Returns the time of the vertex of the parabola through three samples around the extreme one; not-a-number if there
/// is none between them, or if it changes the value by a millionth only.
double vertex_time(const std::vector<Sample>& samples, const Extreme& wanted) {
  constexpr double resolved = 1e-6;
  const auto [quantity, sign] = wanted;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::size_t best = samples.size();
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const double x = sign * samples[k].values[quantity];
    if (x > largest) {
      largest = x;
      best = k;
    }
  }
  if (best == samples.size()) return none;
  const auto same_time = [&](std::size_t k) { return !(samples[k].t < samples[k + 1].t); };
  std::size_t first = best, last = best;  // three samples on one side of all events, the best one amidst if possible
  if (first > 0 && !same_time(first - 1)) --first;
  if (last + 1 < samples.size() && !same_time(last)) ++last;
  if (last - first == 1) {
    if (last == best && first > 0 && !same_time(first - 1))
      --first;
    else if (first == best && last + 1 < samples.size() && !same_time(last))
      ++last;
  }
  if (last - first != 2) return none;
  const Sample &a = samples[first], &b = samples[first + 1], &c = samples[last];
  const double before = (b.values[quantity] - a.values[quantity]) / (b.t - a.t);
  const double after = (c.values[quantity] - b.values[quantity]) / (c.t - b.t);
  const double curvature = (after - before) / (c.t - a.t);
  const double t = 0.5 * (a.t + b.t) - 0.5 * before / curvature;
  const double gain = std::abs(curvature) * std::pow(t - samples[best].t, 2);
  const bool inside = sign * curvature < 0.0 && t > a.t && t < c.t;
  return inside && gain > resolved * std::abs(largest) ? t : none;
}

}  // namespace

InterpolatedStates::InterpolatedStates(const Trajectory& path, const std::shared_ptr<const MechanicalSystem>& system,
                                       const LinearSolverOptions& options)
    : path_(path), evaluator_(evaluator_for(system, options)), saddle_(evaluator_, tolerant(options)) {
  state_.a.setZero(system->num_positions());
  state_.lambda.setZero(system->num_constraints());
}

EvaluationResult InterpolatedStates::at(double t) {
  state_.t = t;
  state_.q = path_.position_at(t);
  state_.v = path_.velocity_at(t);
  const Workspace* here = evaluator_.at(t, state_.q.data(), state_.v.data());
  const EvaluationResult result = saddle_.factorize(here);
  if (result == EvaluationResult::ok) violations_ = {max_abs(here->g), max_abs(here->g_rate)};
  return result == EvaluationResult::ok ? saddle_.accelerations(*here, state_.a.data(), state_.lambda.data()) : result;
}

bool has_every_step(const Simulation& run) {
  return run.trajectory.size() > static_cast<std::size_t>(std::max(1L, run.report.steps));
}

bool has_states_between_steps(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  InputBinder inputs;
  with_inputs(system, inputs);
  if (!inputs.names().empty()) return false;
  const auto rows = static_cast<std::size_t>(system->num_constraints());
  const auto switches = [rows](const EventRecord& event) { return event.active_constraints.size() != rows; };
  const auto& events = run.report.events;
  return has_every_step(run) && system->motion_law().has_forces && run.report.used.switched_off.empty() &&
         std::none_of(events.begin(), events.end(), switches);
}

std::vector<double> times_within_steps(const Trajectory& path) {
  constexpr int parts = 6;
  std::vector<double> times;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    for (int i = 1; i < parts && h > 0.0; ++i) times.push_back(path.t(k - 1) + i * h / parts);
  }
  return times;
}

std::vector<double> times_within_long_steps(const Trajectory& path) {
  constexpr double parts_of_run = 50.0;
  std::vector<double> times;
  if (path.size() < 2) return times;
  const double apart = (path.t(path.size() - 1) - path.t(0)) / parts_of_run;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    if (!(h > apart)) continue;
    const int parts = static_cast<int>(std::ceil(h / apart));
    for (int i = 1; i < parts; ++i) times.push_back(path.t(k - 1) + i * h / parts);
  }
  return times;
}

void add_samples_within_steps(std::vector<Sample>& samples, const std::vector<double>& times,
                              const std::vector<Extreme>& wanted, const std::function<Eigen::VectorXd(double t)>& at) {
  constexpr int most_vertices = 4;
  std::vector<Sample> within;
  for (const double t : times) {
    Eigen::VectorXd values = at(t);
    if (values.size() > 0) within.push_back({t, std::move(values)});
  }
  std::vector<Sample> all;
  std::merge(samples.begin(), samples.end(), within.begin(), within.end(), std::back_inserter(all),
             [](const Sample& a, const Sample& b) { return a.t < b.t; });
  samples = std::move(all);
  for (const Extreme& extreme : wanted) {
    for (int k = 0; k < most_vertices; ++k) {
      const double t = vertex_time(samples, extreme);
      if (!std::isfinite(t)) break;
      insert(samples, t, at);
    }
  }
}

}  // namespace sunlagrange::internal
