// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/drawing.hpp>

#include "base/json.hpp"
#include "page/curves.hpp"
#include "results/between_steps.hpp"

namespace sunlagrange::internal {
namespace {

constexpr std::size_t fewest_pictures = 60, most_pictures = 300, most_points = 200000;

/// Returns the number of pictures of a run: fewer of a mechanism with many points, so that the page stays small.
std::size_t pictures_of(const Simulation& run, const MechanicalSystem& system) {
  const Drawing first = draw(system, run.trajectory.t(0), run.trajectory.q(0));
  std::size_t points = 1;
  for (const Drawing::Shape& shape : first.shapes()) points += shape.points.size();
  return std::clamp(most_points / points, fewest_pictures, most_pictures);
}

/// In the order of Drawing::Kind.
constexpr const char* shape_names[] = {"body",   "ground", "mass", "pin",   "hinge",   "rod",
                                       "spring", "damper", "rail", "box",   "inertia", "cylinder",
                                       "sphere", "block",  "disc", "curve", "trace",   "gravity"};
static_assert(std::size(shape_names) == static_cast<std::size_t>(Drawing::Kind::gravity) + 1);

std::vector<Pose> poses(const Simulation& run, const MechanicalSystem& system, std::size_t pictures) {
  const Trajectory& path = run.trajectory;
  std::vector<Pose> list;
  if (!has_every_step(run)) {
    for (const std::size_t k : sampled_states(path.size(), pictures)) list.push_back({path.t(k), path.t(k), path.q(k)});
    return list;
  }
  const CredibleMotion motion(run, system);
  const double begin = path.t(0), end = path.t(path.size() - 1);
  for (std::size_t i = 0; i <= pictures; ++i) {
    const double t =
        i == pictures ? end : begin + (end - begin) * static_cast<double>(i) / static_cast<double>(pictures);
    list.push_back({t, t, motion.position_at(t)});
  }
  return list;
}

bool same_shapes(const Drawing& a, const Drawing& b) {
  const auto same = [](const Drawing::Shape& x, const Drawing::Shape& y) {
    return x.kind == y.kind && x.points.size() == y.points.size();
  };
  return std::equal(a.shapes().begin(), a.shapes().end(), b.shapes().begin(), b.shapes().end(), same);
}

bool in_the_plane(const std::vector<Drawing>& drawings) {
  for (const Drawing& d : drawings) {
    for (const Drawing::Shape& shape : d.shapes()) {
      const bool disc = shape.kind == Drawing::Kind::disc;  // its axis leaves the plane
      for (std::size_t k = 0; k < shape.points.size(); ++k) {
        if (shape.points[k].z != 0.0 && !(disc && k == 2)) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<std::size_t> sampled_states(std::size_t count, std::size_t most) {
  std::vector<std::size_t> states;
  if (count == 0) return states;
  const std::size_t last = count - 1;
  const std::size_t stride = last / most + 1;
  for (std::size_t k = 0; k < last; k += stride) states.push_back(k);
  states.push_back(last);
  return states;
}

std::string scene_json(const Simulation& run, const MechanicalSystem& system) {
  return scene_json(poses(run, system, pictures_of(run, system)), system);
}

std::string scene_json(const std::vector<Pose>& poses, const MechanicalSystem& system, const SceneAxis& axis) {
  std::vector<Drawing> drawings;
  std::vector<double> places;
  for (const Pose& pose : poses) {
    drawings.push_back(draw(system, pose.t, pose.q));
    places.push_back(pose.place);
    if (!same_shapes(drawings.back(), drawings.front())) {
      throw Error("write_html: at " + axis.name + " = " + text(pose.place) +
                  " the elements draw other shapes than at the start: `draw` must " +
                  "draw the same ones in the same order at every state");
    }
  }
  if (drawings.empty() || drawings.front().shapes().empty()) return "null";
  const bool planar = in_the_plane(drawings);
  std::vector<std::string> shapes, frames;
  for (const Drawing::Shape& shape : drawings.front().shapes()) {
    shapes.push_back(json::Object()
                         .add("kind", json::text(shape_names[static_cast<std::size_t>(shape.kind)]))
                         .add("of", json::text(shape.of))
                         .add("points", std::to_string(shape.points.size()))
                         .add("part_of", std::to_string(shape.part_of))
                         .str());
  }
  for (const Drawing& drawing : drawings) {
    std::vector<double> numbers;
    for (const Drawing::Shape& shape : drawing.shapes()) {
      for (const Drawing::Point& p : shape.points) {
        numbers.push_back(p.x);
        numbers.push_back(p.y);
        if (!planar) numbers.push_back(p.z);
      }
    }
    frames.push_back(json::numbers(numbers));
  }
  return json::Object()
      .add("planar", planar ? "true" : "false")
      .add("axis", json::Object()
                       .add("name", json::text(axis.name))
                       .add("unit", json::text(axis.unit))
                       .add("seconds", json::number(axis.seconds))
                       .add("loop", axis.loop ? "true" : "false")
                       .str())
      .add("t", json::numbers(places))
      .add("shapes", json::list(shapes))
      .add("frames", json::list(frames))
      .str();
}

}  // namespace sunlagrange::internal
