// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "base/json.hpp"
#include "page/forces.hpp"
#include "results/between_steps.hpp"

/// Forces of joints and drives along a run.
namespace sunlagrange::internal {
namespace {

/// Returns some states of the path: at most `most` and those at which a multiplier is largest, in order of time.
std::vector<std::size_t> states_of_forces(const Trajectory& path, std::size_t most) {
  std::vector<std::size_t> states = sampled_states(path.size(), most);
  std::vector<double> largest_of(static_cast<std::size_t>(path.num_constraints()), 0.0);
  std::vector<std::size_t> at(largest_of.size(), 0);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto lambda = path.lambda(k);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double size = std::abs(lambda[static_cast<Eigen::Index>(i)]);
      if (!(size > largest_of[i])) continue;
      largest_of[i] = size;
      at[i] = k;
    }
  }
  if (at.size() <= most) states.insert(states.end(), at.begin(), at.end());
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

using ValuesAt = std::function<Eigen::VectorXd(const MotionState&, const Violations&)>;

/// Returns values at some of the recorded states, but for those at which they are unknown.
std::vector<Sample> recorded_samples(const Simulation& run, const ValuesAt& values_at) {
  const Trajectory& path = run.trajectory;
  const auto known = [](double x) { return std::isfinite(x) ? x : 0.0; };
  const Violations violations{known(run.report.max_position_violation), known(run.report.max_velocity_violation)};
  constexpr std::size_t most_samples = 400;
  std::vector<Sample> samples;
  for (const std::size_t k : states_of_forces(path, most_samples)) {
    Eigen::VectorXd values = values_at({path.t(k), path.q(k), path.v(k), path.a(k), path.lambda(k)}, violations);
    if (values.size() > 0) samples.push_back({path.t(k), std::move(values)});
  }
  return samples;
}

/// Adds values within long steps and at the extreme values, if the states between the steps are known.
void add_states_between(std::vector<Sample>& samples, const Simulation& run,
                        const std::shared_ptr<const MechanicalSystem>& system, const std::vector<Extreme>& wanted,
                        const ValuesAt& values_at) {
  if (!has_states_between_steps(run, system)) return;
  const CredibleMotion motion(run, *system);
  InterpolatedStates between(run.trajectory, system);
  add_samples_within_steps(samples, times_within_long_steps(run.trajectory), wanted, [&](double t) {
    const bool known = motion.holds_at(t) && between.at(t) == EvaluationResult::ok;
    return known ? values_at(between.state(), between.violations()) : Eigen::VectorXd();
  });
}

/// Returns the rounding of the multipliers relative to the largest of them: few_roundings times the condition number of
/// the saddle-point system, 1 / (smallest singular value)^2. More than the root of the rounding says nothing.
double rounding_of_forces(const Report& report) {
  const double weakest = report.smallest_singular_value;
  const double most = std::sqrt(std::numeric_limits<double>::epsilon());
  return weakest > 0.0 ? std::min(few_roundings / (weakest * weakest), most) : few_roundings;
}

}  // namespace

