#include <sunlagrange/results/report.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <sunlagrange/version.hpp>

#include "base/columns.hpp"
#include "base/words.hpp"

namespace sunlagrange {

using namespace internal;

const char* to_string(Passage passage) {
  switch (passage) {
    case Passage::smooth:
      return "smooth";
    case Passage::jumped:
      return "jumped";
    case Passage::unverified:
      return "unverified";
  }
  return "";
}

Settings RunFacts::lines() const {
  if (formulation.empty()) return {};
  Settings lines{{"formulation", formulation, formulation}, {"integrator", integrator.asked, integrator.used}};
  const auto add = [&lines](const char* name, const std::string& value) { lines.push_back({name, value, value}); };
  if (table.has_value()) {
    lines.push_back({"table", table->name,
                     "order " + std::to_string(table->order) + ", stages " + std::to_string(table->stages())});
  }
  if (step.has_value())
    add("step", sunlagrange::text(*step));
  else
    add("rtol, atol", sunlagrange::text(tolerances.rtol) + ", " + sunlagrange::text(tolerances.atol));
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
  for (const auto& [quantity, source] : sources) lines.push_back({quantity, "", source});
  if (!missing_members.empty()) lines.push_back({"members not found", "", joined(missing_members)});
  for (const Fact& fact : statistics)
    lines.push_back({fact.name + (has_stretches ? ", after the last event" : ""), "", fact.text()});
  return lines;
}

std::string Report::text(const Status& status) const {
  std::ostringstream out;
  out << "sunlagrange " << SUNLAGRANGE_VERSION_MAJOR << "." << SUNLAGRANGE_VERSION_MINOR << "."
      << SUNLAGRANGE_VERSION_PATCH << "\n";
  std::vector<std::vector<std::string>> settings = {{"", "asked", "used"}};
  for (const Setting& s : used.lines()) settings.push_back({s.name, s.asked, s.used});
  out << columns("lll", settings) << account(status);
  return out.str();
}

std::string Report::account(const Status& status) const {
  std::ostringstream out;
  for (const Doubt& d : status.doubts) out << "doubt: " << d.text << "\n";
  const auto number = [](double x) { return std::isfinite(x) ? sunlagrange::text(x) : std::string("-"); };
  out << "start: max |g| " << number(start.position_violation_before) << " -> "
      << number(start.position_violation_after) << ", max |g'| " << number(start.velocity_violation_before) << " -> "
      << number(start.velocity_violation_after);
  out << "; rank of G " << start.rank << "\n";
  const auto moved = [&](const char* what, double largest, const std::string& name, const Eigen::VectorXd& moves) {
    if (!(largest > 0.0)) return;
    out << "  moved " << (moves.array() != 0.0).count() << " of " << moves.size() << " " << what << ", most \"" << name
        << "\" by " << number(largest) << "\n";
  };
  moved("positions", start.moved_positions, start.most_moved, start.position_moves);
  moved("velocities", start.moved_velocities, start.most_moved_velocity, start.velocity_moves);
  if (start.status.finished() && !start.status.message.empty()) out << "  " << start.status.message << "\n";
  out << "t " << number(t_start) << " ... " << number(t_reached) << " of " << number(t_end) << "\n";
  out << "steps " << steps << "   error test failures " << error_test_failures << "   nonlinear failures "
      << nonlinear_failures << "\n";
  out << "right-hand sides " << rhs_evaluations << "   Jacobians " << jacobian_evaluations << "   factorizations "
      << factorizations << "   pivot refreshes " << pivot_refreshes << "\n";
  out << "max |g| " << number(max_position_violation) << "   max |g'| " << number(max_velocity_violation)
      << "   energy drift " << number(energy_drift) << " J\n";
  if (std::isfinite(error_growth)) {
    out << "law of the constraint error along the motion: "
        << (error_growth > 0.0 ? "lets it grow by a factor of at most " + number(std::exp(error_growth)) +
                                     ", until t = " + number(t_error_growth)
                               : std::string("never lets it grow"))
        << "\n";
  }
  constexpr std::size_t most_lines = 10;
  if (!events.empty()) {
    out << "events " << events.size() << ", their work " << number(event_work) << " J (not in the drift)\n";
    for (std::size_t k = 0; k < events.size() && k < most_lines; ++k) {
      const EventRecord& e = events[k];
      out << "  t = " << number(e.t) << " " << e.name << (e.done.empty() ? "" : ": " + e.done) << "; kinetic energy "
          << number(e.kinetic_energy_before) << " -> " << number(e.kinetic_energy_after) << " J, max |g'| "
          << number(e.velocity_violation_before) << " -> " << number(e.velocity_violation_after);
      if (e.moved_positions > 0.0) out << ", moved " << number(e.moved_positions);
      out << "; active " << e.active_constraints.size() << " rows\n";
    }
    if (events.size() > most_lines) out << "  ... " << events.size() - most_lines << " more\n";
  }
  out << "smallest singular value (relative) " << number(smallest_singular_value) << ", rank policy acted "
      << rank_actions << " times\n";
  for (std::size_t k = 0; k < rank_events.size() && k < most_lines; ++k) {
    const RankEvent& e = rank_events[k];
    out << "  near-singular at t = " << number(e.t) << " (" << number(e.smallest) << "), constraint \"" << e.constraint
        << "\"" << (e.stepped_over ? ", stepped over" : "") << "; passage " << to_string(e.passage) << " (kink "
        << number(e.kink) << ", energy " << number(e.energy_error) << ")\n";
  }
  if (rank_events.size() > most_lines) out << "  ... " << rank_events.size() - most_lines << " more\n";
  out << "time " << number(wall_seconds) << " s";
  if (wall_seconds > 0.0)
    out << ", " << std::lround(100.0 * monitoring_seconds / wall_seconds) << " % of it monitoring";
  out << "\n";
  out << "references: " << references << "\n";
  out << "status: " << to_string(status.outcome) << (status.message.empty() ? "" : ": " + status.message) << "\n";
  return out.str();
}

}  // namespace sunlagrange
