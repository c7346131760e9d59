// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/study/study.hpp>

#include <algorithm>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/model/start_values.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/results/report_json.hpp>

#include "files/figures_json.hpp"
#include "files/options_json.hpp"
#include "model/checks/required_system.hpp"
#include "model/coordinate_unit.hpp"
#include "study/observed.hpp"
#include "study/study_values.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

constexpr std::uint64_t most_cases = 100000000;

std::vector<std::string> option_names() {
  std::vector<std::string> names = {"tolerance"};
  const Json properties = options_schema()["properties"];
  for (const auto& option : properties.items()) {
    if (option.key() != "gains") names.push_back(option.key());
  }
  for (const auto& gain : properties["gains"]["properties"].items()) names.push_back("gains." + gain.key());
  return names;
}

/// Sets an option by its name: gains.K_D becomes {"gains": {"K_D": 2}}.
void put_option(Json& options, const std::string& name, const Json& value) {
  if (name == "tolerance")
    options["rtol"] = options["atol"] = value;
  else if (name.rfind("gains.", 0) == 0)
    options["gains"][name.substr(6)] = value;
  else
    options[name] = value;
}

}  // namespace

struct Study::Plan {
  MechanismFile base;
  std::vector<StudyAxis> axes;
  std::vector<Observed> observed;
  std::uint64_t samples = 1, seed = 1, grid = 1;

  StudyAxis axis_of(const Variation& said) const;
  std::vector<Json> values(std::uint64_t k) const;
  MechanismFile changed(const std::vector<const StudyAxis*>& which, const std::vector<Json>& values) const;
  void try_values(const StudyAxis& axis) const;
};

StudyAxis Study::Plan::axis_of(const Variation& said) const {
  StudyAxis axis;
  axis.said = said;
  axis.target = said.name;
  const std::vector<std::string> options = option_names();
  std::vector<std::string> known = options;
  const auto is = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), said.name) != names.end();
  };
  std::vector<std::string> parameters;
  for (const SystemParameter& parameter : system_parameters(*base.system)) {
    parameters.push_back(parameter.name);
    if (parameter.name == said.name) axis.unit = parameter.unit;
  }
  if (is({"t_end", "step", "max_step", "time_scale"})) axis.unit = "s";
  if (is(options)) return axis;
  axis.kind = Varied::parameter;
  if (is(parameters)) return axis;
  const bool start = said.name.size() > 3 && said.name.back() == ')' &&
                     (said.name.rfind("q(", 0) == 0 || said.name.rfind("v(", 0) == 0);
  if (start) {
    axis.kind = said.name.front() == 'q' ? Varied::position : Varied::velocity;
    axis.target = said.name.substr(2, said.name.size() - 3);
    try {
      static_cast<void>(StartValues(base.system)[axis.target]);
      const int i = base.system->position_indices(axis.target).front();
      axis.unit = coordinate_unit(*base.system, i, axis.kind == Varied::velocity ? 1 : 0);
    } catch (const Error& error) {
      refuse(said, error.what());
    }
    return axis;
  }
  if (said.name.find(',') != std::string::npos) {
    try {
      axis.unit = linked_parameters(*base.system, said.name).front().unit;
    } catch (const Error& error) {
      refuse(said, error.what());
    }
    return axis;
  }
  known.insert(known.end(), parameters.begin(), parameters.end());
  for (int i = 0; i < base.system->num_positions(); ++i) {
    for (const char* kind : {"q(", "v("}) known.push_back(kind + base.system->position_name(i) + ")");
  }
  std::string words;
  for (std::size_t i = 0; i < std::min<std::size_t>(parameters.size(), 10); ++i) words += parameters[i] + ", ";
  refuse(said, "\"" + said.name + "\" is not known" + did_you_mean(said.name, known) + "; name a parameter (" + words +
                   (parameters.empty() ? "there are none" : "...") +
                   "), a start value q(COORDINATE) or v(COORDINATE), or an option of model files (formulation, "
                   "tolerance, t_end, gains.K_D, ...)");
}

std::vector<Json> Study::Plan::values(std::uint64_t k) const {
  std::vector<Json> result(axes.size());
  const std::uint64_t sample = k / grid;
  std::uint64_t point = k % grid;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const StudyAxis& axis = axes[i];
    if (axis.draw != Draw::none) {
      result[i] = drawn(axis, seed, sample);
      continue;
    }
    result[i] = axis.values[point % axis.values.size()];
    point /= axis.values.size();
  }
  return result;
}

