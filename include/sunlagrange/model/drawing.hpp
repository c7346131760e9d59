#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class MechanicalSystem;

namespace internal {
class ElementGroup;
}

/// What a mechanism looks like at one state, in ground axes [m]; write_html() makes the moving picture of it. Elements
/// draw themselves in a member `draw`, found like the others (requirements.hpp):
///
///     void draw(double t, View<const double> q, Drawing& d) const { d.rod(d.ground({0.0, 0.0}), {q[0], q[1]}); }
///
/// An element must draw the same shapes in the same order at every state: the page follows them by their place in the
/// list. In the plane z stays 0. When not: coordinates that are not places (charges, volumes) have nothing to draw.
class Drawing {
 public:
  struct Point {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
  };

  enum class Kind {
    body,     ///< points fixed in a body: it is drawn as their convex hull, or the line between two
    ground,   ///< p: here something rests on the ground
    mass,     ///< p: a particle, or a centre of mass
    pin,      ///< p: a joint without an axis, or a pin of a planar mechanism
    hinge,    ///< p, p + unit vector along the axis
    rod,      ///< from a to b
    spring,   ///< from a to b
    damper,   ///< from a to b
    rail,     ///< a point of it, the point + its unit direction, what slides on it
    box,      ///< eight corners; bits 0, 1, 2 of their number: at which end of the edges
    block,    ///< p, p + unit vector along which it slides
    disc,     ///< centre, a point on the rim that turns with it, centre + unit vector along the axis
    curve,    ///< through these points
    trace,    ///< p: its path is drawn
    gravity,  ///< its direction: which way is down, said by the arrow of the first one
  };

  struct Shape {
    Kind kind;
    std::string of;  ///< element, or the block of coordinates of a body
    std::vector<Point> points;
  };

  /// p moves with the body whose coordinates begin at number `first` of the element's own. Returns p, as the next one.
  Point on_body(Point p, int first);
  Point ground(Point p);

  void mass(Point p);
  void pin(Point p);
  void hinge(Point p, Point axis);
  void rod(Point a, Point b);
  void spring(Point a, Point b);
  void damper(Point a, Point b);
  void rail(Point p, Point direction, Point slider);
  void box(const std::array<Point, 8>& corners);
  void block(Point p, Point direction);
  void disc(Point centre, Point rim, Point axis = {0.0, 0.0, 1.0});
  void curve(const std::vector<Point>& points);
  void trace(Point p);
  void gravity(Point direction);

  /// Bodies first, then everything else in the order of drawing.
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  friend class internal::ElementGroup;
  friend Drawing draw(const MechanicalSystem& system, double t, const Eigen::VectorXd& q);

  void add(Kind kind, std::vector<Point> points);

  std::string element_;               // that draws now
  const int* coordinates_ = nullptr;  // its own, numbers in q
  std::vector<Shape> shapes_;
  std::vector<std::vector<Point>> bodies_;  // by the first coordinate
};

/// All elements of a system at (t, q); empty if none has a member `draw`.
/// @throws Error on a wrong size of q; what the model throws
Drawing draw(const MechanicalSystem& system, double t, const Eigen::VectorXd& q);

}  // namespace sunlagrange
