// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/simulation/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <unordered_map>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/active_constraints.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "base/numerics.hpp"
#include "base/problems.hpp"
#include "base/words.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"
#include "simulation/options.hpp"
#include "simulation/run.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

std::string end_of_names(const std::vector<std::string>& names, const std::vector<std::string>& own) {
  if (names.size() != own.size())
    return std::to_string(names.size()) + " there, " + std::to_string(own.size()) + " here";
  const auto differs = std::mismatch(names.begin(), names.end(), own.begin());
  return differs.first == names.end() ? "" : "\"" + *differs.first + "\" there, \"" + *differs.second + "\" here";
}

/// Returns "element (coordinates)" for every element.
std::vector<std::string> elements_of(const MechanicalSystem& system) {
  std::vector<std::string> all;
  for (int k = 0; k < system.num_elements(); ++k) {
    const auto [group, position] = system.element(k);
    all.push_back(system.element_name(k) + " (" +
                  joined(group->coordinates_of(position), [&](int i) { return system.position_name(i); }) + ")");
  }
  return all;
}

/// Adds a problem if names differ between the checkpoint and this run.
void check_same(const char* what, const std::vector<std::string>& names, const std::vector<std::string>& own,
                const char* advice, std::string& problems) {
  const std::string difference = end_of_names(names, own);
  if (!difference.empty()) problems += std::string(what) + ": " + difference + "; " + advice + "\n";
}

/// Returns a number with the digits that two different ones differ in.
std::string digits(double value) {
  std::ostringstream words;
  words << std::setprecision(17) << value;
  return words.str();
}

/// Adds the first parameter that has another value; files of older versions have none.
void check_parameters(const Checkpoint& c, const std::vector<std::pair<std::string, double>>& own,
                      std::string& problems) {
  if (c.parameters.empty()) return;
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && (a.second == b.second || (std::isnan(a.second) && std::isnan(b.second)) ||
                                  std::abs(a.second - b.second) <= rounding_of_runs * std::abs(b.second));
  };
  const auto [there, here] = std::mismatch(c.parameters.begin(), c.parameters.end(), own.begin(), own.end(), same);
  if (there == c.parameters.end() && here == own.end()) return;
  const auto words = [](auto parameter, auto end) {
    if (parameter == end) return std::string("no further one");
    return "\"" + parameter->first + "\" = " + digits(parameter->second);
  };
  problems += "parameters: " + words(there, c.parameters.end()) + " there, " + words(here, own.end()) +
              " here; give the mechanism that it was saved from, or begin another run from its state\n";
}

/// Adds what contradicts itself: the time of the state and that of the report, and rows that nothing switched off.
void check_state(const Checkpoint& c, const MechanicalSystem& system, std::string& problems) {
  const char* const advice =
      "; the checkpoint was changed: give it as save() made it, or begin another run from its state\n";
  if (c.state.t != c.report.t_reached)
    problems += "state.t = " + digits(c.state.t) +
                ", but the statistics say t_reached = " + digits(c.report.t_reached) + advice;
  if (!c.events.empty()) return;
  std::vector<bool> active(c.active.size(), true);
  for (const int row : find_constraint_rows(system, c.options.inactive_constraints, "inactive_constraints"))
    active[static_cast<std::size_t>(row)] = false;
  for (std::size_t row = 0; row < active.size(); ++row) {
    if (c.active[row] == active[row]) continue;
    problems += "active: constraint \"" + c.constraints[row] + "\" is switched " + (c.active[row] ? "on" : "off") +
                ", but the run has no events and the options have it " + (active[row] ? "on" : "off") + advice;
  }
}

template <class List, class Name>
std::vector<std::string> names_of(const List& list, Name&& name) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(name(entry));
  return names;
}

}  // namespace

struct Stepper::Parts {
  Parts(const std::shared_ptr<const MechanicalSystem>& given, SimulationOptions requested)
      : options(std::move(requested)), system(bound(given, binder)), wanted(values().begin(), values().end()) {
    if (options.estimate_error)
      throw Error("Stepper: estimate_error compares whole runs from one start to one end; simulate() does that");
  }

  static std::shared_ptr<const MechanicalSystem> bound(const std::shared_ptr<const MechanicalSystem>& system,
                                                       InputBinder& binder) {
    require_system(system, "Stepper");
    return with_inputs(system, binder);
  }

  std::deque<double>& values() { return *binder.values(); }

  /// Gives the values that were set to the elements.
  void apply() {
    if (!pending) return;
    pending = false;
    const std::deque<double> before = values();
    std::copy(wanted.begin(), wanted.end(), values().begin());
    try {
      run->jump();
    } catch (...) {
      std::copy(before.begin(), before.end(), values().begin());
      wanted.assign(before.begin(), before.end());
      throw;
    }
    evaluated_at = NAN;
  }

  /// Takes over the inputs that events have set.
  void accept_inputs() { wanted.assign(values().begin(), values().end()); }