std::vector<JointCurves> joint_curves(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                                      std::vector<double>& times) {
  constexpr std::size_t most_joints = 60;
  std::vector<JointCurves> joints;
  if (!system->motion_law().has_forces || system->num_constraints() == 0) return joints;
  const auto count = [&joints](const std::vector<JointForce>& forces) {
    for (const JointForce& f : forces) {
      if (joints.size() < most_joints) joints.push_back({f.joint, f.body});
    }
  };
  // The sizes of force and torque of each joint, then their components, and the bound of the torque.
  constexpr Eigen::Index numbers = 9, peaks = 2;
  const auto values_at = [&](const MotionState& s, const Violations& violations) {
    const Drawing drawing = draw(*system, s.t, s.q);
    const std::vector<JointForce> forces = joint_forces(system, s.t, s.q, s.v, s.lambda);
    if (joints.empty()) count(forces);
    Eigen::VectorXd values;
    if (forces.size() < joints.size()) return values;  // an element declined the state
    const auto joint_count = static_cast<Eigen::Index>(joints.size());
    values.resize(numbers * joint_count);
    for (Eigen::Index i = 0; i < joint_count; ++i) {
      JointCurves& joint = joints[static_cast<std::size_t>(i)];
      const JointForce& f = forces[static_cast<std::size_t>(i)];
      const std::optional<Eigen::Vector3d> place = drawing.place_of_joint(joint.joint);
      joint.about_joint = place.has_value();
      joint.unique = joint.unique && f.unique;
      const Eigen::Vector3d torque = place ? f.torque_about(*place) : f.torque;
      const double reach = place ? place->norm() + (*place - f.point).norm() : 0.0;
      // The other body has the place elsewhere, by as much as the three rows of the joint are off.
      const double off = place ? std::sqrt(3.0) * violations.position : 0.0;
      const double bound = f.force.norm() * (off + few_roundings * reach) + few_roundings * f.torque.norm();
      values.segment<peaks>(peaks * i) << f.force.norm(), torque.norm();
      values.segment<numbers - peaks>(peaks * joint_count + (numbers - peaks) * i) << f.force, torque, bound;
    }
    return values;
  };
  std::vector<Sample> samples = recorded_samples(run, values_at);
  std::vector<Extreme> wanted;
  for (Eigen::Index i = 0; i < peaks * static_cast<Eigen::Index>(joints.size()); ++i) wanted.push_back({i, 1.0});
  add_states_between(samples, run, system, wanted, values_at);
  for (const Sample& sample : samples) {
    times.push_back(sample.t);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      JointCurves& joint = joints[i];
      const auto sizes = static_cast<Eigen::Index>(peaks * i);
      const auto first = static_cast<Eigen::Index>(peaks * joints.size() + (numbers - peaks) * i);
      for (std::size_t j = 0; j < 6; ++j)
        joint.numbers[j].push_back(sample.values[first + static_cast<Eigen::Index>(j)]);
      joint.force.see(sample.values[sizes], sample.t);
      joint.torque.see(sample.values[sizes + 1], sample.t);
      joint.torque_bound = std::max(joint.torque_bound, sample.values[first + 6]);
    }
  }
  return joints;
}

std::string joints_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  std::vector<double> times;
  const std::vector<JointCurves> joints = joint_curves(run, system, times);
  if (joints.empty()) return "null";
  double force = 0.0, torque = 0.0;
  for (const JointCurves& j : joints) {
    force = std::max(force, j.force.value);
    if (j.torque.value > j.torque_bound) torque = std::max(torque, j.torque.value);
  }
  const double rounding = rounding_of_forces(run.report);
  std::vector<std::string> list;
  for (const JointCurves& j : joints) {
    json::Object object;
    object.add("joint", json::text(j.joint)).add("body", json::text(j.body));
    object.add("about", json::text(j.about_joint ? "the joint" : "the reference point of the body"));
    object.add("unique", j.unique ? "true" : "false");
    object.add("largest_force", j.force.json()).add("largest_torque", j.torque.json());
    object.add("force_bound", json::number(rounding * force));
    object.add("torque_bound", json::number(j.torque_bound + rounding * torque));
    const char* const names[] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    for (std::size_t i = 0; i < 6; ++i) object.add(names[i], json::numbers(j.numbers[i]));
    list.push_back(object.str());
  }
  return json::Object()
      .add("t", json::numbers(times))
      .add("states", std::to_string(run.trajectory.size()))
      .add("list", json::list(list))
      .str();
}

namespace {

/// Returns the force that an element exerts on one coordinate, or between two of the same kind.
std::optional<double> exerted(const ElementPower& element) {
  const auto& on = element.variables;
  if (on.empty() || on.size() > 2 || !on.back().domain) return std::nullopt;
  if (on.size() == 2) {
    const double sum = on[0].effort + on[1].effort, size = on[0].effort_size + on[1].effort_size;
    if (on[0].domain != on[1].domain || std::abs(sum) > few_roundings * size) return std::nullopt;
  }
  return -on.back().effort;
}

}  // namespace

