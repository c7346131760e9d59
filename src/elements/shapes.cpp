// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/elements/shapes.hpp>

#include <cstddef>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/elements/spatial/body.hpp>

namespace sunlagrange {
namespace {

/// Places of points that are given in axes of the body, in the plane.
class PlaneOutline {
 public:
  PlaneOutline(View<const double> q, Drawing& d) : q_(q), d_(d) {}

  void operator()(const shape::Rod& rod) const { rectangle(rod.length / 2.0, rod.radius); }
  void operator()(const shape::Box& box) const { rectangle(box.length / 2.0, box.width / 2.0); }
  void operator()(const shape::Cylinder& cylinder) const { disc(cylinder.radius); }
  void operator()(const shape::Sphere& sphere) const { disc(sphere.radius); }

 private:
  Drawing::Point at(double x, double y) const { return OnBody{x, y}.draw(q_, 0, d_); }
  void rectangle(double a, double b) const { d_.curve({at(-a, -b), at(a, -b), at(a, b), at(-a, b), at(-a, -b)}); }
  void disc(double radius) const { d_.disc({q_[0], q_[1]}, drawn(OnBody{radius, 0.0}.position(q_.data()))); }

  View<const double> q_;
  Drawing& d_;
};

/// The same in space.
class SpaceOutline {
 public:
  SpaceOutline(View<const double> q, Drawing& d) : q_(q), d_(d) {}

  void operator()(const shape::Rod& rod) const {
    const double a = rod.length / 2.0;
    d_.rod(at({-a, 0.0, 0.0}), at({a, 0.0, 0.0}));
  }
  void operator()(const shape::Box& box) const {
    const double edge[] = {box.length / 2.0, box.width / 2.0, box.height / 2.0};
    std::array<Drawing::Point, 8> corners;
    for (std::size_t k = 0; k < 8; ++k) {
      const auto side = [&](unsigned l) { return (k >> l & 1U) != 0 ? edge[l] : -edge[l]; };
      corners[k] = place({side(0), side(1), side(2)});
    }
    d_.box(corners);
  }
  void operator()(const shape::Cylinder& cylinder) const {
    for (const double z : {-cylinder.height / 2.0, cylinder.height / 2.0}) disc(cylinder.radius, {0.0, 0.0, z}, 0, 2);
  }
  void operator()(const shape::Sphere& sphere) const {
    for (std::size_t axis = 0; axis < 3; ++axis) disc(sphere.radius, {0.0, 0.0, 0.0}, (axis + 1) % 3, axis);
  }

 private:
  using Vector = spatial::Vector3<double>;

  Drawing::Point place(const Vector& s) const {
    const Vector p = spatial::sum(Vector{q_[0], q_[1], q_[2]}, spatial::rotated(spatial::part(q_, 3, 4), s));
    return {p[0], p[1], p[2]};
  }
  Drawing::Point at(const Vector& s) const { return d_.on_body(place(s), 0); }
  void disc(double radius, const Vector& centre, std::size_t rim, std::size_t axis) const {
    Vector on_rim = centre, direction{};
    on_rim[rim] += radius;
    direction[axis] = 1.0;
    const Vector turned = spatial::rotated(spatial::part(q_, 3, 4), direction);
    d_.disc(place(centre), place(on_rim), {turned[0], turned[1], turned[2]});
  }

  View<const double> q_;
  Drawing& d_;
};

}  // namespace

void Solid::draw_in_plane(View<const double> q, Drawing& d) const {
  std::visit(PlaneOutline(q, d), law);
}

void Solid::draw_in_space(View<const double> q, Drawing& d) const {
  std::visit(SpaceOutline(q, d), law);
}

void SpatialSolid::draw(double, View<const double> q, Drawing& d) const {
  d.mass(d.on_body({q[0], q[1], q[2]}, 0));
  shape.draw_in_space(q, d);
  if (gx != 0.0 || gy != 0.0 || gz != 0.0) d.gravity({gx, gy, gz});
}

}  // namespace sunlagrange
