// SPDX-License-Identifier: BSD-3-Clause
#include "files/options_json.hpp"

#include <algorithm>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

#include "formulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Visits each option once, with its unit, range and meaning. `visit` has one overload for each kind of value.
template <class Options, class Visit>
void for_each_option(Options& o, Visit&& visit) {
  visit("t_end", o.t_end, "s", intervals::any, "end of the run");
  visit("formulation", o.formulation, "a registered name, or automatic: sunlagrange list formulations");
  visit("integrator", o.integrator, "a registered name, or automatic");
  visit("rtol", o.rtol, "1", intervals::rtol, "relative tolerance");
  visit("atol", o.atol, "1", intervals::positive, "absolute tolerance, of every coordinate in its natural scale");
  visit("step", o.step, "s", intervals::not_negative, "of integrators with fixed steps");
  visit("max_step", o.max_step, "s", intervals::not_negative, "longest step of adaptive integrators; 0: automatic");
  visit("max_steps", o.max_steps, intervals::count, "most accepted steps");
  visit("linear_solver", o.linear_solver.name, "a registered name, or automatic");
  visit("stop_when_infeasible", o.stop_when_infeasible, "end the run where no configuration satisfies the constraints");
  visit("estimate_error", o.estimate_error, "run a companion besides, and say how far the two lie apart");
  visit("gains", o.gains,
        "K_D [1/s], K_P [1/s^2], K_N [1/s], Lambda: a number, one for each row, or a matrix row by row");
  visit("time_scale", o.time_scale, "s", intervals::time_scale,
        "shortest time in which the motion changes, for automatic gains; 0: its own");
  visit("rank_threshold", o.linear_solver.rank_threshold, "1", intervals::fraction,
        "relative eigenvalue below which a direction is lost");
  visit("regularization", o.linear_solver.regularization, "1", intervals::fraction,
        "compliance of the rank policy regularized");
  visit("rank_policy", o.linear_solver.rank_policy, "what is done where constraints lose rank");
  visit("start", o.start, "how the start values are taken");
  visit("at_singularity", o.at_singularity,
        "treatment of singular poses: filter integrates through, stop ends the run, project leaves the pose out, "
        "automatic chooses");
}

template <class Enum>
constexpr bool has_names = HasNames<std::remove_const_t<Enum>>::value;

template <class Enum>
std::vector<std::string_view> choices_of(Enum value) {
  const auto names = names_of(value);
  return {names.begin(), names.end()};
}

template <class Gains>
auto gain_fields(Gains& gains) {
  return std::array{std::pair("K_D", &gains.K_D), std::pair("K_P", &gains.K_P), std::pair("K_N", &gains.K_N),
                    std::pair("Lambda", &gains.Lambda)};
}

constexpr const char* gain_forms =
    "must be a number, a list with a number for each row, or a matrix as one list, row by row: [1, 2, 3, 4]";

struct Reading {
  Fields& fields;

  void operator()(const char* name, double& value, const char* unit, const Interval& may_be, const char*) {
    fields.read(name, value, unit);
    check(name, value, may_be);
  }
  void operator()(const char* name, std::string& value, const char*) { fields.read(name, value); }
  void operator()(const char* name, long& value, const Interval& may_be, const char*) {
    fields.read(name, value);
    check(name, static_cast<double>(value), may_be);
  }
  void check(const char* name, double value, const Interval& may_be) const {
    if (fields.object().contains(name) && !may_be.contains(value)) fields.fail(name, may_be.objection(name, value));
  }
  void operator()(const char* name, bool& value, const char*) { fields.read(name, value); }
  void operator()(const char* name, Gains& gains, const char*) {
    const Json* given = fields.find(name);
    if (given == nullptr) return;
    Fields inside(fields.document(), *given, fields.place(name), "simulation, gains");
    for (const auto& [symbol, gain] : gain_fields(gains)) {
      const Json* value = inside.find(symbol);
      if (value == nullptr) continue;
      if (value->is_number())
        *gain = value->get<double>();
      else if (value->is_array())
        fields.document().at(inside.place(symbol), inside.what(), [&, name_of = symbol, g = gain] {
          std::vector<double> list;
          for (const Json& x : *value) {
            if (x.is_array()) inside.fail(name_of, gain_forms);
            list.push_back(number_in(x, ""));
          }
          *g = list;
        });
      else
        inside.fail(symbol, gain_forms);
    }
    inside.finish();
  }
  template <class Choice, class = std::enable_if_t<has_names<Choice>>>
  void operator()(const char* name, Choice& value, const char*) {
    std::string text;
    fields.read(name, text);
    if (text.empty()) return;
    const std::optional<Choice> found = enum_named<Choice>(text);
    if (!found) {
      fields.document().at(fields.place(name), fields.what(), [&] { throw_unknown(name, text, choices_of(value)); });
    }
    value = *found;
  }
};

