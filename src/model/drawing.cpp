// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/drawing.hpp>

#include <cmath>
#include <utility>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns p + d / |d|.
Drawing::Point one_unit_from(Drawing::Point p, Drawing::Point d) {
  const double length = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  if (!(length > 0.0)) return p;
  return {p.x + d.x / length, p.y + d.y / length, p.z + d.z / length};
}

/// Returns the name of the block of a coordinate: the part before ".x" or "[0]".
std::string block_of(const std::string& coordinate) {
  return coordinate.substr(0, coordinate.find_last_of(".["));
}

}  // namespace

Drawing::Point Drawing::on_body(Point p, int first) {
  const auto body = static_cast<std::size_t>(coordinates_[first]);
  if (bodies_.size() <= body) bodies_.resize(body + 1);
  bodies_[body].push_back(p);
  return p;
}

Drawing::Point Drawing::ground(Point p) {
  add(Kind::ground, {p});
  return p;
}

void Drawing::mass(Point p) {
  add(Kind::mass, {p});
}
void Drawing::pin(Point p) {
  add(Kind::pin, {p});
}
void Drawing::hinge(Point p, Point axis) {
  add(Kind::hinge, {p, one_unit_from(p, axis)});
}
void Drawing::rod(Point a, Point b) {
  add(Kind::rod, {a, b});
}
void Drawing::spring(Point a, Point b) {
  add(Kind::spring, {a, b});
}
void Drawing::damper(Point a, Point b) {
  add(Kind::damper, {a, b});
}
void Drawing::rail(Point p, Point direction, Point slider) {
  add(Kind::rail, {p, one_unit_from(p, direction), slider});
}
void Drawing::box(const std::array<Point, 8>& corners) {
  add(Kind::box, {corners.begin(), corners.end()});
}
void Drawing::inertia(const std::array<Point, 8>& corners) {
  add(Kind::inertia, {corners.begin(), corners.end()});
}
void Drawing::cylinder(Point a, Point b, Point rim) {
  add(Kind::cylinder, {a, b, rim});
}
void Drawing::sphere(Point centre, Point surface) {
  add(Kind::sphere, {centre, surface});
}
void Drawing::solid_of(int first) {
  shapes_.back().part_of = coordinates_[first];
}
void Drawing::block(Point p, Point direction) {
  add(Kind::block, {p, one_unit_from(p, direction)});
}
void Drawing::disc(Point centre, Point rim, Point axis) {
  add(Kind::disc, {centre, rim, one_unit_from(centre, axis)});
}
void Drawing::curve(const std::vector<Point>& points) {
  add(Kind::curve, points);
}
void Drawing::trace(Point p) {
  add(Kind::trace, {p});
}
void Drawing::gravity(Point direction) {
  add(Kind::gravity, {one_unit_from({}, direction)});
}

void Drawing::add(Kind kind, std::vector<Point> points) {
  shapes_.push_back({kind, element_, std::move(points)});
}

std::optional<Eigen::Vector3d> Drawing::place_of_joint(const std::string& joint) const {
  for (const Shape& shape : shapes_) {
    if (shape.of != joint || shape.points.empty()) continue;
    if (shape.kind == Kind::pin || shape.kind == Kind::hinge || shape.kind == Kind::block)
      return Eigen::Vector3d(shape.points[0].x, shape.points[0].y, shape.points[0].z);
  }
  return std::nullopt;
}

Drawing draw(const MechanicalSystem& system, double t, const Eigen::VectorXd& q) {
  if (q.size() != system.num_positions()) {
    throw Error("draw: q has " + std::to_string(q.size()) + " entries, the system has " +
                std::to_string(system.num_positions()) + " positions");
  }
  Drawing drawing;
  draw_elements(system, t, q.data(), drawing);
  std::vector<Drawing::Shape> bodies;
  std::vector<int> place_of(drawing.bodies_.size(), -1);  // in `bodies`, by the first coordinate
  for (std::size_t i = 0; i < drawing.bodies_.size(); ++i) {
    if (drawing.bodies_[i].empty()) continue;
    place_of[i] = static_cast<int>(bodies.size());
    bodies.push_back({Drawing::Kind::body, block_of(system.position_name(static_cast<int>(i))), drawing.bodies_[i]});
  }
  for (Drawing::Shape& shape : drawing.shapes_) {
    if (shape.part_of >= 0) shape.part_of = place_of[static_cast<std::size_t>(shape.part_of)];
  }
  drawing.shapes_.insert(drawing.shapes_.begin(), bodies.begin(), bodies.end());
  return drawing;
}

}  // namespace sunlagrange
