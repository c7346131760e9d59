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
  json["automatic"] = gain->asked.automatic();
  json["kind"] = gain->varying              ? "varying"
                 : gain->used.size() == 0   ? "none"
                 : value.is_number()        ? "scalar"
                 : gain->used.is_diagonal() ? "diagonal"
                                            : "matrix";
  json["rows"] = gain->used.size();
  json["value"] = value;
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
  json["K_D"] = gain_json(facts.K_D);
  json["K_P"] = gain_json(facts.K_P);
  json["K_N"] = gain_json(facts.K_N);
  json["Lambda"] = gain_json(facts.Lambda);
  return json;
}

Json advice_json(const std::optional<GainAdvice>& advice) {
  Json list = Json::array();
  if (!advice.has_value()) return list;
  const auto add = [&list](const char* kind, Json value, Json allowed, const char* unit, const std::string& text) {
    Json json;
    json["kind"] = kind;
    json["value"] = std::move(value);
    json["allowed"] = std::move(allowed);
    json["unit"] = unit;
    json["warning"] = text;
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
  json["algebraic"] = dae->algebraic;
  json["error_weights"] = dae->error_weights;
  json["time_scale"] = number_or_null(dae->time_scale);
  json["typical_multiplier"] = asked_json(dae->typical_multiplier);
  json["suppress_algebraic"] = dae->settings.suppress_algebraic;
  json["nonlinear_coefficient"] = dae->settings.nonlinear_coefficient;
  json["max_nonlinear_iterations"] = dae->settings.max_nonlinear_iterations;
  json["initial_step"] = dae->settings.initial_step;
  Json& asked = json["asked"];
  asked["suppress_algebraic"] = asked_json(dae->asked.suppress_algebraic);
  asked["nonlinear_coefficient"] = asked_json(dae->asked.nonlinear_coefficient);
  asked["max_nonlinear_iterations"] = asked_json(dae->asked.max_nonlinear_iterations);
  asked["initial_step"] = asked_json(dae->asked.initial_step);
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
    json["name"] = fact.name;
    json["values"] = std::move(values);
    json["asked"] = fact.asked;
    json["text"] = fact.text();
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
  json["K_D"] = asked(gains.K_D);
  json["K_P"] = asked(gains.K_P);
  json["K_N"] = asked(gains.K_N);
  json["Lambda"] = asked(gains.Lambda);
  return json;
}

Json sources_json(const RunFacts& used) {
  Json list = Json::array();
  for (const auto& [quantity, source] : used.sources) list.push_back({{"quantity", quantity}, {"source", source}});
  return list;
}

Json watched_events_json(const RunFacts& used) {
  Json list = Json::array();
  for (const WatchedEvent& event : used.events) list.push_back({{"name", event.name}, {"direction", event.direction}});
  return list;
}

Json unread_settings_json(const RunFacts& used) {
  Json list = Json::array();
  for (const auto& [name, asked] : used.unread) list.push_back({{"name", name}, {"asked", asked}});
  return list;
}

Json rank_events_json(const std::vector<RankEvent>& events) {
  Json list = Json::array();
  for (const RankEvent& e : events) {
    Json json;
    json["t"] = e.t;
    json["smallest"] = number_or_null(e.smallest);
    json["constraint"] = e.constraint;
    json["stepped_over"] = e.stepped_over;
    json["passage"] = to_string(e.passage);
    json["kink"] = number_or_null(e.kink);
    json["energy_error"] = number_or_null(e.energy_error);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sunlagrange::bench
