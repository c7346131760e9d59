// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include <sunlagrange/elements/spatial/rotation.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

class BodyEnd;
class Drawing;

/// Homogeneous solids: what they fill, and how their mass resists turning. PlanarSolid and SpatialSolid take one.
/// Their centre is the origin of the body. `inertia` has the moments about the body axes x, y, z for a mass of 1 kg
/// [m^2]; products of inertia are zero.
namespace shape {

/// Ratio of circumference and diameter.
constexpr double pi = 3.14159265358979323846;

/// Round rod along the x axis of the body, e.g. a link between two joints.
struct Rod {
  static constexpr const char* type_name = "Rod";

  double length = 1.0;
  double radius = 0.01;

  void describe_parameters(Parameters& p) {
    p.positive("length", length, "m", "length along the x axis of the body");
    p.positive("radius", radius, "m", "radius of the round section");
  }

  double volume() const { return pi * radius * radius * length; }  ///< volume, as of Solid
  /// As of Solid.
  spatial::Vector3<double> inertia() const {
    const double across = length * length / 12.0 + radius * radius / 4.0;
    return {radius * radius / 2.0, across, across};
  }
};

/// Box with edges along the axes of the body.
struct Box {
  static constexpr const char* type_name = "Box";

  double length = 1.0;
  double width = 1.0;
  double height = 1.0;

  void describe_parameters(Parameters& p) {
    p.positive("length", length, "m", "edge along the x axis of the body");
    p.positive("width", width, "m", "edge along the y axis of the body");
    p.positive("height", height, "m",
               "edge along the z axis of the body; in the plane for the mass of a density alone");
  }

  double volume() const { return length * width * height; }  ///< volume, as of Solid
  /// As of Solid.
  spatial::Vector3<double> inertia() const {
    return {(width * width + height * height) / 12.0, (length * length + height * height) / 12.0,
            (length * length + width * width) / 12.0};
  }
};

/// Cylinder about the z axis of the body, e.g. a wheel; in the plane a disc.
struct Cylinder {
  static constexpr const char* type_name = "Cylinder";

  double radius = 1.0;
  double height = 1.0;

  void describe_parameters(Parameters& p) {
    p.positive("radius", radius, "m", "radius");
    p.positive("height", height, "m",
               "height along the z axis of the body; in the plane for the mass of a density alone");
  }

  double volume() const { return pi * radius * radius * height; }  ///< volume, as of Solid
  /// As of Solid.
  spatial::Vector3<double> inertia() const {
    const double across = radius * radius / 4.0 + height * height / 12.0;
    return {across, across, radius * radius / 2.0};
  }
};

/// Sphere; in the plane a disc.
struct Sphere {
  static constexpr const char* type_name = "Sphere";

  double radius = 1.0;

  void describe_parameters(Parameters& p) { p.positive("radius", radius, "m", "radius"); }

  double volume() const { return 4.0 / 3.0 * pi * radius * radius * radius; }  ///< volume, as of Solid
  /// As of Solid.
  spatial::Vector3<double> inertia() const {
    const double all = 0.4 * radius * radius;
    return {all, all, all};
  }
};

}  // namespace shape

/// One of the homogeneous solids.
struct Solid : OneOf<shape::Rod, shape::Box, shape::Cylinder, shape::Sphere> {
  using OneOf::OneOf;

  /// Returns the volume [m^3].
  double volume() const {
    return std::visit([](const auto& held) { return held.volume(); }, law);
  }
  /// Returns the moments of inertia about the axes of the body for a mass of 1 kg [m^2].
  spatial::Vector3<double> inertia() const {
    return std::visit([](const auto& held) { return held.inertia(); }, law);
  }

  /// Draws it as part of the body whose coordinates are the first of its element: (x, y, phi).
  void draw_in_plane(View<const double> q, Drawing& d) const;
  /// The same for (x, y, z, Euler parameters). @param at  its centre and its axes on the body
  void draw_in_space(View<const double> q, const BodyEnd& at, Drawing& d) const;
};

}  // namespace sunlagrange
