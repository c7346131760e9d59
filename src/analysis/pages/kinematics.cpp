// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/units.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "base/words.hpp"
#include "model/coordinate_unit.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;

int number_of(const MechanicalSystem& system, const std::string& coordinate) {
  for (int i = 0; i < system.num_positions(); ++i) {
    if (system.position_name(i) == coordinate) return i;
  }
  throw Error("write_html: coordinate \"" + coordinate + "\" is not in the system; give the system of the analysis");
}

/// Returns the drive force; NaN if it alone does not make the motion, as at a dead point or a crossing of branches.
double drive_at(const KinematicPoint& point, const std::string& coordinate, const System& system,
                const DrivenMotion& motion) {
  const MotionState state = point.state(motion.t, motion.speed, motion.acceleration);
  if (!state.v.allFinite() || !state.a.allFinite()) return std::nan("");
  const InverseDynamics forces = inverse_dynamics(system, state, {coordinate});
  return forces.delivers() ? forces.drive[0] : std::nan("");
}

Part branch_part(const Kinematics& found, const KinematicBranch& branch, const System& system,
                 const DrivenMotion& motion, std::size_t number) {
  const int driven = number_of(*system, found.coordinate);
  const std::string unit = coordinate_unit(*system, driven), xlabel = with_unit(found.coordinate, unit);
  const auto domain = system->position_domain(driven);
  Series drive{"drive", domain ? units_of(*domain).effort : "", {}};
  std::vector<Series> positions, rates;
  for (int i = 0; i < system->num_positions(); ++i) {
    if (i == driven) continue;
    const std::string own = coordinate_unit(*system, i), per = own.empty() || unit.empty() ? "" : own + " per " + unit;
    positions.push_back({system->position_name(i), own, {}});
    rates.push_back({"d " + system->position_name(i) + " / d " + found.coordinate, per, {}});
  }
  std::vector<double> s;
  std::vector<Pose> poses;
  for (const KinematicPoint& point : branch.points) {
    s.push_back(point.s);
    poses.push_back({point.s, motion.t, point.q});
    for (int i = 0, k = 0; i < system->num_positions(); ++i) {
      if (i == driven) continue;
      positions[static_cast<std::size_t>(k)].y.push_back(point.q[i]);
      rates[static_cast<std::size_t>(k++)].y.push_back(point.rate[i]);
    }
    drive.y.push_back(drive_at(point, found.coordinate, system, motion));
  }
  Part part;
  part.title = found.branches.size() > 1 ? "Branch " + std::to_string(number) : "Motion";
  for (const DeadPoint& dead : branch.dead_point)
    part.text = "It ends in a dead point at " + found.coordinate + " = " + text(dead.s) + ".";
  part.add_scene("", "", scene_json(poses, *system, {found.coordinate, unit, 6.0, false}));
  const bool ascending = s.size() < 2 || s.back() > s.front();
  if (!ascending) {  // curves go from left to right
    std::reverse(s.begin(), s.end());
    std::reverse(drive.y.begin(), drive.y.end());
    for (std::vector<Series>* list : {&positions, &rates}) {
      for (Series& curve : *list) std::reverse(curve.y.begin(), curve.y.end());
    }
  }
  if (!positions.empty()) {
    part.charts.push_back(chart_json("Positions", xlabel, s, positions));
    part.charts.push_back(chart_json("Rates", xlabel, s, rates));
  }
  part.charts.push_back(chart_json(
      "Drive at speed " + text(motion.speed) + ", acceleration " + text(motion.acceleration), xlabel, s, {drive}));
  return part;
}

}  // namespace

void write_html(const Kinematics& kinematics, const System& system, const PageOutput& out, const std::string& title,
                const DrivenMotion& motion) {
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Kinematics") : title;
  for (const KinematicBranch& branch : kinematics.branches) {
    if (branch.points.empty()) continue;
    require_same(system, branch.points.front().q.size());
    page.parts.push_back(branch_part(kinematics, branch, system, motion, page.parts.size() + 1));
  }
  if (page.parts.empty()) throw Error("write_html: there is no configuration to show: " + kinematics.status.message);
  const bool finished = kinematics.status.finished();
  const bool crossed = kinematics.status.outcome == Outcome::uncertain_branch &&
                       std::any_of(kinematics.branches.begin(), kinematics.branches.end(),
                                   [](const KinematicBranch& branch) { return !branch.crossings.empty(); });
  page.verdict = finished  ? "Every value of the grid was reached"
                 : crossed ? "Branches cross on the way"
                           : "Not every value of the grid was reached";
  page.tone = finished ? "" : "doubts";
  page.add_note(kinematics.status.message);
  page.facts = {
      {"driven", kinematics.coordinate}, {"branches", std::to_string(page.parts.size())}, {"degrees of freedom", "1"}};
  write(page, out);
}

}  // namespace sunlagrange
