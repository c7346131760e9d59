// SPDX-License-Identifier: BSD-3-Clause
#include "study/observed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>

namespace sunlagrange::internal {
namespace {

bool take(std::string& words, const std::string& beginning) {
  if (words.compare(0, beginning.size(), beginning) != 0) return false;
  words.erase(0, beginning.size());
  return true;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Observed::Observed(const MechanicalSystem& system, const std::string& words) : words_(words) {
  std::string name = words;
  const std::pair<const char*, Kind> kinds[] = {{"final ", Kind::final},
                                                {"least ", Kind::least},
                                                {"largest ", Kind::largest},
                                                {"integral ", Kind::integral},
                                                {"mean ", Kind::mean}};
  const auto found =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return take(name, k.first); });
  if (found == std::end(kinds))
    throw Error("observe \"" + words + "\": begin with final, least, largest, integral or mean, e.g. \"largest " +
                (system.num_positions() > 0 ? system.position_name(0) : "x") + "\"");
  kind_ = found->second;
  square_ = take(name, "square ");
  const bool integrates = kind_ == Kind::integral || kind_ == Kind::mean;
  power_ = take(name, "power:");
  if (power_ || take(name, "force:")) {
    if (!system.motion_law().has_forces) throw Error("observe \"" + words + "\": a kinematic program has no forces");
    const auto generic = [](const NamedBlock& block) { return block.kind == BlockKind::generic; };
    if (!power_ && std::all_of(system.blocks().begin(), system.blocks().end(), generic))
      throw Error("observe \"" + words +
                  "\": the coordinates have no kind, so that forces on them have no direction; "
                  "observe multipliers, lambda:ROW");
    std::vector<std::string> known;
    for (int i = 0; i < system.num_elements(); ++i) {
      if (power_ || !system.constraint_rows(system.element_name(i)).empty()) known.push_back(system.element_name(i));
    }
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error("observe \"" + words + "\": no " + (power_ ? "element" : "joint") + " is called \"" + name + "\"" +
                  did_you_mean(name, known));
    element_ = name;
    unit_ = power_ ? "W" : "N";
  } else {
    try {
      output_ = motion_output(system, name);
    } catch (const Error& error) {
      throw Error("observe \"" + words + "\": " + error.what() + "; or force:JOINT, power:ELEMENT");
    }
    unit_ = unit_of(*output_, system);
  }
  using Part = MotionOutput::Part;
  const bool interpolated = output_ && (output_->part == Part::position || output_->part == Part::rate);
  if (integrates && !interpolated)
    throw Error("observe \"" + words +
                "\": integrals and means are those of coordinates and rates, which are known between the steps; ask "
                "for final, least or largest");
  if (!unit_.empty() && square_) unit_ = "(" + unit_ + ")^2";
  if (!unit_.empty() && kind_ == Kind::integral) unit_ += " s";
}

double Observed::value(const Trajectory& path, std::size_t k,
                       const std::shared_ptr<const MechanicalSystem>& system) const {
  double x = unknown;
  const MotionState state{path.t(k), path.q(k), path.v(k), path.a(k), path.lambda(k)};
  if (output_) {
    x = output_->row(state)[0];
  } else if (!state.lambda.allFinite()) {
    return x;
  } else if (power_) {
    const PowerBalance balance = power_balance(*system, state);
    for (const ElementPower& element : balance.elements) {
      if (element.name == element_ && balance.status.finished()) x = element.prescribed + element.supplied;
    }
  } else {
    for (const JointForce& f : joint_forces(system, state.t, state.q, state.v, state.lambda)) {
      if (f.joint == element_) x = std::fmax(x, f.force.norm());
    }
  }
  return square_ ? x * x : x;
}

/// Returns the integral over time by Gauss's rule with three points in each step, on the interpolated motion.
double Observed::integral(const Trajectory& path) const {
  const double off = std::sqrt(0.6), at[] = {-off, 0.0, off}, weight[] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
  double sum = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const double half = 0.5 * (path.t(k) - path.t(k - 1)), middle = path.t(k - 1) + half;
    if (!(half > 0.0)) continue;
    for (int i = 0; i < 3; ++i) {
      const double t = middle + half * at[i];
      const bool rate = output_->part == MotionOutput::Part::rate;
      const double x = (rate ? path.velocity_at(t) : path.position_at(t))[output_->index];
      sum += half * weight[i] * (square_ ? x * x : x);
    }
  }
  return sum;
}

double Observed::of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) const {
  const Trajectory& path = run.trajectory;
  if (path.empty()) return unknown;
  switch (kind_) {
    case Kind::final:
      return value(path, path.size() - 1, system);
    case Kind::integral:
      return integral(path);
    case Kind::mean: {
      const double duration = path.t(path.size() - 1) - path.t(0);
      return duration > 0.0 ? integral(path) / duration : unknown;
    }
    default:
      double extreme = unknown;
      for (std::size_t k = 0; k < path.size(); ++k) {
        const double x = value(path, k, system);
        extreme = kind_ == Kind::least ? std::fmin(extreme, x) : std::fmax(extreme, x);
      }
      return extreme;
  }
}

}  // namespace sunlagrange::internal
