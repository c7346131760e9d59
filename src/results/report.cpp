// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/results/report.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/columns.hpp"
#include "base/words.hpp"

namespace sunlagrange {

using namespace internal;

Settings RunFacts::lines() const {
  if (formulation.used.empty()) return {};
  Settings lines{{"formulation", formulation.asked, formulation.used},
                 {"integrator", integrator.asked, integrator.used}};
  const auto add = [&lines](const char* name, const std::string& value) { lines.push_back({name, value, value}); };
  if (table.has_value()) {
    lines.push_back({"table", table->name,
                     "order " + std::to_string(table->order) + ", stages " + std::to_string(table->stages())});
  }
  if (step.has_value())
    add("step", sunlagrange::text(*step) + " s");
  else
    add("rtol, atol", sunlagrange::text(tolerances.rtol) + ", " + sunlagrange::text(tolerances.atol));
  if (max_step > 0.0) add("max_step", sunlagrange::text(max_step) + " s");
  for (const NaturalScale& s : natural_scales) {
    const std::size_t more = s.coordinates.size() - 1;
    const std::string tolerance = step.has_value() ? "" : ", atol " + sunlagrange::text(tolerances.atol * s.scale);
    lines.push_back(
        {"natural scale of " + s.coordinates.front() + (more > 0 ? " and " + std::to_string(more) + " more" : ""), "",
         sunlagrange::text(s.scale) + tolerance});
  }
  lines.push_back({"linear solver", linear_solver.asked, linear_solver_description});
  add("rank policy", to_string(rank_policy));
  add("at singularity", to_string(at_singularity));
  for (Setting& line : FormulationFacts::lines()) lines.push_back(std::move(line));
  const auto unused = [&lines](const char* name, const Gain& asked, const std::optional<UsedGain>& used) {
    if (!asked.automatic() && !used.has_value()) lines.push_back({name, asked.text(), "not used by this formulation"});
  };
  unused("K_D", asked_gains.K_D, K_D);
  unused("K_P", asked_gains.K_P, K_P);
  unused("K_N", asked_gains.K_N, K_N);
  unused("Lambda", asked_gains.Lambda, Lambda);
  for (const auto& [name, asked] : unread) lines.push_back({name, asked, "not used by this integrator"});
  for (const std::string& name : switched_off) add("starts switched off", name);
  for (const WatchedEvent& event : events) {
    lines.push_back({"event", event.name,
                     event.direction > 0   ? "rising"
                     : event.direction < 0 ? "falling"
                                           : "any crossing"});
  }
  for (const auto& [quantity, source] : sources) {  // elements may differ
    const auto known = std::find_if(lines.begin(), lines.end(),
                                    [&quantity = quantity](const Setting& line) { return line.name == quantity; });
    if (known == lines.end())
      lines.push_back({quantity, "", source});
    else
      append_word(known->used, source);
  }
  std::vector<std::string> absent;  // members that the model supplies by other means are left out
  for (const std::string& member : missing_members) {
    const bool supplied = std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
      return source.first == member && source.second.rfind("model", 0) == 0;
    });
    if (!supplied) absent.push_back(member);
  }
  if (!absent.empty()) lines.push_back({"members not found", "", "in elements of your own: " + joined(absent)});
  for (const SegmentGains& later : later_gains) {
    FormulationFacts gains;
    gains.K_D = later.K_D;
    gains.K_P = later.K_P;
    gains.K_N = later.K_N;
    gains.Lambda = later.Lambda;
    std::string words;
    for (const Setting& line : gains.lines()) append_word(words, line.name + " " + line.used);
    lines.push_back({"gains from t = " + sunlagrange::text(later.t) + " s", "", words});
  }
  for (const Fact& fact : statistics)
    lines.push_back({fact.name + (has_segments ? ", after the last event" : ""), "", fact.text()});
  return lines;
}