struct Writing {
  Json& object;

  template <class Value>
  void operator()(const char* name, const Value& value, const char*) {
    if constexpr (has_names<Value>)
      object[name] = to_string(value);
    else
      object[name] = value;
  }
  void operator()(const char* name, const double& value, const char*, const Interval&, const char*) {
    object[name] = value;
  }
  void operator()(const char* name, const long& value, const Interval&, const char*) { object[name] = value; }
  void operator()(const char* name, const Gains& gains, const char*) {
    Json list = Json::object();
    for (const auto& [symbol, gain] : gain_fields(gains)) {
      if (gain->automatic()) continue;
      if (gain->values().size() == 1)
        list[symbol] = gain->values().front();
      else
        list[symbol] = gain->values();
    }
    object[name] = list;
  }
};

struct Describing {
  Json& properties;

  void operator()(const char* name, const double& value, const char* unit, const Interval& may_be,
                  const char* meaning) {
    properties[name] = {{"allOf", Json::array({{{"$ref", "#/definitions/number"}}})},
                        {"description", meaning + (std::string(" [") + unit + "]")},
                        {"default", value}};
    bound(properties[name], may_be);
  }
  void operator()(const char* name, const std::string& value, const char* meaning) {
    properties[name] = {{"type", "string"}, {"description", meaning}, {"default", value}};
  }
  void operator()(const char* name, const long& value, const Interval& may_be, const char* meaning) {
    properties[name] = {{"type", "integer"}, {"description", meaning}, {"default", value}};
    bound(properties[name], may_be);
  }
  static void bound(Json& property, const Interval& may_be) {
    property[may_be.low_belongs ? "minimum" : "exclusiveMinimum"] = may_be.or_zero ? 0.0 : may_be.low;
    if (std::isfinite(may_be.high)) property[may_be.high_belongs ? "maximum" : "exclusiveMaximum"] = may_be.high;
  }
  void operator()(const char* name, const bool& value, const char* meaning) {
    properties[name] = {{"type", "boolean"}, {"description", meaning}, {"default", value}};
  }
  void operator()(const char* name, const Gains& gains, const char* meaning) {
    Json list = Json::object();
    for (const auto& [symbol, gain] : gain_fields(gains)) {
      static_cast<void>(gain);
      list[symbol] = {{"type", {"number", "array"}}, {"items", {{"type", "number"}}}};
    }
    properties[name] = {
        {"type", "object"}, {"description", meaning}, {"properties", list}, {"additionalProperties", false}};
  }
  template <class Choice, class = std::enable_if_t<has_names<Choice>>>
  void operator()(const char* name, const Choice& value, const char* meaning) {
    properties[name] = {{"enum", choices_of(value)}, {"description", meaning}, {"default", to_string(value)}};
  }
};

}  // namespace

void read_options(SimulationOptions& options, Fields fields) {
  for_each_option(options, Reading{fields});
  fields.finish();
  const auto check = [&](const char* name, const std::string& value, const auto& registered) {
    std::vector<std::string_view> known = {"automatic"};
    for (const auto& entry : registered) known.emplace_back(entry.name);
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    const std::string kind = std::string(name) == "linear_solver" ? "linear solver" : name;
    fields.document().at(fields.place(name), fields.what(), [&] { throw_unknown(kind.c_str(), value, known); });
  };
  check("formulation", options.formulation, formulations());
  check("integrator", options.integrator, integrators());
  check("linear_solver", options.linear_solver.name, linear_solvers());
}

Json options_json(const SimulationOptions& options) {
  Json all = Json::object(), usual = Json::object(), changed = Json::object();
  const SimulationOptions fresh;
  for_each_option(options, Writing{all});
  for_each_option(fresh, Writing{usual});
  for (const auto& entry : all.items()) {
    if (entry.key() == "t_end" || entry.value() != usual[entry.key()]) changed[entry.key()] = entry.value();
  }
  return changed;
}

Json options_schema() {
  const SimulationOptions fresh;
  Json properties = Json::object();
  for_each_option(fresh, Describing{properties});
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

}  // namespace sunlagrange::internal
