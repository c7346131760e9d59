// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/units.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "analysis/shared/one_coordinate.hpp"
#include "model/coordinate_unit.hpp"
#include "page/curves.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;

/// The analysis, and its curves over time.
class Curves {
 public:
  Curves(const DriveForces& found, const std::vector<GivenMotion>& motions, const MechanicalSystem& system)
      : found_(found), system_(system) {
    for (const GivenMotion& motion : motions)
      driven_.push_back(one_coordinate(system, motion.coordinate, "write_html"));
    for (int i = 0; i < system.num_positions(); ++i) {
      if (std::count(driven_.begin(), driven_.end(), i) == 0) others_.push_back(i);
    }
    for (const MotionState& state : found.states) t_.push_back(state.t);
  }

  const std::vector<int>& driven() const { return driven_; }

  /// Returns the curve of the drive of the j-th given motion.
  Series drive(std::size_t j) const {
    const auto domain = system_.position_domain(driven_[j]);
    Series drive{"drive of " + system_.position_name(driven_[j]), domain ? units_of(*domain).effort : "", {}};
    for (const InverseDynamics& at : found_.drives) drive.y.push_back(at.drive[static_cast<Eigen::Index>(j)]);
    return drive;
  }

  Part part() const {
    std::vector<Series> drives;
    for (std::size_t j = 0; j < driven_.size(); ++j) drives.push_back(drive(j));
    Series power{"power", "W", {}};
    for (const InverseDynamics& at : found_.drives) power.y.push_back(at.power);
    Part part;
    part.title = "Motion";
    std::vector<Pose> poses;
    for (const MotionState& state : found_.states) poses.push_back({state.t, state.t, state.q});
    part.add_scene("", "", scene_json(poses, system_));
    const auto add = [&](const char* title, const std::vector<Series>& curves) {
      if (!curves.empty()) part.charts.push_back(chart_json(title, "t [s]", t_, curves));
    };
    add("Drives", drives);
    add("Power of all drives", {power});
    add("Given motion", of(driven_, &MotionState::q, 0));
    add("Its rates", of(driven_, &MotionState::v, 1));
    add("Its accelerations", of(driven_, &MotionState::a, 2));
    add("What follows", of(others_, &MotionState::q, 0));
    return part;
  }

 private:
  std::vector<Series> of(const std::vector<int>& coordinates, Eigen::VectorXd MotionState::*what, int order) const {
    std::vector<Series> curves;
    for (const int i : coordinates) {
      const std::string name = system_.position_name(i) + std::string(static_cast<std::size_t>(order), '\'');
      Series& curve = curves.emplace_back(Series{name, coordinate_unit(system_, i, order), {}});
      for (const MotionState& state : found_.states) curve.y.push_back((state.*what)[i]);
    }
    return curves;
  }

  const DriveForces& found_;
  const MechanicalSystem& system_;
  std::vector<int> driven_, others_;
  std::vector<double> t_;
};

std::string largest(const Series& curve, const std::vector<MotionState>& states) {
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto most = std::max_element(curve.y.begin(), curve.y.end(), smaller);
  return text(*most) + (curve.unit.empty() ? "" : " " + curve.unit) +
         " at t = " + text(states[static_cast<std::size_t>(most - curve.y.begin())].t) + " s";
}

}  // namespace

void write_html(const DriveForces& found, const std::vector<GivenMotion>& motions, const System& system,
                const PageOutput& out, const std::string& title) {
  if (found.states.empty()) throw Error("write_html: there is no time to show: " + found.status.message);
  require_same(system, found.states.front().q.size());
  if (found.drives.front().drive.size() != static_cast<Eigen::Index>(motions.size()))
    throw Error("write_html: the analysis has " + std::to_string(found.drives.front().drive.size()) + " drives, not " +
                std::to_string(motions.size()) + "; give its motions");
  const Curves curves(found, motions, *system);
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Drives") : title;
  page.parts.push_back(curves.part());
  const bool finished = found.status.finished();
  page.verdict = finished ? "Drives along the whole motion" : "Drives along a part of the motion";
  page.tone = !finished ? "failed" : found.status.message.empty() ? "" : "doubts";
  page.add_note(found.status.message);
  page.facts = {{"times", std::to_string(found.states.size()) + ", " + text(found.states.front().t) + " to " +
                              text(found.states.back().t) + " s"}};
  for (std::size_t j = 0; j < motions.size(); ++j) {
    const Series drive = curves.drive(j);
    page.facts.emplace_back("largest " + drive.name, largest(drive, found.states));
  }
  write(page, out);
}

}  // namespace sunlagrange