std::vector<Drive> drives_of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                             std::vector<double>& times) {
  std::vector<Drive> drives;
  if (!system->motion_law().has_forces) return drives;
  // Rates that move nothing beyond the rounding of places along the run.
  const Trajectory& path = run.trajectory;
  const double duration = path.empty() ? 0.0 : path.t(path.size() - 1) - path.t(0);
  const double rest = duration > 0.0 ? 8.0 * few_roundings * run.report.max_position / duration : 0.0;
  // A force that takes power, and vanishes with the velocities, is damping.
  constexpr double slow = 1e-6, vanishing = 1e-3;
  // Effort and power of each element.
  const auto values_at = [&](const MotionState& state, const Violations& violations) {
    Eigen::VectorXd values;
    if (!state.a.allFinite() || !state.lambda.allFinite()) return values;
    const PowerBalance balance = power_balance(*system, state);
    if (!balance.status.finished()) return values;
    if (drives.empty()) {
      for (const ElementPower& e : balance.elements)
        drives.push_back({e.name, exerted(e) ? units_of(*e.variables.back().domain).effort : ""});
    }
    values.resize(2 * static_cast<Eigen::Index>(drives.size()));
    std::optional<PowerBalance> slowed;
    const auto force_at_rest_works = [&](std::size_t i) {
      if (!slowed) slowed = power_balance(*system, {state.t, state.q, slow * state.v, state.a, state.lambda});
      if (!slowed->status.finished()) return true;
      return std::abs(slowed->elements[i].supplied) > vanishing * slow * std::abs(balance.elements[i].supplied);
    };
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const ElementPower& e = balance.elements[i];
      double size = 0.0, size_at_rest = 0.0;
      for (const UnifiedVariables& on : e.variables) {
        size += on.effort_size * std::abs(on.flow);
        size_at_rest += on.effort_size * rest;
      }
      double reactions = 0.0;  // those of rows at rest do work by the violation of velocities only
      const std::vector<int> rows = system->constraint_rows(e.name);
      for (const int row : rows) reactions += std::abs(state.lambda[row]);
      if (rows.empty()) reactions = state.lambda.lpNorm<1>();  // a model that is one element names its rows itself
      const double rounding = few_roundings * size + size_at_rest;
      drives[i].works = drives[i].works || std::abs(e.prescribed) > reactions * violations.velocity + rounding ||
                        e.supplied > rounding || (e.supplied < -rounding && force_at_rest_works(i));
      const auto first = 2 * static_cast<Eigen::Index>(i);
      values[first] = exerted(e).value_or(unknown_value);
      values[first + 1] = e.prescribed + e.supplied;
    }
    return values;
  };
  std::vector<Sample> samples = recorded_samples(run, values_at);
  std::vector<Extreme> wanted;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (!drives[i].works) continue;
    for (const Eigen::Index part : {0, 1}) {
      for (const double sign : {1.0, -1.0}) wanted.push_back({2 * static_cast<Eigen::Index>(i) + part, sign});
    }
  }
  add_states_between(samples, run, system, wanted, values_at);
  for (const Sample& sample : samples) {
    times.push_back(sample.t);
    for (std::size_t i = 0; i < drives.size(); ++i) {
      Drive& drive = drives[i];
      const double effort = sample.values[2 * static_cast<Eigen::Index>(i)];
      const double power = sample.values[2 * static_cast<Eigen::Index>(i) + 1];
      drive.effort.push_back(effort);
      drive.power.push_back(power);
      if (!std::isnan(effort)) drive.largest_effort.see(effort, sample.t);
      if (drive.power.size() == 1 || power > drive.largest_power.value) drive.largest_power = {power, sample.t};
      if (drive.power.size() == 1 || power < drive.least_power.value) drive.least_power = {power, sample.t};
    }
  }
  drives.erase(std::remove_if(drives.begin(), drives.end(), [](const Drive& drive) { return !drive.works; }),
               drives.end());
  return drives;
}

std::string drives_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  constexpr std::size_t most_drives = 20;
  std::vector<double> times;
  std::vector<std::string> list;
  for (const Drive& drive : drives_of(run, system, times)) {
    if (list.size() == most_drives) break;
    list.push_back(json::Object()
                       .add("name", json::text(drive.name))
                       .add("unit", json::text(drive.unit))
                       .add("effort", json::numbers(drive.effort))
                       .add("power", json::numbers(drive.power))
                       .add("largest_effort", drive.largest_effort.json())
                       .add("largest_power", drive.largest_power.json())
                       .add("least_power", drive.least_power.json())
                       .str());
  }
  if (list.empty()) return "null";
  return json::Object().add("t", json::numbers(times)).add("list", json::list(list)).str();
}

}  // namespace sunlagrange::internal
