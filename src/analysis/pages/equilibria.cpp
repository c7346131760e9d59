// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "model/coordinate_unit.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;

/// Values below the tolerance times this share of the largest value of any unit count as zero.
constexpr double of_other_units = 1e-4;

/// Values below the tolerance of the search count as zero.
std::string settled(double x, double scale) {
  return json::number(std::abs(x) > EquilibriumOptions{}.tolerance * scale ? x : 0.0);
}

/// Returns an empty string for Euler parameters and coordinates without a meaning.
std::string effort_unit(const MechanicalSystem& system, int i) {
  const std::optional<Domain> domain = system.position_domain(i);
  return domain && coordinate_unit(system, i) != "1" ? units_of(*domain).effort : "";
}

/// Returns a table of positions and the constraint forces along them.
std::string coordinates_json(const MechanicalSystem& system, const Equilibrium& found) {
  std::vector<Row> rows;
  std::map<std::string, double> largest;  // largest value of each unit
  for (int i = 0; i < system.num_positions(); ++i) {
    double& so_far = largest[effort_unit(system, i)];
    so_far = std::max(so_far, std::abs(found.reaction[i]));
  }
  const double other = found.reaction.size() > 0 ? of_other_units * found.reaction.lpNorm<Eigen::Infinity>() : 0.0;
  for (int i = 0; i < system.num_positions(); ++i)
    rows.push_back({json::text(system.position_name(i)), settled(found.state.q[i], system.natural_scales()[i]),
                    json::text(coordinate_unit(system, i)),
                    settled(found.reaction[i], std::max(largest[effort_unit(system, i)], other)),
                    json::text(effort_unit(system, i))});
  return table_json("coordinates",
                    {{"coordinate", true}, {"position", false}, {"", true}, {"reaction", false}, {"", true}}, rows);
}

/// Adds the table of multipliers, unless there are no constraints. Their units are known to the model alone.
void add_multipliers(const MechanicalSystem& system, const Equilibrium& found, Part& part) {
  std::vector<Row> rows;
  const Eigen::VectorXd& lambda = found.state.lambda;
  for (int i = 0; i < system.num_constraints(); ++i)
    rows.push_back(
        {json::text(system.constraint_name(i)), settled(lambda[i], of_other_units * lambda.lpNorm<Eigen::Infinity>())});
  if (rows.empty()) return;
  part.tables.push_back(table_json("multipliers", {{"constraint", true}, {"λ", false}}, rows));
}

/// Returns the largest natural scale of the translations, or 1 if there are none.
double length_of(const MechanicalSystem& system) {
  double length = 0.0;
  for (int i = 0; i < system.num_positions(); ++i) {
    if (system.position_domain(i) == Domain::translation) length = std::max(length, system.natural_scales()[i]);
  }
  return length > 0.0 ? length : 1.0;
}

/// Returns an empty string if there are only generic coordinates.
void add_joint_forces(const System& system, const Equilibrium& found, Part& part) {
  std::vector<Row> rows;
  const MotionState& s = found.state;
  const std::vector<JointForce> joints =
      joint_forces(system, s.t, s.q, Eigen::VectorXd::Zero(system->num_positions()), s.lambda);
  double force = 0.0, torque = 0.0;
  for (const JointForce& f : joints) {
    force = std::max(force, f.force.lpNorm<Eigen::Infinity>());
    torque = std::max(torque, f.torque.lpNorm<Eigen::Infinity>());
  }
  torque = std::max(torque, force * length_of(*system));  // rounding of these forces can make a torque
  for (const JointForce& f : joints) {
    Row row = {json::text(f.joint), json::text(f.body)};
    for (int i = 0; i < 3; ++i) row.push_back(settled(f.force[i], force));
    for (int i = 0; i < 3; ++i) row.push_back(settled(f.torque[i], torque));
    row.push_back(json::text(f.unique ? "yes" : "no"));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return;
  part.tables.push_back(table_json("joint forces in ground axes, torques about the reference points of the bodies",
                                   {{"joint", true},
                                    {"acts on", true},
                                    {"Fx [N]", false},
                                    {"Fy [N]", false},
                                    {"Fz [N]", false},
                                    {"Mx [N m]", false},
                                    {"My [N m]", false},
                                    {"Mz [N m]", false},
                                    {"unique", true}},
                                   rows));
}

}  // namespace

void write_html(const std::vector<Equilibrium>& equilibria, const System& system, const PageOutput& out,
                const std::string& title) {
  if (equilibria.empty()) throw Error("write_html: there is no equilibrium to show");
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Equilibria") : title;
  const auto stable = std::count_if(equilibria.begin(), equilibria.end(), [](const Equilibrium& found) {
    return found.modes.stability == Stability::stable || found.modes.stability == Stability::asymptotic;
  });
  page.verdict = std::to_string(equilibria.size()) + (equilibria.size() == 1 ? " equilibrium, " : " equilibria, ") +
                 std::to_string(stable) + " stable";
  for (std::size_t k = 0; k < equilibria.size(); ++k) {
    const Equilibrium& found = equilibria[k];
    require_same(system, found.state.q.size());
    if (!found.status.finished()) throw Error("write_html: an equilibrium is not finished: " + found.status.message);
    page.add_note(found.status.message);
    Part part;
    part.title =
        "Equilibrium " + std::to_string(k + 1) + ": " +
        (found.modes.stability == Stability::asymptotic ? "asymptotically stable" : to_string(found.modes.stability));
    part.text = found.modes.verdict;
    part.add_scene("", "", scene_json({{0.0, found.state.t, found.state.q}}, *system, {"pose", "", 1.0, false}));
    part.tables = {coordinates_json(*system, found)};
    add_joint_forces(system, found, part);
    add_multipliers(*system, found, part);
    page.parts.push_back(std::move(part));
  }
  page.tone = tone_of(equilibria.front().modes.stability);
  write(page, out);
}

}  // namespace sunlagrange
