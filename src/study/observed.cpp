// SPDX-License-Identifier: BSD-3-Clause
#include "study/observed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

bool take(std::string& words, const std::string& beginning) {
  if (words.compare(0, beginning.size(), beginning) != 0) return false;
  words.erase(0, beginning.size());
  return true;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Returns a state at which nothing vanishes by chance, with Euler parameters of length 1. It is not on the
/// constraints.
MotionState irregular_state(const MechanicalSystem& system) {
  MotionState state;
  const auto irregular = [](int count, double phase) {
    Eigen::VectorXd x(count);
    for (int i = 0; i < count; ++i) x[i] = 0.4 + 0.3 * std::sin(phase + 2.0 * i);
    return x;
  };
  state.q = irregular(system.num_positions(), 0.3);
  state.v = irregular(system.num_positions(), 1.1);
  state.lambda = irregular(system.num_constraints(), 1.7);
  for (const NamedBlock& block : system.blocks()) {
    if (block.kind == BlockKind::spatial_body) state.q.segment<4>(block.first + 3).normalize();
  }
  return state;
}

enum class Exerted { nothing_known, force, torque, both };

/// Returns what a joint exerts on bodies and points; nothing_known if the model declines the state.
Exerted exerted_by(const std::shared_ptr<const MechanicalSystem>& system, const std::string& joint) {
  const MotionState s = irregular_state(*system);
  double force = 0.0, torque = 0.0;
  try {
    for (const JointForce& f : joint_forces(system, s.t, s.q, s.v, s.lambda)) {
      if (f.joint != joint) continue;
      force += f.force.norm();
      torque += f.torque.norm();
    }
  } catch (...) {  // the state may be outside of the domain of an element
    return Exerted::nothing_known;
  }
  constexpr double rounding = 1e-12;
  const bool has_force = force > rounding * torque, has_torque = torque > rounding * force;
  if (!has_force && !has_torque) return Exerted::nothing_known;
  return !has_torque ? Exerted::force : !has_force ? Exerted::torque : Exerted::both;
}

enum class Passive { no, dissipates, stores };

/// Returns what an element without constraints does instead of supplying power; no if it may supply some.
Passive passive_part(const MechanicalSystem& system, const std::string& name, double t_end) {
  constexpr int times = 64;  // forces of a law may begin later
  if (!system.constraint_rows(name).empty()) return Passive::no;
  const MotionState s = irregular_state(system);
  bool stores = false, dissipates = false;
  ElementTerms terms;
  for (int e = 0; e < system.num_elements(); ++e) {
    if (system.element_name(e) != name) continue;
    for (int i = 0; i <= times; ++i) {
      try {
        if (!element_terms(system, e, t_end * i / times, s.q.data(), s.v.data(), terms)) return Passive::no;
      } catch (...) {  // the state may be outside of the domain of the element
        return Passive::no;
      }
      const double size = std::abs(terms.power) + std::abs(terms.dissipated);
      if (!terms.energy_known || std::abs(terms.power + terms.dissipated) > 1e-12 * size) return Passive::no;
      stores = stores || terms.energy != 0.0;
      dissipates = dissipates || terms.dissipated != 0.0;
    }
  }
  return dissipates ? Passive::dissipates : stores ? Passive::stores : Passive::no;
}

}  // namespace

Observed::Observed(const std::shared_ptr<const MechanicalSystem>& system, double t_end, const std::string& words)
    : words_(words) {
  std::string name = words;
  const std::pair<const char*, Kind> kinds[] = {{"final ", Kind::final},
                                                {"least ", Kind::least},
                                                {"largest ", Kind::largest},
                                                {"integral ", Kind::integral},
                                                {"mean ", Kind::mean}};
  const auto found =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return take(name, k.first); });
  if (found == std::end(kinds))
    refuse("begin with final, least, largest, integral or mean, e.g. \"largest " +
           (system->num_positions() > 0 ? system->position_name(0) : "x") + "\"");
  kind_ = found->second;
  square_ = take(name, "square ");
  const bool integrates = kind_ == Kind::integral || kind_ == Kind::mean;
  const std::pair<const char*, Quantity> quantities[] = {{"force:", Quantity::force},
                                                         {"torque:", Quantity::torque},
                                                         {"power:", Quantity::power},
                                                         {"dissipation:", Quantity::dissipation}};
  for (const auto& [beginning, quantity] : quantities) {
    if (!take(name, beginning)) continue;
    quantity_ = quantity;
    break;
  }
  if (quantity_ != Quantity::output) {
    read_element(system, t_end, name);
  } else {
    try {
      output_ = motion_output(*system, name);
    } catch (const Error& error) {
      refuse(error.what() + std::string("; or force:JOINT, torque:JOINT, power:ELEMENT, dissipation:ELEMENT"));
    }
    unit_ = unit_of(*output_, *system);
  }
  if (integrates && !is_interpolated())
    refuse(
        "integrals and means are those of coordinates and rates, which are known between the steps; ask for final, "
        "least or largest");
  if (!unit_.empty() && square_) unit_ = "(" + unit_ + ")^2";
  if (!unit_.empty() && kind_ == Kind::integral) unit_ += " s";
}

void Observed::refuse(const std::string& why) const {
  throw Error("observe \"" + words_ + "\": " + why);
}