  const std::vector<std::pair<std::string, double>>& parameters();
  void check(const Checkpoint& c);
  void resume(const Checkpoint& c);
  double energy();
  const std::vector<JointForce>& joints();
  void find_outputs();

  SimulationOptions options;
  InputBinder binder;
  std::shared_ptr<const MechanicalSystem> system;
  std::vector<double> wanted;  // inputs, as they were set
  bool pending = false;
  std::unique_ptr<Run> run;

  enum class Kind { position, rate, acceleration, multiplier, energy, input, force, torque };
  struct Output {
    Kind kind;
    int index = 0;  // of forces: 3 joint + axis
  };
  std::vector<std::string> names;
  std::unordered_map<std::string, Output> outputs;
  MotionState at;
  double evaluated_at = NAN;  // time of `at` [s]
  std::vector<JointForce> joint_forces;
  double forces_at = NAN;
  std::unique_ptr<Workspace> workspace;
  std::vector<std::pair<std::string, double>> known_parameters;
  bool parameters_known = false;
};

const std::vector<std::pair<std::string, double>>& Stepper::Parts::parameters() {
  if (!parameters_known) known_parameters = constant_parameters(*system);
  parameters_known = true;
  return known_parameters;
}

void Stepper::Parts::check(const Checkpoint& c) {
  std::string problems;
  std::vector<std::string> positions, constraints;
  for (int i = 0; i < system->num_positions(); ++i) positions.push_back(system->position_name(i));
  for (int i = 0; i < system->num_constraints(); ++i) constraints.push_back(system->constraint_name(i));
  const char* other = "give the mechanism that it was saved from";
  check_same("coordinates", c.positions, positions, other, problems);
  check_same("constraints", c.constraints, constraints, other, problems);
  if (!c.elements.empty()) check_same("elements", c.elements, elements_of(*system), other, problems);
  check_parameters(c, parameters(), problems);
  check_same("inputs", names_of(c.inputs, [](const auto& input) { return input.first; }), binder.names(), other,
             problems);
  check_same("events", names_of(c.events, [](const EventMemory& e) { return e.name; }),
             names_of(options.events, [](const Event& e) { return e.name; }),
             "give the events of the run in options.events", problems);
  if (c.active.size() != c.constraints.size())
    problems += "active: " + std::to_string(c.active.size()) + " entries, " + std::to_string(c.constraints.size()) +
                " constraints; it was not made by save()\n";
  if (problems.empty()) check_state(c, *system, problems);
  throw_if_any(problems, "the checkpoint does not fit");
}

void Stepper::Parts::resume(const Checkpoint& c) {
  check(c);
  SimulationOptions with = options;
  if (with.formulation == "automatic") {  // the choice at the start, not a new one
    with.formulation = c.options.formulation;
    if (with.integrator == "automatic") with.integrator = c.options.integrator;
  }
  const std::deque<double> before = values();
  for (std::size_t k = 0; k < c.inputs.size(); ++k) values()[k] = c.inputs[k].second;
  try {
    Trajectory none(system->num_positions(), system->num_constraints());
    run = std::make_unique<Run>(system, binder, c, with, run != nullptr ? run->trajectory() : none);
  } catch (...) {
    std::copy(before.begin(), before.end(), values().begin());
    throw;
  }
  wanted.assign(values().begin(), values().end());
  pending = false;
  evaluated_at = NAN;
}

double Stepper::Parts::energy() {
  if (workspace == nullptr) workspace = make_workspace(*system, Storage::sparse);
  const bool accepted =
      evaluate_system(*system, request::energy, {at.t, at.q.data(), at.v.data(), nullptr, nullptr}, *workspace);
  return accepted ? workspace->energy : NAN;
}

const std::vector<JointForce>& Stepper::Parts::joints() {
  if (forces_at != evaluated_at || std::isnan(forces_at))
    joint_forces = sunlagrange::joint_forces(system, at.t, at.q, at.v, at.lambda);
  forces_at = evaluated_at;
  return joint_forces;
}

void Stepper::Parts::find_outputs() {
  const auto add = [this](const std::string& name, Output output) {
    if (outputs.emplace(name, output).second) names.push_back(name);
  };
  const int n = system->num_positions();
  const char* primes[] = {"", "'", "''"};
  for (const Kind kind : {Kind::position, Kind::rate, Kind::acceleration}) {
    for (int i = 0; i < n; ++i) add(system->position_name(i) + primes[static_cast<int>(kind)], {kind, i});
  }
  for (int i = 0; i < system->num_constraints(); ++i)
    add("lambda:" + system->constraint_name(i), {Kind::multiplier, i});
  if (system->energy_known()) add("energy", {Kind::energy});
  for (std::size_t k = 0; k < binder.names().size(); ++k) add(binder.names()[k], {Kind::input, static_cast<int>(k)});
  if (!system->motion_law().has_forces) return;
  int index = 0;
  for (const JointForce& joint : joints()) {
    for (const char* axis : {"x", "y", "z"}) {
      add("force:" + joint.joint + ":" + joint.body + "." + axis, {Kind::force, index});
      add("torque:" + joint.joint + ":" + joint.body + "." + axis, {Kind::torque, index});
      ++index;
    }
  }
}