MechanismFile Study::Plan::changed(const std::vector<const StudyAxis*>& which, const std::vector<Json>& values) const {
  MechanismFile result = base;
  std::vector<std::pair<std::string, double>> parameters;
  Json options = Json::object();
  StartValues start(base.system);
  const InitialState& said = start.state();
  for (std::size_t i = 0; i < which.size(); ++i) {
    const StudyAxis& axis = *which[i];
    if (axis.kind == Varied::option) {
      put_option(options, axis.target, values[i]);
      continue;
    }
    if (!values[i].is_number()) refuse(axis.said, values[i].dump() + " is not a number");
    const double value = values[i].get<double>();
    if (axis.kind == Varied::parameter)
      parameters.emplace_back(axis.target, value);
    else if (axis.kind == Varied::position)
      start.fix(axis.target, value);
    else
      start.fix_velocity(axis.target, value);
  }
  if (!parameters.empty()) result.system = with_parameters(base.system, parameters);
  const auto hold = [&](const std::vector<std::string>& names, const Eigen::VectorXd& from, Eigen::VectorXd& to,
                        std::vector<std::string>& held) {
    if (to.size() == 0) to = from;
    for (const std::string& name : names) {
      const int i = base.system->position_indices(name).front();
      to[i] = from[i];
      if (std::find(held.begin(), held.end(), name) == held.end()) held.push_back(name);
    }
  };
  hold(said.fixed_positions, said.q, result.start.q, result.start.fixed_positions);
  hold(said.fixed_velocities, said.v, result.start.v, result.start.fixed_velocities);
  if (!options.empty()) read_options(result.options, options.dump(), "vary");
  return result;
}

/// Checks the listed values, and the ends or the mean of random ones, before anything runs.
void Study::Plan::try_values(const StudyAxis& axis) const {
  std::vector<Json> values = axis.values;
  if (axis.draw != Draw::none) values.emplace_back(axis.a);
  if (axis.draw == Draw::uniform || axis.draw == Draw::loguniform) values.emplace_back(axis.b);
  for (const Json& value : values) {
    if (axis.kind != Varied::option && !value.is_number()) refuse(axis.said, value.dump() + " is not a number");
    try {
      changed({&axis}, {value});
    } catch (const Error& error) {
      refuse(axis.said, error.what());
    }
  }
}

Study::Study(MechanismFile mechanism, const std::vector<Variation>& vary, std::uint64_t samples, std::uint64_t seed,
             const std::vector<std::string>& observe) {
  auto plan = std::make_shared<Plan>();
  require_system(mechanism.system, "Study");
  plan->base = std::move(mechanism);
  for (const std::string& words : observe)
    plan->observed.emplace_back(plan->base.system, plan->base.options.t_end, words);
  plan->base.options.record = observe.empty() ? Record::ends_only : Record::every_step;
  plan->seed = seed;
  bool random = false;
  for (const Variation& said : vary) {
    StudyAxis axis = plan->axis_of(said);
    for (const StudyAxis& other : plan->axes) {
      if (other.said.name == said.name) refuse(said, "this name stands there twice; give all its values at once");
      if (axis.kind != Varied::parameter || other.kind != Varied::parameter) continue;
      for (const SystemParameter& mine : linked_parameters(*plan->base.system, axis.target)) {
        for (const SystemParameter& its : linked_parameters(*plan->base.system, other.target)) {
          if (mine.name == its.name) refuse(said, mine.name + " is varied by " + other.said.name + " as well");
        }
      }
    }
    read_values(axis);
    random = random || axis.draw != Draw::none;
    plan->try_values(axis);
    if (axis.draw == Draw::none) plan->grid *= axis.values.size();
    if (plan->grid > most_cases) refuse(said, "more than " + std::to_string(most_cases) + " cases");
    plan->axes.push_back(std::move(axis));
  }
  if (!random && samples > 1)
    throw Error("samples " + std::to_string(samples) +
                ": nothing is drawn at random; vary something by uniform:, loguniform: or normal:");
  plan->samples = samples > 0 ? samples : random ? 100 : 1;
  if (plan->samples > most_cases / plan->grid)
    throw Error("samples " + std::to_string(plan->samples) + ": more than " + std::to_string(most_cases) + " cases");
  plan_ = std::move(plan);
}

std::uint64_t Study::size() const {
  return plan_->grid * plan_->samples;
}

