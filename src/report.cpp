#include <sunlagrange/report.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include <sunlagrange/version.hpp>

namespace sunlagrange {

std::string Report::text(const Status& status) const {
  std::ostringstream out;
  out << "sunlagrange " << SUNLAGRANGE_VERSION_MAJOR << "." << SUNLAGRANGE_VERSION_MINOR << "."
      << SUNLAGRANGE_VERSION_PATCH << "\n";
  std::size_t longest = 18;
  for (const Setting& s : settings) longest = std::max(longest, s.asked.size());
  const int width = static_cast<int>(longest) + 2;
  out << std::left << std::setw(32) << "" << std::setw(width) << "asked"
      << "used\n";
  for (const Setting& s : settings) {
    out << std::setw(32) << s.name << std::setw(width) << s.asked << s.used << "\n";
  }
  const auto number = [](double x) { return std::isfinite(x) ? sunlagrange::text(x) : std::string("-"); };
  out << "start: max |g| " << number(start.position_violation_before) << " -> "
      << number(start.position_violation_after) << ", max |g'| " << number(start.velocity_violation_before) << " -> "
      << number(start.velocity_violation_after);
  if (start.moved_positions > 0.0)
    out << ", moved " << number(start.moved_positions) << " (" << start.most_moved << ")";
  out << "; rank of G " << start.rank << "\n";
  out << "t " << number(t_start) << " ... " << number(t_reached) << " of " << number(t_end) << "\n";
  out << "steps " << steps << "   error test failures " << error_test_failures << "   nonlinear failures "
      << nonlinear_failures << "\n";
  out << "right-hand sides " << rhs_evaluations << "   Jacobians " << jacobian_evaluations << "   factorizations "
      << factorizations << "   pivot refreshes " << pivot_refreshes << "\n";
  out << "max |g| " << number(max_position_violation) << "   max |g'| " << number(max_velocity_violation)
      << "   energy drift " << number(energy_drift) << " J\n";
  out << "smallest singular value (relative) " << number(smallest_singular_value) << ", rank policy acted "
      << rank_actions << " times\n";
  constexpr std::size_t most_lines = 10;
  for (std::size_t k = 0; k < rank_events.size() && k < most_lines; ++k) {
    const RankEvent& e = rank_events[k];
    out << "  near-singular at t = " << number(e.t) << " (" << number(e.smallest) << "), constraint \"" << e.constraint
        << "\"" << (e.stepped_over ? ", stepped over" : "") << "\n";
  }
  if (rank_events.size() > most_lines) out << "  ... " << rank_events.size() - most_lines << " more\n";
  out << "time " << number(wall_seconds) << " s\n";
  out << "references: " << references << "\n";
  out << "status: " << to_string(status.outcome) << (status.message.empty() ? "" : ": " + status.message) << "\n";
  return out.str();
}

}  // namespace sunlagrange
