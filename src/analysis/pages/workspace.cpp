// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tuple>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "model/coordinate_unit.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;
using Kind = WorkspaceBoundary::Kind;

constexpr std::size_t most_places = 20000, most_poses = 300;

bool was_reached(const WorkspacePoint& p) {
  return p.reach == Reach::reached || p.reach == Reach::singular;
}

/// Returns the picture in the plane of entries i and j of a place.
std::string places_json(const MechanismWorkspace& found, Eigen::Index i, Eigen::Index j, const std::string& title) {
  PlacesInPlane inside{"reached, darker where it moves more easily", "#0072B2", {}, {}, {}};
  double largest = 0.0;
  for (const WorkspacePoint& p : found.points) {
    if (was_reached(p) && p.manipulability > largest) largest = p.manipulability;
  }
  for (const std::size_t k : sampled_states(found.points.size(), most_places)) {
    const WorkspacePoint& p = found.points[k];
    if (!was_reached(p)) continue;
    inside.x.push_back(p.place[i]);
    inside.y.push_back(p.place[j]);
    inside.shade.push_back(p.manipulability > 0.0 ? p.manipulability / largest : 0.0);
  }
  std::vector<PlacesInPlane> groups = {inside};
  for (const auto& [kind, name, colour] :
       {std::tuple{Kind::end_of_range, "ends of the ranges", "#7a7a7a"}, std::tuple{Kind::limit, "limits", "#E69F00"},
        std::tuple{Kind::dead_point, "dead points", "#000000"}, std::tuple{Kind::singular, "singular", "#D55E00"}}) {
    PlacesInPlane group{name, colour, {}, {}, {}};
    for (const std::size_t k : sampled_states(found.boundary.size(), most_places)) {
      if (found.boundary[k].kind != kind) continue;
      group.x.push_back(found.boundary[k].place[i]);
      group.y.push_back(found.boundary[k].place[j]);
    }
    groups.push_back(std::move(group));
  }
  const auto label = [&found](Eigen::Index k) { return found.point[static_cast<std::size_t>(k)] + " [m]"; };
  return plane_json(title, label(i), label(j), groups);
}

/// Returns some of the combinations in an order without jumps.
std::vector<Pose> poses_of(const MechanismWorkspace& found, double t) {
  std::vector<std::size_t> way = {0};
  for (std::size_t k = 0; k < found.grid.size(); ++k) {  // alternates the direction
    std::vector<std::size_t> longer;
    const std::size_t values = found.grid[k].size();
    for (std::size_t i = 0; i < way.size(); ++i) {
      for (std::size_t j = 0; j < values; ++j) longer.push_back(way[i] * values + (i % 2 == 0 ? j : values - 1 - j));
    }
    way = std::move(longer);
  }
  way.erase(std::remove_if(way.begin(), way.end(), [&](std::size_t k) { return !was_reached(found.points[k]); }),
            way.end());
  std::vector<Pose> poses;
  for (const std::size_t k : sampled_states(way.size(), most_poses))
    poses.push_back({static_cast<double>(poses.size() + 1), t, found.points[way[k]].q});
  return poses;
}

std::string ranges_json(const MechanismWorkspace& found, const MechanicalSystem& system) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < found.driven.size(); ++k) {
    const std::vector<double>& grid = found.grid[k];
    rows.push_back({json::text(found.driven[k]),
                    json::text(coordinate_unit(system, system.position_indices(found.driven[k])[0])),
                    json::number(grid.front()), json::number(grid.back()), std::to_string(grid.size()),
                    std::to_string(found.missing.empty() ? 0 : found.missing[k].size())});
  }
  return table_json("driven coordinates",
                    {{"driven", true},
                     {"", true},
                     {"from", false},
                     {"to", false},
                     {"values", false},
                     {"reached by no combination", false}},
                    rows);
}

}  // namespace

void write_html(const MechanismWorkspace& workspace, const System& system, const PageOutput& out,
                const std::string& title) {
  const auto first = std::find_if(workspace.points.begin(), workspace.points.end(), was_reached);
  if (first == workspace.points.end())
    throw Error("write_html: there is no place to show: " + workspace.status.message);
  require_same(system, first->q.size());
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Workspace") : title;
  const long reached = workspace.count(Reach::reached) + workspace.count(Reach::singular);
  const long all = static_cast<long>(workspace.points.size());
  page.verdict = reached == all ? "Every combination was reached"
                                : std::to_string(reached) + " of " + std::to_string(all) + " combinations were reached";
  page.tone = reached == all ? "" : "doubts";
  page.add_note(workspace.status.message);
  const auto count = [&workspace](Kind kind) {
    return std::to_string(std::count_if(workspace.boundary.begin(), workspace.boundary.end(),
                                        [kind](const WorkspaceBoundary& b) { return b.kind == kind; }));
  };
  page.facts = {{"combinations", std::to_string(all)},
                {"singular places", count(Kind::singular)},
                {"dead points", count(Kind::dead_point)},
                {"outside the limits", std::to_string(workspace.count(Reach::outside_limits))}};
  Part places;
  places.title = "Places";
  places.text =
      "Shades: the smallest singular value of the derivative of the place by the driven coordinates. "
      "Squares on top: what may bound the set.";
  if (workspace.point.size() == 2U) {
    places.planes = {places_json(workspace, 0, 1, "")};
  } else {
    for (const auto& [i, j] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}})
      places.planes.push_back(places_json(workspace, i, j,
                                          "Seen along the third axis: " + workspace.point[static_cast<std::size_t>(i)] +
                                              ", " + workspace.point[static_cast<std::size_t>(j)]));
  }
  places.tables = {ranges_json(workspace, *system)};
  Part motion;
  motion.title = "Mechanism";
  motion.text = "It goes through the combinations, some of them left out.";
  motion.add_scene("", "", scene_json(poses_of(workspace, 0.0), *system, {"picture", "", 12.0, false}));
  page.parts = {places};
  if (!motion.scenes.empty()) page.parts.push_back(motion);
  write(page, out);
}

}  // namespace sunlagrange