namespace {

/// Returns the number with three digits.
std::string brief(double x) {
  if (!std::isfinite(x)) return "-";
  std::ostringstream out;
  out.precision(3);
  out << x;
  return out.str();
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return brief(1e6 * seconds) + " us";
  return seconds < 1.0 ? brief(1e3 * seconds) + " ms" : brief(seconds) + " s";
}

std::string counted(long count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns the suppliers of the derivatives with the quantities that each supplies.
std::string derivatives(const std::vector<std::pair<std::string, std::string>>& sources) {
  const auto supplier_of = [](const std::string& source) {
    return source.rfind("model", 0) == 0 ? std::string("the model's own members") : source;
  };
  std::vector<std::string> suppliers;
  for (const auto& [quantity, source] : sources) {
    if (std::find(suppliers.begin(), suppliers.end(), supplier_of(source)) == suppliers.end())
      suppliers.push_back(supplier_of(source));
  }
  if (suppliers.size() == 1) return suppliers.front() + " (all)";
  return joined(suppliers, [&](const std::string& supplier) {
    std::string quantities;
    for (const auto& [quantity, source] : sources) {
      if (supplier_of(source) == supplier) append_word(quantities, quantity);
    }
    return supplier + " (" + quantities + ")";
  });
}

std::string start_text(const ConsistencyReport& start) {
  std::string words = "|g| " + brief(start.position_violation_before) + " -> " + brief(start.position_violation_after);
  if (std::isfinite(start.velocity_violation_before))
    words += ", |g'| " + brief(start.velocity_violation_before) + " -> " + brief(start.velocity_violation_after);
  const auto moved = [&words](const char* what, double largest, const std::string& name, const Eigen::VectorXd& moves) {
    if (!(largest > 0.0)) return;
    words += "\nmoved " + std::to_string((moves.array() != 0.0).count()) + " of " + std::to_string(moves.size()) + " " +
             what + ", most \"" + name + "\" by " + text(largest);
  };
  moved("positions", start.moved_positions, start.most_moved, start.position_moves);
  moved("velocities", start.moved_velocities, start.most_moved_velocity, start.velocity_moves);
  if (start.status.finished() && !start.status.message.empty()) words += "\n" + start.status.message;
  return words;
}

std::string event_text(const EventRecord& e) {
  std::string words = "t = " + text(e.t) + " s: " + e.name + (e.done.empty() ? "" : ": " + e.done) +
                      "; kinetic energy " + brief(e.kinetic_energy_before) + " -> " + brief(e.kinetic_energy_after) +
                      " J, |g'| " + brief(e.velocity_violation_before) + " -> " + brief(e.velocity_violation_after);
  if (e.moved_positions > 0.0) words += ", moved " + brief(e.moved_positions);
  return words + "; " + counted(static_cast<long>(e.active_constraints.size()), "active row");
}

std::string passage_text(const RankEvent& e) {
  return "t = " + text(e.t) + " s: near-singular (" + brief(e.smallest) + "), constraint \"" + e.constraint + "\"" +
         (e.stepped_over ? ", stepped over" : "") + "; passage " + to_string(e.passage) +
         (e.way == PassageWay::unknown ? " (unexplained velocity change " + brief(e.unexplained_velocity_change) +
                                             ", energy " + brief(e.energy_error) + ")"
          : e.misfit == 0.0
              ? std::string(", ") + to_string(e.way) + ": the branches cross"
              : std::string(", ") + to_string(e.way) + ": gap of the branches " + brief(e.gap) + ", misfit " +
                    brief(e.misfit) + ", violation " + brief(e.violation_over_misfit) + " of it");
}

/// Returns `describe` of the first entries, one line for each.
template <class Entry>
std::string first_of(const std::vector<Entry>& entries, std::string (*describe)(const Entry&)) {
  constexpr std::size_t most = 10;
  std::string words;
  for (std::size_t k = 0; k < entries.size() && k < most; ++k)
    words += (words.empty() ? "" : "\n") + describe(entries[k]);
  if (entries.size() > most) words += "\n... " + std::to_string(entries.size() - most) + " more";
  return words;
}

std::string energy_text(const Report& report) {
  if (std::isfinite(report.energy_drift))
    return "drift " + brief(report.energy_drift) + " J, energies up to " + brief(report.energy_scale) + " J";
  if (std::isnan(report.max_velocity_violation)) return "none: a kinematic program has no energy";
  return "drift not known: forces or accelerations could not be evaluated at every step";
}

/// True for lines of RunFacts::lines() that the groups of the summary contain.
bool shown_in_groups(const RunFacts& used, const std::string& name) {
  for (const char* shown : {"formulation", "integrator", "rtol, atol", "linear solver", "rank policy", "K_D", "K_P",
                            "K_N", "Lambda", "rate of the motion", "expected cost of the gains"}) {
    if (name == shown) {
      const bool gain = name[0] == 'K' || name[0] == 'L';
      const std::optional<UsedGain>& read = name == "K_D"   ? used.K_D
                                            : name == "K_P" ? used.K_P
                                            : name == "K_N" ? used.K_N
                                                            : used.Lambda;
      return !gain || read.has_value();  // a gain that is not read has a line of its own
    }
  }
  if (name == "step") return used.step.has_value();
  if (name == "at singularity") return used.at_singularity == AtSingularity::filter;
  return std::any_of(used.sources.begin(), used.sources.end(), [&](const auto& s) { return s.first == name; });
}

std::string gains_text(const RunFacts& used) {
  std::string words;
  for (const Setting& line : used.lines()) {
    const bool gain = line.name == "K_D" || line.name == "K_P" || line.name == "K_N" || line.name == "Lambda";
    if (!gain || !shown_in_groups(used, line.name)) continue;
    const char* unit = line.name == "K_P" ? " 1/s^2" : line.name == "Lambda" ? "" : " 1/s";
    append_word(words, line.name + " " + line.used + unit + (line.asked == "automatic" ? " (automatic)" : ""));
  }
  if (used.advice.has_value() && !words.empty())
    words += "; rate of motion " + brief(used.advice->motion_rate) + " 1/s, cost +" +
             brief(std::round(100.0 * used.advice->added_cost)) + " % right-hand sides";
  return words;
}

std::string estimate_text(const ErrorEstimate& e) {
  std::string functions;
  for (const FunctionError& f : e.functions) functions += ", " + f.name + " " + brief(f.largest);
  return "q " + brief(e.largest_q) + ", v " + brief(e.largest_v) + ", lambda " + brief(e.largest_lambda) + functions +
         (e.along.size() == 2 ? " at the end, t = "
                              : " at most, over " + std::to_string(e.along.size()) + " states until t = ") +
         text(e.t_compared) + " s; from " + e.companion + " in " + duration(e.wall_seconds) +
         (e.certain ? "" : "\nuncertain: " + e.doubt);
}

}  // namespace

std::string Report::verdict(const Status& status) const {
  std::string words = "sunlagrange " + library_version() + ": " + to_string(status.outcome) +
                      (status.doubts.empty() ? "" : ", with doubts") + "; t = " + sunlagrange::text(t_start) + " ... " +
                      sunlagrange::text(t_reached);
  if (t_reached < t_end) words += " of " + sunlagrange::text(t_end);
  words += " s in " + duration(wall_seconds);
  if (!status.message.empty()) words += "\n" + status.message;
  for (const Doubt& d : status.doubts) words += "\ndoubt: " + d.text;
  return words;
}

std::vector<std::pair<std::string, std::string>> Report::summary() const {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto add = [&lines](const std::string& name, const std::string& words) {
    if (!words.empty()) lines.emplace_back(name, words);
  };
  if (!used.formulation.used.empty()) {
    add("equations", used.formulation.text() + "; rank of G " + std::to_string(start.rank) + " at the start, " +
                         to_string(used.rank_policy) +
                         (rank_actions > 0 ? " acted " + counted(rank_actions, "time") : "") +
                         "; smallest singular value, relative: " + brief(smallest_singular_value));
    add("integrator", used.integrator.text() + ", " +
                          (used.step.has_value() ? "step " + sunlagrange::text(*used.step) + " s, not tested for errors"
                                                 : "rtol " + sunlagrange::text(used.tolerances.rtol) + ", atol " +
                                                       sunlagrange::text(used.tolerances.atol)) +
                          "\n" + counted(steps, "step") + ", " + std::to_string(error_test_failures) + " rejected, " +
                          counted(nonlinear_iterations, "nonlinear iteration") + ", " +
                          counted(nonlinear_failures, "failed iteration") + ", " +
                          counted(rhs_evaluations, "right-hand side"));
    add("linear solver", used.linear_solver_description + "\n" + counted(jacobian_evaluations, "Jacobian") + ", " +
                             counted(factorizations, "factorisation") + ", " + counted(linear_solutions, "solution") +
                             (pivot_refreshes > 0 ? ", " + counted(pivot_refreshes, "pivot renewal") : ""));
    add("gains", gains_text(used));
  }
  add("start", start_text(start));
  if (steps > 0) {
    const std::string rate = std::isnan(max_velocity_violation) ? "" : ", |g'| " + brief(max_velocity_violation);
    add("violation", "|g| " + brief(max_position_violation) + rate + " at most, over the accepted steps");
    add("energy", energy_text(*this));
  }
  if (!undetermined_joints.empty())
    add("joint forces", "the motion does not determine those of " + quoted(undetermined_joints) +
                            " one by one: redundant joints share the load");
  add("not checked", joined(unchecked));
  if (error_estimate.has_value()) add("error, estimated", estimate_text(*error_estimate));
  if (std::isfinite(error_growth)) {
    add("law of the error", error_growth > 0.0
                                ? "lets it grow by a factor of at most " + brief(std::exp(error_growth)) +
                                      ", until t = " + sunlagrange::text(t_error_growth) + " s"
                                : "never lets it grow along the motion");
  }
  add("singular poses", first_of(rank_events, passage_text));
  if (!events.empty())
    add("events", std::to_string(events.size()) + ", their work " + brief(event_work) + " J (not in the drift)\n" +
                      first_of(events, event_text));
  for (const Setting& line : used.lines()) {
    const bool as_asked = line.asked.empty() || line.asked == line.used || line.asked == "automatic";
    if (!shown_in_groups(used, line.name)) add(line.name, line.used + (as_asked ? "" : " (asked: " + line.asked + ")"));
  }
  add("derivatives", derivatives(used.sources));
  if (wall_seconds > 0.0)
    add("time", duration(wall_seconds) + ", " +
                    std::to_string(std::min(100L, std::lround(100.0 * monitoring_seconds / wall_seconds))) +
                    " % of it monitoring");
  add("references", references.empty() ? "" : references + " (literature.hpp)");
  return lines;
}

std::string Report::text(const Status& status) const {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, words] : summary()) {
    std::istringstream lines(words);
    std::string label = "  " + name;
    for (std::string line; std::getline(lines, line); label.clear()) rows.push_back({label, line});
  }
  return verdict(status) + "\n" + columns("ll", rows);
}

}  // namespace sunlagrange
