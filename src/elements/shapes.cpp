// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/elements/shapes.hpp>

#include <array>
#include <cstddef>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/elements/spatial/body.hpp>
#include <sunlagrange/elements/spatial/ends.hpp>

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

/// The same in space, for a frame that is fixed in the body.
class SpaceOutline {
 public:
  SpaceOutline(View<const double> q, const BodyEnd& at, Drawing& d) : q_(q), at_(at), d_(d) {}

  void operator()(const shape::Rod& rod) const {
    const double a = rod.length / 2.0;
    d_.cylinder(place({-a, 0.0, 0.0}), place({a, 0.0, 0.0}), place({-a, rod.radius, 0.0}));
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
    const double a = cylinder.height / 2.0;
    d_.cylinder(place({0.0, 0.0, -a}), place({0.0, 0.0, a}), place({cylinder.radius, 0.0, -a}));
  }
  void operator()(const shape::Sphere& sphere) const {
    d_.sphere(place({0.0, 0.0, 0.0}), place({sphere.radius, 0.0, 0.0}));
  }

 private:
  Drawing::Point place(const spatial::Vector3<double>& s) const {
    spatial::Vector3<double> p = at_.point(q_);
    for (int k = 0; k < 3; ++k) p = spatial::sum(p, spatial::scaled(s[static_cast<std::size_t>(k)], at_.axis(k, q_)));
    return spatial::drawn(p);
  }

  View<const double> q_;
  const BodyEnd& at_;
  Drawing& d_;
};

}  // namespace

void Solid::draw_in_plane(View<const double> q, Drawing& d) const {
  std::visit(PlaneOutline(q, d), law);
}

void Solid::draw_in_space(View<const double> q, const BodyEnd& at, Drawing& d) const {
  std::visit(SpaceOutline(q, at, d), law);
  d.solid_of(0);
}

void SpatialSolid::draw(double, View<const double> q, Drawing& d) const {
  d.mass(d.on_body({q[0], q[1], q[2]}, 0));
  shape.draw_in_space(q, BodyEnd(), d);
  if (gx != 0.0 || gy != 0.0 || gz != 0.0) d.gravity({gx, gy, gz});
}

}  // namespace sunlagrange