Stepper::Stepper(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                 const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(system, options)) {
  parts_->run = std::make_unique<Run>(parts_->system, parts_->binder, given, options);
}

Stepper::Stepper(const std::shared_ptr<const MechanicalSystem>& system, const Checkpoint& checkpoint,
                 const SimulationOptions& options)
    : parts_(std::make_unique<Parts>(system, options)) {
  parts_->resume(checkpoint);
}

Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

Stepper::Parts& Stepper::parts() const {
  if (parts_ == nullptr || parts_->run == nullptr)
    throw Error(
        "Stepper: the run was finished, or moved away: read what finish() returned, or make another Stepper, e.g. of a "
        "Checkpoint of save()");
  return *parts_;
}

double Stepper::time() const {
  return parts().run->time();
}
const Status& Stepper::status() const {
  return so_far().status;
}
bool Stepper::over() const {
  return parts().run->over();
}
const Simulation& Stepper::so_far() const {
  return parts().run->so_far();
}

bool Stepper::step() {
  Parts& p = parts();
  p.apply();
  const bool stepped = p.run->step(p.run->t_end());
  p.accept_inputs();
  return stepped;
}

bool Stepper::advance_to(double t, const std::function<bool(Stepper&)>& observer) {
  Parts& p = parts();
  if (!(t >= time()) || !(t <= p.run->t_end())) {
    throw Error("advance_to(" + text(t) + "): must be at least the time that is reached, " + text(time()) +
                ", and at most options.t_end = " + text(p.run->t_end()));
  }
  const double nearest = shortest_interval(t);
  if (t > time() && t - time() < nearest) {
    throw Error("advance_to(" + text(t) + "): lies " + text(t - time()) +
                " s ahead; the digits of t allow no less than " + text(nearest));
  }
  while (time() < t) {
    p.apply();
    const bool stepped = p.run->step(t);
    p.accept_inputs();
    if (!stepped) break;
    if (observer && !observer(*this)) break;
  }
  return time() >= t && status().finished();
}

std::vector<std::string> Stepper::inputs() const {
  return parts().binder.names();
}

void Stepper::set(const std::string& input, double value) {
  Parts& p = parts();
  const std::vector<std::string>& names = p.binder.names();
  const auto found = std::find(names.begin(), names.end(), input);
  if (found == names.end()) {
    if (names.empty())
      throw Error("set(\"" + input + "\"): the system has no inputs; give an element an Input as its law (laws.hpp)");
    throw_unknown("input", input, {names.begin(), names.end()});
  }
  if (!std::isfinite(value)) throw Error("set(\"" + input + "\"): " + text(value) + " is not finite");
  p.wanted[static_cast<std::size_t>(found - names.begin())] = value;
  p.pending = !std::equal(p.wanted.begin(), p.wanted.end(), p.values().begin());
}

std::vector<std::string> Stepper::outputs() {
  state();
  if (parts().names.empty()) parts().find_outputs();
  return parts().names;
}

double Stepper::read(const std::string& output) {
  Parts& p = parts();
  if (p.names.empty()) outputs();
  const auto found = p.outputs.find(output);
  if (found == p.outputs.end()) throw_unknown("output", output, {p.names.begin(), p.names.end()});
  const auto [kind, index] = found->second;
  if (kind == Parts::Kind::input) return p.wanted[static_cast<std::size_t>(index)];
  p.apply();
  if (p.evaluated_at != time()) state();
  switch (kind) {
    case Parts::Kind::position:
      return p.at.q[index];
    case Parts::Kind::rate:
      return p.at.v[index];
    case Parts::Kind::acceleration:
      return p.at.a[index];
    case Parts::Kind::multiplier:
      return p.at.lambda[index];
    case Parts::Kind::energy:
      return p.energy();
    case Parts::Kind::input:
      break;
    case Parts::Kind::force:
      return p.joints()[static_cast<std::size_t>(index / 3)].force[index % 3];
    case Parts::Kind::torque:
      return p.joints()[static_cast<std::size_t>(index / 3)].torque[index % 3];
  }
  return NAN;
}

MotionState Stepper::state() {
  Parts& p = parts();
  p.apply();
  p.at = p.run->state();
  p.evaluated_at = time();
  p.forces_at = NAN;
  return p.at;
}

Checkpoint Stepper::save() {
  Parts& p = parts();
  p.apply();
  Checkpoint c = p.run->save();
  c.elements = elements_of(*p.system);
  c.parameters = p.parameters();
  for (std::size_t k = 0; k < p.wanted.size(); ++k) c.inputs.emplace_back(p.binder.names()[k], p.wanted[k]);
  return c;
}

void Stepper::restore(const Checkpoint& checkpoint) {
  parts().resume(checkpoint);
}

Simulation Stepper::finish() {
  Parts& p = parts();
  Simulation simulation = p.run->finish();
  p.run.reset();
  return simulation;
}

}  // namespace sunlagrange
