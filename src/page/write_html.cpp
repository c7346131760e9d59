// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/page/write_html.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/results/power_balance.hpp>

#include "base/json.hpp"
#include "base/words.hpp"
#include "model/checks/required_system.hpp"
#include "page/curves.hpp"
#include "page/forces.hpp"
#include "page/page.hpp"
#include "results/between_steps.hpp"

namespace sunlagrange {
namespace internal::embedded {  // cmake/EmbedFiles.cmake
std::string_view run_js();
std::string_view literature_hpp();
}  // namespace internal::embedded

using namespace internal;
namespace {

/// Returns pairs of each key in "[Key1] [Key2]" and its entry in literature.hpp.
std::string references_json(const std::string& keys) {
  const std::string list(embedded::literature_hpp());
  std::vector<std::string> found;
  for (std::size_t i = keys.find('['); i != std::string::npos; i = keys.find('[', i + 1)) {
    const std::string key = keys.substr(i, keys.find(']', i) + 1 - i);
    std::size_t at = list.find("/// " + key);
    if (at == std::string::npos) continue;
    std::string entry;
    at += 4 + key.size();
    for (bool first = true; at < list.size(); first = false) {  // its lines, up to the next key or the end
      const std::size_t end = std::min(list.find('\n', at), list.size());
      std::string line = list.substr(at, end - at);
      if (!first) {
        if (line.rfind("///   ", 0) != 0) break;
        line.erase(0, 3);
      }
      const std::size_t begin = line.find_first_not_of(' ');
      if (begin != std::string::npos) entry += (entry.empty() ? "" : " ") + line.substr(begin);
      at = end + 1;
    }
    found.push_back(json::texts({key, entry}));
  }
  return json::list(found);
}

std::string settings_json(const Report& report) {
  std::vector<std::string> lines;
  for (const Setting& s : report.used.lines()) lines.push_back(json::texts({s.name, s.asked, s.used}));
  return json::list(lines);
}

std::string marks_json(const Report& report) {
  std::vector<std::string> marks;
  for (const RankEvent& e : report.rank_events) {
    marks.push_back(json::Object()
                        .add("t", json::number(e.t))
                        .add("kind", json::text("singular"))
                        .add("text", json::text("nearly singular, smallest singular value " + text(e.smallest) +
                                                "; constraint " + e.constraint + ": passage " + to_string(e.passage)))
                        .str());
  }
  for (const EventRecord& e : report.events) {
    marks.push_back(json::Object()
                        .add("t", json::number(e.t))
                        .add("kind", json::text("event"))
                        .add("text", json::text(e.name + (e.done.empty() ? "" : ": " + e.done)))
                        .str());
  }
  return json::list(marks);
}

/// The numbers that the page shows, as the report describes them.
struct PageFigures {
  Report report;

  void describe(Figures& f) {
    f("t_end", report.t_end, "s", "end that was asked for");
    report.describe_figures(f);
    f("rank", report.start.rank, "rank of G at the start");
  }
};

/// Returns name, unit and meaning of each of them.
std::string described_json() {
  std::vector<std::string> rows;
  for (const FigureInfo& figure : figures_of<PageFigures>())
    rows.push_back(json::texts({figure.name, figure.unit, figure.meaning}));
  return json::list(rows);
}

/// Returns the energy balance of the run, or null if it cannot be computed.
std::string balance_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  constexpr std::size_t most_steps = 5000;  // nine evaluations of every element a step
  if (!system->energy_known() || !has_every_step(run) || !run.report.events.empty() ||
      !run.report.used.switched_off.empty() || run.trajectory.size() > most_steps)
    return "null";
  const EnergyBalance b = energy_balance(run.trajectory, system);
  if (!b.status.finished()) return "null";
  const auto row = [](const std::string& name, double stored, double dissipated, double supplied, double prescribed) {
    return json::list({json::text(name), json::number(stored), json::number(dissipated), json::number(supplied),
                       json::number(prescribed)});
  };
  std::vector<std::string> rows;
  for (const ElementEnergy& e : b.elements) {
    const double size = std::abs(e.stored) + std::abs(e.dissipated) + std::abs(e.supplied) + std::abs(e.prescribed);
    if (size > 1e-12 * b.turnover) rows.push_back(row(e.name, e.stored, e.dissipated, e.supplied, e.prescribed));
  }
  rows.push_back(row("all", b.stored, b.dissipated, b.supplied, b.prescribed));
  return json::Object()
      .add("rows", json::list(rows))
      .add("residual", json::number(b.residual))
      .add("turnover", json::number(b.turnover))
      .add("unresolved", json::number(std::abs(b.residual) +
                                      (run.report.used.step ? 0.0 : run.report.used.tolerances.rtol) * b.turnover))
      .str();
}

std::string data_of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                    const std::string& title) {
  std::vector<std::string> doubts;
  for (const Doubt& d : run.status.doubts) doubts.push_back(d.text);
  return json::Object()
      .add("schema", "1")
      .add("title", json::text(title.empty() ? title_of(*system) : title))
      .add("version", json::text(library_version()))
      .add("outcome", json::text(to_string(run.status.outcome)))
      .add("message", json::text(run.status.message))
      .add("doubts", json::texts(doubts))
      .add("figures", figures_json(PageFigures{run.report}))
      .add("described", described_json())
      .add("formulation", json::text(run.report.used.formulation.used))
      .add("integrator", json::text(run.report.used.integrator.used))
      .add("elements", std::to_string(system->num_elements()))
      .add("scene", scene_json(run, *system))
      .add("curves", curves_json(run, system))
      .add("joints", joints_json(run, system))
      .add("drives", drives_json(run, system))
      .add("ranges", ranges_json(run, *system))
      .add("balance", balance_json(run, system))
      .add("marks", marks_json(run.report))
      .add("settings", settings_json(run.report))
      .add("account", json::text(run.report.text(run.status)))
      .add("references", references_json(run.report.references))
      .str();
}

}  // namespace

void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title) {
  require_system(system, "write_html");
  const Trajectory& path = run.trajectory;
  if (path.empty()) throw Error("write_html: the trajectory is empty; the run has not begun: " + run.status.message);
  if (path.num_positions() != system->num_positions() || path.num_constraints() != system->num_constraints()) {
    throw Error("write_html: the trajectory has " + std::to_string(path.num_positions()) + " positions and " +
                std::to_string(path.num_constraints()) + " constraints, the system " +
                std::to_string(system->num_positions()) + " and " + std::to_string(system->num_constraints()) +
                "; give the system of the run");
  }
  const std::string data = data_of(run, system, title);  // may throw: before anything is written
  write_page(out, title.empty() ? title_of(*system) : title, data, embedded::run_js());
}

void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, const std::string& path,
                const std::string& title) {
  write_page_file(path, [&](std::ostream& out) { write_html(run, system, out, title); });
}

}  // namespace sunlagrange