std::string Study::heading() const {
  const MechanismFile& base = plan_->base;
  Json heading, vary = Json::array(), coordinates = Json::array(), contents = Json::array();
  for (const StudyAxis& axis : plan_->axes)
    vary.push_back({{"name", axis.said.name}, {"values", axis.said.values}, {"random", axis.draw != Draw::none}});
  for (int i = 0; i < base.system->num_positions(); ++i) coordinates.push_back(base.system->position_name(i));
  MechanismFile itself = base;
  itself.name.clear();
  itself.summary.clear();
  itself.options = {};
  try {
    contents.push_back(mechanism_text(itself));
  } catch (const Error&) {  // elements that no file can hold
    for (const SystemParameter& parameter : system_parameters(*base.system))
      contents.push_back({parameter.name, parameter.value});
    contents.push_back({base.start.t, entries_of(base.start.q), entries_of(base.start.v), base.start.fixed_positions,
                        base.start.fixed_velocities});
  }
  heading["study"] = 1;
  heading["name"] = base.name;
  heading["vary"] = std::move(vary);
  heading["seed"] = plan_->seed;
  heading["coordinates"] = std::move(coordinates);
  heading["options"] = options_json(base.options);
  heading["digest"] = digest_of(contents.dump());
  for (const Observed& one : plan_->observed) heading["observe"].push_back(one.words());
  return heading.dump();
}

std::string Study::unit(const std::string& name) const {
  for (const StudyAxis& axis : plan_->axes) {
    if (axis.said.name == name) return axis.unit == "1" ? "" : axis.unit;
  }
  return "";
}

MechanismFile Study::mechanism(std::uint64_t k) const {
  if (k >= size())
    throw Error("case " + std::to_string(k) + ": the study has " + std::to_string(size()) + ", from 0 on");
  std::vector<const StudyAxis*> all;
  for (const StudyAxis& axis : plan_->axes) all.push_back(&axis);
  return plan_->changed(all, plan_->values(k));
}

std::string Study::run(std::uint64_t k, const std::function<bool(double t)>& keep_going) const {
  Json line, values = Json::object();
  line["case"] = k;
  const std::vector<Json> drawn_or_listed = plan_->values(k);
  for (std::size_t i = 0; i < drawn_or_listed.size(); ++i) values[plan_->axes[i].said.name] = drawn_or_listed[i];
  line["values"] = std::move(values);
  const auto figures = {
      "t_reached", "steps", "rhs_evaluations", "factorizations", "max_position_violation", "energy_drift",
      "q_end",     "v_end"};
  try {
    MechanismFile mechanism = this->mechanism(k);
    mechanism.options.keep_going = keep_going;
    const Simulation simulation = simulate(mechanism.system, mechanism.start, mechanism.options);
    const Json report = Json::parse(report_json(simulation));
    Json doubts = Json::array();
    for (const Json& doubt : report.at("doubts")) doubts.push_back(doubt.at("kind"));
    line["status"] = report.at("status");
    line["message"] = report.at("message");
    line["doubts"] = std::move(doubts);
    for (const char* figure : figures) line[figure] = report.at(figure);
    const bool has_end = simulation.status.finished() || simulation.status.outcome == Outcome::uncertain_branch;
    for (const Observed& one : plan_->observed)
      line["observed"][one.words()] = has_end ? Json(one.of(simulation, mechanism.system)) : Json();
  } catch (const Error& error) {
    line["status"] = "refused";
    line["message"] = error.what();
    line["doubts"] = Json::array();
    for (const char* figure : figures) line[figure] = nullptr;
    for (const Observed& one : plan_->observed) line["observed"][one.words()] = nullptr;
  }
  return line.dump();
}

void Study::check(const std::string& text) const {
  try {
    const Json line = Json::parse(text);
    for (const char* word : {"status", "message"}) static_cast<void>(line.at(word).get_ref<const std::string&>());
    static_cast<void>(line.at("doubts").get<std::vector<std::string>>());
    for (const StudyAxis& axis : plan_->axes) static_cast<void>(line.at("values").at(axis.said.name));
    for (const Observed& one : plan_->observed) static_cast<void>(line.at("observed").at(one.words()));
    const bool has_end = line.at("status") == "finished" || line.at("status") == "uncertain_branch";
    const auto last = static_cast<std::size_t>(plan_->base.system->num_positions() - 1);
    for (const char* ends : {"q_end", "v_end"}) {
      if (has_end || !line.at(ends).is_null()) static_cast<void>(line.at(ends).at(last));
    }
  } catch (const Json::exception&) {
    throw Error("no line of a study: \"" + text.substr(0, 60) + "\"");
  }
}

}  // namespace sunlagrange
