// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/model/drawing.hpp>

#include "analysis/pages/analysis_page.hpp"
#include "base/json.hpp"
#include "page/curves.hpp"
#include "page/page.hpp"

namespace sunlagrange {
using namespace internal;
namespace {

using System = std::shared_ptr<const MechanicalSystem>;

constexpr std::size_t most_shapes = 12;
constexpr int phases = 48;
constexpr double share_of_size = 0.125, seconds_of_cycle = 2.5;

/// Returns the points of a drawing; directions are left out.
std::vector<Eigen::Vector3d> places(const Drawing& drawing) {
  std::vector<Eigen::Vector3d> list;
  for (const Drawing::Shape& shape : drawing.shapes()) {
    if (shape.kind == Drawing::Kind::gravity) continue;
    const bool with_direction = shape.kind == Drawing::Kind::hinge || shape.kind == Drawing::Kind::rail ||
                                shape.kind == Drawing::Kind::block || shape.kind == Drawing::Kind::disc;
    for (std::size_t k = 0; k < (with_direction ? 1 : shape.points.size()); ++k)
      list.emplace_back(shape.points[k].x, shape.points[k].y, shape.points[k].z);
  }
  return list;
}

double size_of(const std::vector<Eigen::Vector3d>& points) {
  if (points.empty()) return 0.0;
  Eigen::Vector3d low = points.front(), high = points.front();
  for (const Eigen::Vector3d& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}

/// Returns the factor of the shape that moves the picture by a given share of its size, or 0 if nothing visible moves.
double amplitude(const Linearisation& about, const Mode& mode, const MechanicalSystem& system) {
  constexpr double little = 1e-6;
  const MotionState& state = about.state;
  const std::vector<Eigen::Vector3d> rest = places(draw(system, state.t, state.q));
  double moved = 0.0;
  for (const Eigen::VectorXd& shape : {Eigen::VectorXd(mode.shape.real()), Eigen::VectorXd(mode.shape.imag())}) {
    const std::vector<Eigen::Vector3d> there = places(draw(system, state.t, state.q + little * shape));
    for (std::size_t k = 0; k < std::min(rest.size(), there.size()); ++k)
      moved = std::max(moved, (there[k] - rest[k]).norm() / little);
  }
  const double size = std::max(size_of(rest), little);
  return moved > little * size ? share_of_size * size / moved : 0.0;
}

std::vector<Pose> cycle(const Linearisation& about, const Mode& mode, const System& system) {
  const double factor = amplitude(about, mode, *system);
  std::vector<Pose> poses;
  if (factor == 0.0) return poses;
  for (int k = 0; k <= phases; ++k) {
    const double phase = 2.0 * M_PI * k / phases;
    const Eigen::VectorXd moved =
        about.state.q + factor * (std::cos(phase) * mode.shape.real() - std::sin(phase) * mode.shape.imag());
    const ConsistentState there = consistent_state(system, {about.state.t, moved, about.state.v});
    poses.push_back({360.0 * k / phases, about.state.t, there.report.status.finished() ? there.state.q : moved});
  }
  return poses;
}

std::string words_of(const Mode& mode) {
  if (mode.zero) return "eigenvalue zero: a free motion, or a neighbouring equilibrium";
  if (mode.frequency == 0.0)
    return std::string(mode.eigenvalue.real() < 0.0 ? "dies out" : "grows") + " with " +
           text(std::abs(mode.eigenvalue.real())) + " 1/s, without oscillation";
  return text(mode.frequency) + " Hz, damping ratio " + text(mode.damping_ratio);
}

std::string eigenvalues_json(const Modes& modes) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < modes.modes.size(); ++k) {
    const Mode& mode = modes.modes[k];
    const std::complex<double> mu = mode.zero ? 0.0 : mode.eigenvalue;
    rows.push_back({std::to_string(k + 1), json::number(mu.real()), json::number(mu.imag()),
                    json::number(mode.frequency), json::number(mode.damping_ratio)});
  }
  return table_json("eigenvalues",
                    {{"mode", false},
                     {"real [1/s]", false},
                     {"imaginary [1/s]", false},
                     {"frequency [Hz]", false},
                     {"damping ratio", false}},
                    rows);
}

}  // namespace

void write_html(const Linearisation& linearisation, const Modes& modes, const System& system, const PageOutput& out,
                const std::string& title) {
  require_same(system, linearisation.state.q.size());
  if (!linearisation.status.finished())
    throw Error("write_html: the linearisation is not finished: " + linearisation.status.message);
  AnalysisPage page;
  page.title = title.empty() ? title_of(*system, "Modes") : title;
  page.verdict = modes.verdict;
  page.tone = tone_of(modes.stability);
  page.add_note(linearisation.status.message);
  page.facts = {
      {"about", to_string(linearisation.at)},
      {"degrees of freedom", std::to_string(linearisation.velocities.cols())},
      {"rank, redundant rows", std::to_string(linearisation.rank) + ", " + std::to_string(linearisation.redundant)},
      {"largest force that nothing balances, relative", text(linearisation.imbalance)}};
  Part shapes;
  for (std::size_t k = 0; k < std::min(most_shapes, modes.modes.size()); ++k) {
    const Mode& mode = modes.modes[k];
    shapes.add_scene("Mode " + std::to_string(k + 1), words_of(mode),
                     scene_json(cycle(linearisation, mode, system), *system, {"phase", "°", seconds_of_cycle, true}));
  }
  shapes.title = "Shapes";
  shapes.text = shapes.scenes.empty() ? "Nothing visible moves in these modes."
                                      : "One cycle each, without decay, as large as an eighth of the mechanism.";
  if (modes.modes.size() > most_shapes)
    shapes.text += " The " + std::to_string(most_shapes) + " slowest of " + std::to_string(modes.modes.size()) + ".";
  Part values;
  values.title = "Eigenvalues";
  values.tables = {eigenvalues_json(modes)};
  page.parts = {shapes, values};
  write(page, out);
}

}  // namespace sunlagrange
