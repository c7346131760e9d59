// SPDX-License-Identifier: BSD-3-Clause
#include "page/curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/json.hpp"
#include "model/coordinate_unit.hpp"
#include "model/evaluation.hpp"
#include "results/between_steps.hpp"

namespace sunlagrange::internal {
namespace {

constexpr std::size_t most_states = 1500, most_curves = 60, most_energies = 12;
}  // namespace

std::string Peak::json() const {
  return json::list({json::number(value), json::number(t)});
}

CredibleMotion::CredibleMotion(const Simulation& run, const MechanicalSystem& system)
    : path_(run.trajectory), scales_(system.natural_scales()) {
  const std::size_t count = path_.size();
  last_ = path_.t(run.status.finished() || count < 2 ? count - 1 : count - 2);
  least_q_ = largest_q_ = path_.q(0);
  least_v_ = largest_v_ = path_.v(0);
  for (std::size_t k = 1; k < count; ++k) {
    least_q_ = least_q_.cwiseMin(path_.q(k));
    largest_q_ = largest_q_.cwiseMax(path_.q(k));
    least_v_ = least_v_.cwiseMin(path_.v(k));
    largest_v_ = largest_v_.cwiseMax(path_.v(k));
  }
}

bool CredibleMotion::within_range(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  const auto within = [this](const Eigen::VectorXd& x, const Eigen::VectorXd& least, const Eigen::VectorXd& largest) {
    const double width = (largest - least).cwiseQuotient(scales_).maxCoeff();
    const double beyond = (least - x).cwiseMax(x - largest).cwiseQuotient(scales_).maxCoeff();
    return beyond <= 0.5 * width;
  };
  return within(q, least_q_, largest_q_) && within(v, least_v_, largest_v_);
}

bool CredibleMotion::holds_at(double t) const {
  return t <= last_ && within_range(path_.position_at(t), path_.velocity_at(t));
}

Eigen::VectorXd CredibleMotion::position_at(double t) const {
  if (holds_at(t)) return path_.position_at(t);
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < path_.size(); ++k) {
    if (std::abs(path_.t(k) - t) <= std::abs(path_.t(nearest) - t)) nearest = k;
  }
  return path_.q(nearest);
}

std::string curve_list(const std::vector<Series>& curves) {
  std::vector<std::string> list;
  for (const Series& c : curves) {
    if (list.size() == most_curves) break;
    json::Object curve;
    curve.add("name", json::text(c.name)).add("unit", json::text(c.unit)).add("y", json::numbers(c.y));
    if (!c.error.empty()) curve.add("error", json::numbers(c.error));
    if (c.dots) curve.add("points", "true").add("lonely", "true");
    list.push_back(curve.str());
  }
  return json::list(list);
}