void Observed::read_element(const std::shared_ptr<const MechanicalSystem>& system, double t_end,
                            const std::string& name) {
  if (!system->motion_law().has_forces) refuse("a kinematic program has no forces");
  const bool of_joint = quantity_ == Quantity::force || quantity_ == Quantity::torque;
  const auto generic = [](const NamedBlock& block) { return block.kind == BlockKind::generic; };
  if (of_joint && std::all_of(system->blocks().begin(), system->blocks().end(), generic))
    refuse("the coordinates have no kind, so that forces on them have no direction; observe multipliers, lambda:ROW");
  std::vector<std::string> known;
  for (int i = 0; i < system->num_elements(); ++i) {
    if (!of_joint || !system->constraint_rows(system->element_name(i)).empty())
      known.push_back(system->element_name(i));
  }
  if (std::find(known.begin(), known.end(), name) == known.end())
    refuse(std::string("no ") + (of_joint ? "joint" : "element") + " is called \"" + name + "\"" +
           did_you_mean(name, known));
  if (of_joint) {
    const Exerted exerted = exerted_by(system, name);
    if (quantity_ == Quantity::force && exerted == Exerted::torque)
      refuse("\"" + name + "\" exerts a torque and no force; observe torque:" + name);
    if (quantity_ == Quantity::torque && exerted == Exerted::force)
      refuse("\"" + name + "\" exerts a force and no torque; observe force:" + name);
  } else if (quantity_ == Quantity::power) {
    const Passive passive = passive_part(*system, name, t_end);
    if (passive == Passive::dissipates)
      refuse("\"" + name + "\" supplies no power, it dissipates; observe dissipation:" + name);
    if (passive == Passive::stores)
      refuse("\"" + name +
             "\" stores energy and supplies no power; observe power: of a drive or a force, or see "
             "energy_balance() for what is stored");
  }
  element_ = name;
  unit_ = quantity_ == Quantity::force ? "N" : quantity_ == Quantity::torque ? "N m" : "W";
}

bool Observed::is_interpolated() const {
  using Part = MotionOutput::Part;
  return output_ && (output_->part == Part::position || output_->part == Part::rate);
}

double Observed::value(const MotionState& state, const std::shared_ptr<const MechanicalSystem>& system) const {
  double x = unknown;
  if (output_) {
    x = output_->row(state)[0];
  } else if (!state.lambda.allFinite()) {
    return x;
  } else if (quantity_ == Quantity::force || quantity_ == Quantity::torque) {
    const std::optional<Eigen::Vector3d> place =
        quantity_ == Quantity::torque ? draw(*system, state.t, state.q).place_of_joint(element_) : std::nullopt;
    for (const JointForce& f : joint_forces(system, state.t, state.q, state.v, state.lambda)) {
      if (f.joint != element_) continue;
      const Eigen::Vector3d torque = place ? f.torque_about(*place) : f.torque;
      x = std::fmax(x, (quantity_ == Quantity::torque ? torque : f.force).norm());
    }
  } else {
    const PowerBalance balance = power_balance(*system, state);
    for (const ElementPower& element : balance.elements) {
      if (element.name != element_ || !balance.status.finished()) continue;
      x = quantity_ == Quantity::power ? element.prescribed + element.supplied : element.dissipated;
    }
  }
  return square_ ? x * x : x;
}

double Observed::interpolated(const Trajectory& path, double t) const {
  const bool rate = output_->part == MotionOutput::Part::rate;
  const double x = (rate ? path.velocity_at(t) : path.position_at(t))[output_->index];
  return square_ ? x * x : x;
}

/// Returns the integral over time by Gauss's rule with three points in each half of a step, on the interpolated motion.
double Observed::integral(const Trajectory& path) const {
  double sum = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    // Three points are exact for a polynomial of a step; two halves lessen the error of its square 64 times.
    for (int half = 0; half < 2 && h > 0.0; ++half) {
      for (const auto& [t, weight] : gauss_points(path.t(k - 1) + 0.5 * half * h, 0.5 * h))
        sum += weight * interpolated(path, t);
    }
  }
  return sum;
}

std::vector<Sample> Observed::samples(const Simulation& run,
                                      const std::shared_ptr<const MechanicalSystem>& system) const {
  const Trajectory& path = run.trajectory;
  const auto one = [](double x) -> Eigen::VectorXd { return Eigen::VectorXd::Constant(1, x); };
  const std::vector<Extreme> wanted = {{0, kind_ == Kind::least ? -1.0 : 1.0}};
  std::vector<Sample> list;
  for (std::size_t k = 0; k < path.size(); ++k) list.push_back({path.t(k), one(value(path.state(k), system))});
  if (is_interpolated() && has_every_step(run) && path.size() <= most_sampled_steps) {
    add_samples_within_steps(list, times_within_steps(path), wanted,
                             [&](double t) { return one(interpolated(path, t)); });
  } else if (has_states_between_steps(run, system)) {
    InterpolatedStates between(path, system);
    add_samples_within_steps(list, times_within_long_steps(path), wanted, [&](double t) {
      return between.at(t) == EvaluationResult::ok ? one(value(between.state(), system)) : Eigen::VectorXd();
    });
  }
  return list;
}

double Observed::of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) const {
  const Trajectory& path = run.trajectory;
  if (path.empty()) return unknown;
  switch (kind_) {
    case Kind::final:
      return value(path.state(path.size() - 1), system);
    case Kind::integral:
      return integral(path);
    case Kind::mean: {
      const double duration = path.t(path.size() - 1) - path.t(0);
      return duration > 0.0 ? integral(path) / duration : unknown;
    }
    default:
      double extreme = unknown;
      for (const Sample& sample : samples(run, system)) {
        const double x = sample.values[0];
        extreme = kind_ == Kind::least ? std::fmin(extreme, x) : std::fmax(extreme, x);
      }
      return extreme;
  }
}

}  // namespace sunlagrange::internal
