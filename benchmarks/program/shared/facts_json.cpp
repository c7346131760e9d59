#include "shared/facts_json.hpp"

#include <nlohmann/json.hpp>

namespace sunlagrange::bench {
namespace {

Json value_of(const GainMatrix& K) {
  if (!K.is_diagonal()) {
    Json rows = Json::array();
    for (int i = 0; i < K.size(); ++i) rows.push_back(array(K.full.row(i).transpose()));
    return rows;
  }
  if (K.size() == 0) return nullptr;
  return (K.diagonal.array() == K.diagonal[0]).all() ? number_or_null(K.diagonal[0]) : array(K.diagonal);
}

Json gain_json(const std::optional<UsedGain>& gain) {
  if (!gain.has_value()) return nullptr;
  const Json value = value_of(gain->used);
  Json json;
  set(json, "automatic", gain->asked.automatic());
  set(json, "kind",
      gain->varying              ? "varying"
      : gain->used.size() == 0   ? "none"
      : value.is_number()        ? "scalar"
      : gain->used.is_diagonal() ? "diagonal"
                                 : "matrix");
  set(json, "rows", gain->used.size());
  set(json, "value", value);
  return json;
}

const char* unit_of(GainWarningKind kind) {
  if (kind == GainWarningKind::idle || kind == GainWarningKind::growing) return "1/s";
  return kind == GainWarningKind::soft ? "of the row" : "";
}

/// What was asked for, null where the choice was left to the formulation.
template <class Value>
Json asked_json(const std::optional<Value>& asked) {
  return asked.has_value() ? Json(*asked) : Json(nullptr);
}

}  // namespace

Json gains_json(const FormulationFacts& facts) {
  Json json;
  set(json, "K_D", gain_json(facts.K_D));
  set(json, "K_P", gain_json(facts.K_P));
  set(json, "K_N", gain_json(facts.K_N));
  set(json, "Lambda", gain_json(facts.Lambda));
  return json;
}

Json advice_json(const std::optional<GainAdvice>& advice) {
  Json list = Json::array();
  if (!advice.has_value()) return list;
  const auto add = [&list](const char* kind, Json value, Json allowed, const char* unit, const std::string& text) {
    Json json;
    set(json, "kind", kind);
    set(json, "value", std::move(value));
    set(json, "allowed", std::move(allowed));
    set(json, "unit", unit);
    set(json, "warning", text);
    list.push_back(std::move(json));
  };
  add("motion_rate", number_or_null(advice->motion_rate), nullptr, "1/s", "");
  add("fastest", number_or_null(advice->fastest), nullptr, "1/s", "");
  add("slowest", number_or_null(advice->slowest), nullptr, "1/s", "");
  add("stability_margin", number_or_null(advice->stability_margin), nullptr, "", "");
  add("expected_violation", array(advice->expected_violation), nullptr, "of the rows", "");
  add("added_cost", number_or_null(advice->added_cost), nullptr, "", "");
  for (const GainWarning& w : advice->warnings)
    add(to_string(w.kind), number_or_null(w.value), number_or_null(w.allowed), unit_of(w.kind), w.text);
  return list;
}

Json masked_json(const std::optional<DaeFacts>& dae) {
  return dae.has_value() && dae->masked() ? Json(dae->algebraic) : Json::array();
}

Json dae_json(const std::optional<DaeFacts>& dae) {
  if (!dae.has_value()) return nullptr;
  Json json;
  set(json, "algebraic", dae->algebraic);
  set(json, "error_weights", dae->error_weights);
  set(json, "time_scale", number_or_null(dae->time_scale));
  set(json, "typical_multiplier", asked_json(dae->typical_multiplier));
  set(json, "suppress_algebraic", dae->settings.suppress_algebraic);
  set(json, "nonlinear_coefficient", dae->settings.nonlinear_coefficient);
  set(json, "max_nonlinear_iterations", dae->settings.max_nonlinear_iterations);
  set(json, "initial_step", dae->settings.initial_step);
  Json& asked = json["asked"];
  set(asked, "suppress_algebraic", asked_json(dae->asked.suppress_algebraic));
  set(asked, "nonlinear_coefficient", asked_json(dae->asked.nonlinear_coefficient));
  set(asked, "max_nonlinear_iterations", asked_json(dae->asked.max_nonlinear_iterations));
  set(asked, "initial_step", asked_json(dae->asked.initial_step));
  return json;
}

Json facts_json(const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts) {
    Json values = Json::array();
    for (const auto& value : fact.values) {
      values.push_back(std::visit(
          [](const auto& x) {
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>, double>) return number_or_null(x);
            return Json(x);
          },
          value));
    }
    Json json;
    set(json, "name", fact.name);
    set(json, "values", std::move(values));
    set(json, "asked", fact.asked);
    set(json, "text", fact.text());
    list.push_back(std::move(json));
  }
  return list;
}

Json asked_gains_json(const Gains& gains) {
  const auto asked = [](const Gain& gain) -> Json {
    if (gain.automatic()) return nullptr;
    return gain.values().size() == 1 ? Json(gain.values().front()) : Json(gain.values());
  };
  Json json;
  set(json, "K_D", asked(gains.K_D));
  set(json, "K_P", asked(gains.K_P));
  set(json, "K_N", asked(gains.K_N));
  set(json, "Lambda", asked(gains.Lambda));
  return json;
}

Json sources_json(const RunFacts& used) {
  Json list = Json::array();
  for (const auto& [quantity, source] : used.sources) {
    Json json;
    set(json, "quantity", quantity);
    set(json, "source", source);
    list.push_back(std::move(json));
  }
  return list;
}

Json watched_events_json(const RunFacts& used) {
  Json list = Json::array();
  for (const WatchedEvent& event : used.events) {
    Json json;
    set(json, "name", event.name);
    set(json, "direction", event.direction);
    list.push_back(std::move(json));
  }
  return list;
}

Json unread_settings_json(const RunFacts& used) {
  Json list = Json::array();
  for (const auto& [name, asked] : used.unread) {
    Json json;
    set(json, "name", name);
    set(json, "asked", asked);
    list.push_back(std::move(json));
  }
  return list;
}

Json rank_events_json(const std::vector<RankEvent>& events) {
  Json list = Json::array();
  for (const RankEvent& e : events) {
    Json json;
    set(json, "t", e.t);
    set(json, "smallest", number_or_null(e.smallest));
    set(json, "constraint", e.constraint);
    set(json, "stepped_over", e.stepped_over);
    set(json, "passage", to_string(e.passage));
    set(json, "kink", number_or_null(e.kink));
    set(json, "energy_error", number_or_null(e.energy_error));
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sunlagrange::bench
