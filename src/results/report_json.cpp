#include <sunlagrange/results/report_json.hpp>

#include <optional>
#include <type_traits>
#include <variant>

#include "base/json.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Null where the value is not known.
std::string value_json(double value) {
  return json::exact(value);
}
std::string value_json(bool value) {
  return value ? "true" : "false";
}
std::string value_json(long value) {
  return std::to_string(value);
}
std::string value_json(int value) {
  return std::to_string(value);
}
std::string value_json(const std::string& value) {
  return json::text(value);
}
std::string value_json(const std::vector<std::string>& values) {
  return json::texts(values);
}
template <class Value>
std::string value_json(const std::optional<Value>& value) {
  return value.has_value() ? value_json(*value) : "null";
}

template <class List, class Entry>
std::string list_json(const List& list, Entry&& entry) {
  std::vector<std::string> entries;
  for (const auto& x : list) entries.push_back(entry(x));
  return json::list(entries);
}

std::string vector_json(const Eigen::VectorXd& x) {
  return list_json(x, [](double value) { return json::exact(value); });
}

std::string gain_value_json(const GainMatrix& K) {
  if (K.size() == 0) return "null";
  if (K.is_diagonal())
    return (K.diagonal.array() == K.diagonal[0]).all() ? json::exact(K.diagonal[0]) : vector_json(K.diagonal);
  std::vector<std::string> rows;
  for (int i = 0; i < K.size(); ++i) rows.push_back(vector_json(K.full.row(i).transpose()));
  return json::list(rows);
}

std::string gain_json(const std::optional<UsedGain>& gain) {
  if (!gain.has_value()) return "null";
  const bool scalar = gain->used.is_diagonal() && gain->used.size() > 0 &&
                      (gain->used.diagonal.array() == gain->used.diagonal[0]).all();
  return json::Object()
      .add("automatic", value_json(gain->asked.automatic()))
      .add("kind", json::text(gain->varying              ? "varying"
                              : gain->used.size() == 0   ? "none"
                              : scalar                   ? "scalar"
                              : gain->used.is_diagonal() ? "diagonal"
                                                         : "matrix"))
      .add("rows", value_json(gain->used.size()))
      .add("value", gain_value_json(gain->used))
      .str();
}

std::string gains_json(const FormulationFacts& facts) {
  return json::Object()
      .add("K_D", gain_json(facts.K_D))
      .add("K_P", gain_json(facts.K_P))
      .add("K_N", gain_json(facts.K_N))
      .add("Lambda", gain_json(facts.Lambda))
      .str();
}

/// As they were asked for, also where the formulation does not read them: null (automatic), a number, or the list of
/// values (a matrix row by row).
std::string asked_gains_json(const Gains& gains) {
  const auto asked = [](const Gain& gain) -> std::string {
    if (gain.automatic()) return "null";
    if (gain.values().size() == 1) return json::exact(gain.values().front());
    return list_json(gain.values(), [](double value) { return json::exact(value); });
  };
  return json::Object()
      .add("K_D", asked(gains.K_D))
      .add("K_P", asked(gains.K_P))
      .add("K_N", asked(gains.K_N))
      .add("Lambda", asked(gains.Lambda))
      .str();
}

const char* unit_of(GainWarningKind kind) {
  if (kind == GainWarningKind::idle || kind == GainWarningKind::growing) return "1/s";
  return kind == GainWarningKind::soft ? "of the row" : "";
}

/// Figures and warnings of the gain advisor; empty where there was nothing to advise.
std::string advice_json(const std::optional<GainAdvice>& advice) {
  std::vector<std::string> entries;
  if (!advice.has_value()) return json::list(entries);
  const auto add = [&entries](const char* kind, const std::string& value, const std::string& allowed, const char* unit,
                              const std::string& text) {
    entries.push_back(json::Object()
                          .add("kind", json::text(kind))
                          .add("value", value)
                          .add("allowed", allowed)
                          .add("unit", json::text(unit))
                          .add("warning", json::text(text))
                          .str());
  };
  add("motion_rate", json::exact(advice->motion_rate), "null", "1/s", "");
  add("fastest", json::exact(advice->fastest), "null", "1/s", "");
  add("slowest", json::exact(advice->slowest), "null", "1/s", "");
  add("stability_margin", json::exact(advice->stability_margin), "null", "", "");
  add("expected_violation", vector_json(advice->expected_violation), "null", "of the rows", "");
  add("added_cost", json::exact(advice->added_cost), "null", "", "");
  for (const GainWarning& w : advice->warnings)
    add(to_string(w.kind), json::exact(w.value), json::exact(w.allowed), unit_of(w.kind), w.text);
  return json::list(entries);
}

