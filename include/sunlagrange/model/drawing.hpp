// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class MechanicalSystem;

namespace internal {
class ElementGroup;
}

/// The shapes of a mechanism at one state, in ground axes [m]; write_html() animates them. Elements draw themselves in
/// a member `draw` (requirements.hpp):
///
///     void draw(double t, View<const double> q, Drawing& d) const { d.rod(d.ground({0.0, 0.0}), {q[0], q[1]}); }
///
/// An element must draw the same shapes in the same order at every state, because the page identifies them by their
/// place in the list. In the plane z is 0. When not: coordinates that are not places (charges, volumes) have nothing to
/// draw.
class Drawing {
 public:
  /// A place, or a direction, in ground axes [m].
  struct Point {
    double x = 0.0;  ///< along the x axis of the ground
    double y = 0.0;  ///< along its y axis
    double z = 0.0;  ///< along its z axis; 0 in the plane
  };

  /// Shapes of mechanical engineering.
  enum class Kind {
    body,      ///< points fixed in a body, drawn as their convex hull, or as the line between two
    ground,    ///< p: a support on the ground
    mass,      ///< p: a particle, or a centre of mass
    pin,       ///< p: a joint without an axis, or a pin of a planar mechanism
    hinge,     ///< p, p + unit vector along the axis
    rod,       ///< from a to b
    spring,    ///< from a to b
    damper,    ///< from a to b
    rail,      ///< a point of it, the point + its unit direction, the point that slides on it
    box,       ///< eight corners; bits 0, 1, 2 of the number of a corner: the end of the three edges
    inertia,   ///< eight corners of the homogeneous box that has the mass and the inertia of a body, shown on demand
    cylinder,  ///< the two ends of its axis, and a point on the rim of the first end
    sphere,    ///< centre, and a point of the surface
    block,     ///< p, p + unit vector of the direction in which it slides
    disc,      ///< centre, a point on the rim that turns with it, centre + unit vector along the axis
    curve,     ///< a line through these points
    trace,     ///< p: a point whose path is drawn
    gravity,   ///< direction of gravity; the first one is drawn as an arrow
  };

  /// One shape of an element; its points move with the mechanism.
  struct Shape {
    Kind kind;                  ///< says what the points are
    std::string of;             ///< name of the element, or of the coordinate block of a body
    std::vector<Point> points;  ///< points in the order that Kind states
    int part_of = -1;  ///< place in shapes() of the body whose solid this is, drawn instead of its links; -1: none
  };

  /// Declares that p moves with the body whose coordinates begin at number `first` of the element's own. Returns p.
  Point on_body(Point p, int first);
  Point ground(Point p);  ///< declares that p is fixed on the ground; returns p

  void mass(Point p);                                 ///< a particle, or a centre of mass
  void pin(Point p);                                  ///< a joint without an axis, or a pin of a planar mechanism
  void hinge(Point p, Point axis);                    ///< axis: its direction, of any length
  void rod(Point a, Point b);                         ///< from a to b
  void spring(Point a, Point b);                      ///< from a to b
  void damper(Point a, Point b);                      ///< from a to b
  void rail(Point p, Point direction, Point slider);  ///< slider: the point that slides on the rail through p
  /// bits 0, 1, 2 of the number of a corner: the end of the three edges
  void box(const std::array<Point, 8>& corners);
  void inertia(const std::array<Point, 8>& corners);  ///< the box that has mass and inertia of a body, as box()
  void cylinder(Point a, Point b, Point rim);         ///< a, b: ends of its axis; rim: a point on the rim at a
  void sphere(Point centre, Point surface);           ///< surface: a point of its surface
  /// Declares that the last shape is a solid of the body whose coordinates begin at number `first` of the element's
  /// own: the picture shows the solids of a body instead of links between its joints.
  void solid_of(int first);
  void block(Point p, Point direction);                              ///< direction in which it slides
  void disc(Point centre, Point rim, Point axis = {0.0, 0.0, 1.0});  ///< rim: a point that turns with the disc
  void curve(const std::vector<Point>& points);                      ///< a line through these points
  void trace(Point p);                                               ///< p draws its path
  void gravity(Point direction);                                     ///< the first one is drawn as an arrow

  /// Returns the bodies, then all other shapes in the order of drawing.
  const std::vector<Shape>& shapes() const { return shapes_; }

  /// Returns the point of the pin, hinge or block that a joint draws, about which its torque is meant; none: it draws
  /// none of them.
  std::optional<Eigen::Vector3d> place_of_joint(const std::string& joint) const;

 private:
  friend class internal::ElementGroup;
  friend Drawing draw(const MechanicalSystem& system, double t, const Eigen::VectorXd& q);

  void add(Kind kind, std::vector<Point> points);

  std::string element_;               // that is being drawn
  const int* coordinates_ = nullptr;  // numbers of its coordinates in q
  std::vector<Shape> shapes_;
  std::vector<std::vector<Point>> bodies_;  // points of each body, by its first coordinate
};

/// Draws all elements of a system at (t, q); empty if none has a member `draw`.
/// @throws Error on a wrong size of q; what the model throws
Drawing draw(const MechanicalSystem& system, double t, const Eigen::VectorXd& q);

}  // namespace sunlagrange