namespace {

double largest(const Eigen::VectorXd& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

/// Returns max |g| and max |(g', psi)| of each state. Rows that are switched off have lambda = 0 and do not count.
std::vector<Series> violations(const Simulation& run, const MechanicalSystem& system,
                               const std::vector<std::size_t>& states) {
  const bool switches = !run.report.used.switched_off.empty() || !run.report.events.empty();
  const auto w = make_workspace(system, Storage::sparse);
  Series g{"max |g|", "", {}}, rate{"max |(g', psi)|", "", {}};
  const Trajectory& path = run.trajectory;
  for (const std::size_t k : states) {
    const auto q = path.q(k), v = path.v(k), lambda = path.lambda(k);
    if (!evaluate_system(system, request::constraint, {path.t(k), q.data(), v.data(), nullptr, nullptr}, *w)) {
      g.y.push_back(unknown_value);
      rate.y.push_back(unknown_value);
      continue;
    }
    for (Eigen::Index i = 0; switches && i < lambda.size(); ++i) {
      if (lambda[i] != 0.0) continue;
      w->g_rate[i] = 0.0;
      if (i < w->g.size()) w->g[i] = 0.0;
    }
    g.y.push_back(largest(w->g));
    rate.y.push_back(largest(w->g_rate));
  }
  std::vector<Series> curves{g};
  if (system.motion_law().has_forces) curves.push_back(rate);
  return curves;
}

struct Energies {
  std::vector<Series> of_elements;  ///< the sum, if all are known, then the energies in the order of their change
  std::vector<Series> change;       ///< change of the sum since the start, which the sum itself is too large to show
};

Energies energies(const Simulation& run, const MechanicalSystem& system, const std::vector<std::size_t>& states) {
  Energies result;
  if (!system.motion_law().has_forces) return result;
  std::vector<Series>& curves = result.of_elements;
  Series total{"all elements", "J", std::vector<double>(states.size(), 0.0)};
  bool all_known = true;
  ElementTerms terms;
  for (int e = 0; e < system.num_elements(); ++e) {
    Series own{system.element_name(e), "J", {}};
    bool known = true, any = false;
    for (const std::size_t k : states) {
      const auto q = run.trajectory.q(k), v = run.trajectory.v(k);
      const bool ok = element_terms(system, e, run.trajectory.t(k), q.data(), v.data(), terms);
      known = known && terms.energy_known;
      own.y.push_back(ok ? terms.energy : unknown_value);
      any = any || terms.energy != 0.0;
      if (!known) break;
    }
    all_known = all_known && known;
    if (!known || !any) continue;
    for (std::size_t i = 0; i < own.y.size(); ++i) total.y[i] += own.y[i];
    curves.push_back(std::move(own));
  }
  const auto range = [](const Series& c) {
    const auto [low, high] = std::minmax_element(c.y.begin(), c.y.end());
    return *high - *low;
  };
  std::stable_sort(curves.begin(), curves.end(), [&](const Series& a, const Series& b) { return range(a) > range(b); });
  if (all_known && !curves.empty()) {
    Series change{"sum minus that of the start", "J", total.y};
    for (double& y : change.y) y -= total.y.front();
    result.change.push_back(std::move(change));
  }
  const bool several = curves.size() > 1;
  if (curves.size() > most_energies) curves.resize(most_energies);
  if (all_known && several) curves.insert(curves.begin(), std::move(total));
  return result;
}

double largest_finite(const Eigen::VectorXd& x) {
  double most = 0.0;
  for (const double value : x) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

using Errors = std::map<std::size_t, const StateError*>;  // by state of the trajectory

/// Returns the errors of the states that are drawn; empty without an estimate.
Errors known_errors(const Simulation& run) {
  Errors errors;
  if (!run.report.error_estimate) return errors;
  const std::vector<StateError>& along = run.report.error_estimate->along;
  for (const std::size_t k : sampled_states(along.size(), most_states)) errors[along[k].state] = &along[k];
  return errors;
}

/// Returns the largest estimated errors over time. Those of q and v and the tolerance of a step are in natural scales.
std::string errors_json(const Simulation& run, const Errors& errors, const MechanicalSystem& system) {
  if (!run.report.error_estimate) return "null";
  const ErrorEstimate& estimate = *run.report.error_estimate;
  const Eigen::VectorXd& scales = system.natural_scales();
  const Tolerances& tolerances = run.report.used.tolerances;
  const bool adaptive = !run.report.used.step.has_value();
  std::vector<double> t;
  Series q{"q", "", {}}, v{"v", "", {}}, lambda{"λ", "", {}}, tolerance{"rtol |q| + atol", "", {}};
  for (const auto& [k, at] : errors) {
    t.push_back(run.trajectory.t(k));
    q.y.push_back(largest_finite(at->q.cwiseQuotient(scales)));
    v.y.push_back(largest_finite(at->v.cwiseQuotient(scales)));
    lambda.y.push_back(largest_finite(at->lambda));
    tolerance.y.push_back(tolerances.rtol * largest(run.trajectory.q(k).cwiseQuotient(scales)) + tolerances.atol);
  }
  std::vector<Series> curves = {q, v};
  if (system.num_constraints() > 0) curves.push_back(lambda);
  if (adaptive) curves.push_back(tolerance);
  std::vector<std::string> functions;
  for (const FunctionError& f : estimate.functions)
    functions.push_back(
        json::list({json::text(f.name), json::number(f.value), json::number(f.error), json::number(f.largest)}));
  return json::Object()
      .add("t", json::numbers(t))
      .add("curves", curve_list(curves))
      .add("functions", json::list(functions))
      .add("certain", estimate.certain ? "true" : "false")
      .add("doubt", json::text(estimate.doubt))
      .add("companion", json::text(estimate.companion))
      .str();
}

}  // namespace

std::string curves_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  const Trajectory& path = run.trajectory;
  const Errors errors = known_errors(run);
  std::vector<std::size_t> states = sampled_states(path.size(), most_states);
  for (const auto& [k, error] : errors) states.push_back(k);
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  std::vector<double> t, step_end, step, order;
  for (const std::size_t k : states) t.push_back(path.t(k));
  for (const std::size_t k : states) {
    if (k == 0 || !(path.t(k) > path.t(k - 1))) continue;
    step_end.push_back(path.t(k));
    step.push_back(path.t(k) - path.t(k - 1));
    order.push_back(path.order(k) > 0 ? path.order(k) : unknown_value);
  }
  const auto group = [&](int count, const auto& name, const auto& unit, const auto& values,
                         Eigen::VectorXd StateError::*error) {
    std::vector<Series> curves;
    for (int i = 0; i < count && curves.size() < most_curves; ++i) {
      Series c{name(i), unit(i), {}};
      for (const std::size_t k : states) {
        c.y.push_back(values(k)[i]);
        if (errors.empty()) continue;
        const auto known = errors.find(k);
        c.error.push_back(known == errors.end() ? unknown_value : (known->second->*error)[i]);
      }
      curves.push_back(std::move(c));
    }
    return curve_list(curves);
  };
  const MechanicalSystem& s = *system;
  const int n = s.num_positions(), m = s.num_constraints();
  const auto no_unit = [](int) { return std::string(); };
  const auto unit = [&](int i) { return coordinate_unit(s, i); };
  const auto rate_unit = [&](int i) { return coordinate_unit(s, i, 1); };
  const auto name = [&](int i) { return s.position_name(i); };
  const auto rate_name = [&](int i) { return s.position_name(i) + "'"; };
  const auto row_name = [&](int i) { return s.constraint_name(i); };
  const Energies energy = energies(run, s, states);
  return json::Object()
      .add("t", json::numbers(t))
      .add("states", std::to_string(path.size()))
      .add("coordinates", group(
                              n, name, unit, [&](std::size_t k) { return path.q(k); }, &StateError::q))
      .add("velocities", group(
                             n, rate_name, rate_unit, [&](std::size_t k) { return path.v(k); }, &StateError::v))
      .add("multipliers", group(
                              m, row_name, no_unit, [&](std::size_t k) { return path.lambda(k); }, &StateError::lambda))
      .add("errors", errors_json(run, errors, s))
      .add("n", std::to_string(n))
      .add("m", std::to_string(m))
      .add("violations", m > 0 ? curve_list(violations(run, s, states)) : "[]")
      .add("energies", curve_list(energy.of_elements))
      .add("energy_change", curve_list(energy.change))
      .add("steps", json::Object()
                        .add("t", json::numbers(step_end))
                        .add("h", json::numbers(step))
                        .add("order", json::numbers(order))
                        .str())
      .str();
}

/// Returns the states in which a coordinate of `shown` is smallest or largest, or its rate has its largest magnitude.
std::vector<std::size_t> extreme_states(const Trajectory& path, const std::vector<int>& shown) {
  std::vector<std::size_t> states;
  for (const int i : shown) {
    std::size_t low = 0, high = 0, fast = 0;
    for (std::size_t k = 1; k < path.size(); ++k) {
      if (path.q(k)[i] < path.q(low)[i]) low = k;
      if (path.q(k)[i] > path.q(high)[i]) high = k;
      if (std::abs(path.v(k)[i]) > std::abs(path.v(fast)[i])) fast = k;
    }
    for (const std::size_t k : {low, high, fast}) states.push_back(k);
  }
  std::sort(states.begin(), states.end());
  return states;
}

std::vector<std::size_t> all_states(const Trajectory& path) {
  std::vector<std::size_t> states(path.size());
  std::iota(states.begin(), states.end(), std::size_t{0});
  return states;
}

std::string ranges_json(const Simulation& run, const MechanicalSystem& system) {
  const Trajectory& path = run.trajectory;
  if (path.empty()) return json::list({});
  const double unresolved = std::max(run.report.max_position_violation, few_roundings * run.report.max_position);
  std::vector<int> shown;
  for (int i = 0; i < system.num_positions() && shown.size() < most_curves; ++i) {
    if (coordinate_unit(system, i) != "1") shown.push_back(i);  // no Euler parameters
  }
  const auto count = static_cast<Eigen::Index>(shown.size());
  const auto values_of = [&](const auto& q, const auto& v) {  // positions, then rates
    Eigen::VectorXd values(2 * count);
    for (Eigen::Index i = 0; i < count; ++i) {
      values[i] = q[shown[static_cast<std::size_t>(i)]];
      values[count + i] = v[shown[static_cast<std::size_t>(i)]];
    }
    return values;
  };
  std::vector<Sample> samples;
  const bool between = has_every_step(run) && path.size() <= most_sampled_steps;
  for (const std::size_t k : between ? all_states(path) : extreme_states(path, shown))
    samples.push_back({path.t(k), values_of(path.q(k), path.v(k))});
  std::vector<Extreme> wanted;
  for (Eigen::Index i = 0; i < 2 * count; ++i) {
    for (const double sign : {1.0, -1.0}) wanted.push_back({i, sign});
  }
  const CredibleMotion motion(run, system);
  if (between)
    add_samples_within_steps(samples, times_within_steps(path), wanted, [&](double t) {
      return motion.holds_at(t) ? values_of(path.position_at(t), path.velocity_at(t)) : Eigen::VectorXd();
    });
  std::vector<std::string> list;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto less = [i](const Sample& a, const Sample& b) { return a.values[i] < b.values[i]; };
    const auto [least, largest] = std::minmax_element(samples.begin(), samples.end(), less);
    Peak rate;
    for (const Sample& sample : samples) rate.see(sample.values[count + i], sample.t);
    const double low = least->values[i], high = largest->values[i];
    if (!(high - low > unresolved)) continue;  // rest
    const int coordinate = shown[static_cast<std::size_t>(i)];
    list.push_back(json::list(
        {json::text(system.position_name(coordinate)), json::text(coordinate_unit(system, coordinate)),
         json::number(low), json::number(least->t), json::number(high), json::number(largest->t),
         json::number(rate.value), json::number(rate.t), json::text(coordinate_unit(system, coordinate, 1))}));
  }
  return json::list(list);
}

std::string title_of(const MechanicalSystem& system, const std::string& what) {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> names;
  for (const NamedBlock& block : system.blocks()) {
    if (block.size > 1) names.push_back(block.name);
  }
  for (int i = 0; names.empty() && i < system.num_positions(); ++i) names.push_back(system.position_name(i));
  if (names.size() > most_named + 1) {
    const std::string more = std::to_string(names.size() - most_named) + " more";
    names.resize(most_named);
    names.push_back(more);
  }
  std::string title = what + " of " + names.front();
  for (std::size_t k = 1; k < names.size(); ++k) title += (k + 1 < names.size() ? ", " : " and ") + names[k];
  return title;
}

}  // namespace sunlagrange::internal