std::string dae_json(const std::optional<DaeFacts>& dae) {
  if (!dae.has_value()) return "null";
  return json::Object()
      .add("algebraic", value_json(dae->algebraic))
      .add("error_weights", value_json(dae->error_weights))
      .add("time_scale", value_json(dae->time_scale))
      .add("typical_multiplier", value_json(dae->typical_multiplier))
      .add("suppress_algebraic", value_json(dae->settings.suppress_algebraic))
      .add("nonlinear_coefficient", value_json(dae->settings.nonlinear_coefficient))
      .add("max_nonlinear_iterations", value_json(dae->settings.max_nonlinear_iterations))
      .add("initial_step", value_json(dae->settings.initial_step))
      .add("asked", json::Object()
                        .add("suppress_algebraic", value_json(dae->asked.suppress_algebraic))
                        .add("nonlinear_coefficient", value_json(dae->asked.nonlinear_coefficient))
                        .add("max_nonlinear_iterations", value_json(dae->asked.max_nonlinear_iterations))
                        .add("initial_step", value_json(dae->asked.initial_step))
                        .str())
      .str();
}

/// Name, values, sentence and whether the user asked for it.
std::string facts_json(const std::vector<Fact>& facts) {
  return list_json(facts, [](const Fact& fact) {
    return json::Object()
        .add("name", value_json(fact.name))
        .add("values", list_json(fact.values,
                                 [](const auto& value) {
                                   return std::visit([](const auto& x) { return value_json(x); }, value);
                                 }))
        .add("asked", value_json(fact.asked))
        .add("text", json::text(fact.text()))
        .str();
  });
}

/// Two texts for each entry of a list of pairs.
std::string pairs_json(const std::vector<std::pair<std::string, std::string>>& list, const char* first,
                       const char* second) {
  return list_json(list, [&](const auto& pair) {
    return json::Object().add(first, json::text(pair.first)).add(second, json::text(pair.second)).str();
  });
}

std::string scales_json(const RunFacts& used) {
  return list_json(used.natural_scales, [&used](const NaturalScale& s) {
    return json::Object()
        .add("scale", value_json(s.scale))
        .add("atol", used.step.has_value() ? "null" : value_json(used.tolerances.atol * s.scale))
        .add("coordinates", value_json(s.coordinates))
        .str();
  });
}

std::string doubts_json(const std::vector<Doubt>& doubts) {
  return list_json(doubts, [](const Doubt& d) {
    return json::Object()
        .add("kind", json::text(to_string(d.kind)))
        .add("value", value_json(d.value))
        .add("allowed", value_json(d.allowed))
        .add("text", value_json(d.text))
        .str();
  });
}

std::string events_json(const std::vector<EventRecord>& events) {
  return list_json(events, [](const EventRecord& e) {
    return json::Object()
        .add("t", value_json(e.t))
        .add("name", value_json(e.name))
        .add("done", value_json(e.done))
        .add("velocity_violation_before", value_json(e.velocity_violation_before))
        .add("velocity_violation_after", value_json(e.velocity_violation_after))
        .add("kinetic_energy_before", value_json(e.kinetic_energy_before))
        .add("kinetic_energy_after", value_json(e.kinetic_energy_after))
        .add("moved_positions", value_json(e.moved_positions))
        .add("active_constraints", value_json(e.active_constraints))
        .str();
  });
}

std::string watched_events_json(const std::vector<WatchedEvent>& events) {
  return list_json(events, [](const WatchedEvent& e) {
    return json::Object().add("name", value_json(e.name)).add("direction", value_json(e.direction)).str();
  });
}

std::string rank_events_json(const std::vector<RankEvent>& events) {
  return list_json(events, [](const RankEvent& e) {
    return json::Object()
        .add("t", value_json(e.t))
        .add("smallest", value_json(e.smallest))
        .add("constraint", value_json(e.constraint))
        .add("stepped_over", value_json(e.stepped_over))
        .add("passage", json::text(to_string(e.passage)))
        .add("kink", value_json(e.unexplained_velocity_change))
        .add("energy_error", value_json(e.energy_error))
        .str();
  });
}

std::string estimate_json(const ErrorEstimate& e) {
  const std::string functions = list_json(e.functions, [](const FunctionError& f) {
    return json::Object()
        .add("name", value_json(f.name))
        .add("value", value_json(f.value))
        .add("error", value_json(f.error))
        .add("largest", value_json(f.largest))
        .str();
  });
  return json::Object()
      .add("q", vector_json(e.q))
      .add("v", vector_json(e.v))
      .add("lambda", vector_json(e.lambda))
      .add("largest_q", value_json(e.largest_q))
      .add("largest_v", value_json(e.largest_v))
      .add("largest_lambda", value_json(e.largest_lambda))
      .add("functions", functions)
      .add("t_compared", value_json(e.t_compared))
      .add("certain", value_json(e.certain))
      .add("doubt", value_json(e.doubt))
      .add("companion", value_json(e.companion))
      .add("wall_seconds", value_json(e.wall_seconds))
      .str();
}

}  // namespace

std::string report_json(const Simulation& run) {
  const Report& r = run.report;
  const RunFacts& used = r.used;
  const Trajectory& path = run.trajectory;
  const std::size_t last = path.empty() ? 0 : path.size() - 1;
  const auto tolerance = [&used](double value) { return used.step.has_value() ? "null" : value_json(value); };
  json::Object document;
  document.add("formulation", value_json(used.formulation))
      .add("integrator", value_json(used.integrator.used))
      .add("linear_solver", value_json(used.linear_solver.used))
      .add("rank_policy", json::text(to_string(used.rank_policy)))
      .add("rtol", tolerance(used.tolerances.rtol))
      .add("atol", tolerance(used.tolerances.atol))
      .add("natural_scales", scales_json(used))
      .add("step", value_json(used.step))
      .add("status", json::text(to_string(run.status.outcome)))
      .add("message", value_json(run.status.message))
      .add("doubts", doubts_json(run.status.doubts))
      .add("t_end", value_json(r.t_end))
      .add("t_reached", value_json(r.t_reached))
      .add("steps", value_json(r.steps))
      .add("rhs_evaluations", value_json(r.rhs_evaluations))
      .add("jacobian_evaluations", value_json(r.jacobian_evaluations))
      .add("factorizations", value_json(r.factorizations))
      .add("nonlinear_iterations", value_json(r.nonlinear_iterations))
      .add("nonlinear_failures", value_json(r.nonlinear_failures))
      .add("error_test_failures", value_json(r.error_test_failures))
      .add("max_position_violation", value_json(r.max_position_violation))
      .add("max_velocity_violation", value_json(r.max_velocity_violation))
      .add("energy_drift", value_json(r.energy_drift))
      .add("energy_held", value_json(r.energy_scale))
      .add("work_uncertainty", value_json(r.work_uncertainty))
      .add("energy_displacement", value_json(r.energy_displacement))
      .add("error_growth", value_json(r.error_growth))
      .add("t_error_growth", value_json(r.t_error_growth))
      .add("events", events_json(r.events))
      .add("event_work", value_json(r.event_work))
      .add("wall_seconds", value_json(r.wall_seconds))
      .add("monitoring_seconds", value_json(r.monitoring_seconds))
      .add("q_end", path.empty() ? "null" : vector_json(path.q(last)))
      .add("v_end", path.empty() ? "null" : vector_json(path.v(last)))
      .add("lambda_end", path.empty() ? "null" : vector_json(path.lambda(last)))
      .add("gains", gains_json(used))
      .add("asked_gains", asked_gains_json(used.asked_gains))
      .add("advice", advice_json(used.advice))
      .add("masked", used.dae.has_value() && used.dae->masked() ? value_json(used.dae->algebraic) : "[]")
      .add("dae", dae_json(used.dae))
      .add("facts", facts_json(used.own))
      .add("linear_solver_description", value_json(used.linear_solver_description))
      .add("sources", pairs_json(used.sources, "quantity", "source"))
      .add("missing_members", value_json(used.missing_members))
      .add("switched_off", value_json(used.switched_off))
      .add("watched_events", watched_events_json(used.events))
      .add("unread_settings", pairs_json(used.unread, "name", "asked"))
      .add("statistics", facts_json(used.statistics))
      .add("pivot_refreshes", value_json(r.pivot_refreshes))
      .add("rank_actions", value_json(r.rank_actions))
      .add("smallest_singular_value", value_json(r.smallest_singular_value))
      .add("rank_events", rank_events_json(r.rank_events));
  if (r.error_estimate.has_value()) document.add("error_estimate", estimate_json(*r.error_estimate));
  return document.str();
}

}  // namespace sunlagrange
