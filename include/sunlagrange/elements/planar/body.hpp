// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <utility>

#include <sunlagrange/elements/body_with_weight.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/elements/shapes.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Rigid body in the plane: inertia and weight from one mass. Coordinates: centre of mass and angle (x, y [m], phi
/// [rad], counterclockwise).
///
///     T = m (x'^2 + y'^2) / 2 + I phi'^2 / 2,    V = -m (gx x + gy y)
///
/// Assembly::body adds its coordinates and the element under one name, and Assembly::gravity sets gx and gy of all
/// bodies. It is PlanarRigidBody and UniformGravity in one. When not: for a reference point away from the centre of
/// mass: EccentricBody and BodyGravity.
struct PlanarBody : BodyWithWeight<PlanarRigidBody, PlanarField> {
  using BodyWithWeight::BodyWithWeight;
  PlanarBody() = default;
  /// @param mass  m [kg]
  /// @param moment  moment of inertia I about the centre of mass [kg m^2]
  /// @param field_x  acceleration gx of gravity [m/s^2]
  /// @param field_y  gy [m/s^2]
  explicit PlanarBody(double mass, double moment = 1.0, double field_x = 0.0, double field_y = 0.0)
      : BodyWithWeight({mass, moment}, {field_x, field_y}) {}
};

/// Homogeneous solid in the plane: inertia, weight and drawing from one mass and its shape. Coordinates: centre and
/// angle (x, y [m], phi [rad], counterclockwise).
///
/// PlanarBody with the moment of inertia of the shape about its z axis, which is in proportion to m:
///
///     rod m (length^2 / 12 + radius^2 / 4), box m (length^2 + width^2) / 12, cylinder m radius^2 / 2, sphere 2/5 m
///     radius^2
///
/// A density gives the mass: of_density here, `density` beside the parameters in a model file and in Python. When not:
/// for a body whose moment of inertia is known otherwise: PlanarBody.
struct PlanarSolid {
  double m = 1.0;
  Solid shape{};
  double gx = 0.0;
  double gy = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr bool constant_mass_matrix = true;

  /// @param density  of the solid [kg/m^3]
  static PlanarSolid of_density(double density, Solid shape) {
    const double mass = density * shape.volume();
    return {mass, std::move(shape)};
  }
  /// Returns the volume [m^3].
  double volume() const { return shape.volume(); }

  void describe_parameters(Parameters& p) {
    p.not_negative("m", m, "kg", "mass");
    p.part("shape", shape, "shape of the solid");
    p.finite("gx", gx, "m/s^2", "acceleration of gravity along x");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity along y");
  }

  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    body().mass_matrix(t, q, M);
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    body().applied_force(t, q, v, f);
  }
  double energy(double t, View<const double> q, View<const double> v) const { return body().energy(t, q, v); }

  void draw(double t, View<const double> q, Drawing& d) const {
    body().draw(t, q, d);
    shape.draw_in_plane(q, d);
  }

  /// Returns the same body by its numbers.
  PlanarBody body() const { return {{m, m * shape.inertia()[2]}, {gx, gy}}; }
};

/// Particle in the plane: inertia and weight from one mass. Coordinates: its position (x, y) [m].
///
/// T = m (x'^2 + y'^2) / 2, V = -m (gx x + gy y). Assembly::body adds its coordinates and the element under one name,
/// and Assembly::gravity sets gx and gy. It is PointMass and UniformGravity in one. When not: for a body that turns:
/// its rotary inertia is missing, use PlanarBody.
struct PlanarParticle : BodyWithWeight<PointMass, PlanarField> {
  using BodyWithWeight::BodyWithWeight;
  PlanarParticle() = default;
  /// @param mass  m [kg]
  /// @param field_x  acceleration gx of gravity [m/s^2]
  /// @param field_y  gy [m/s^2]
  explicit PlanarParticle(double mass, double field_x = 0.0, double field_y = 0.0)
      : BodyWithWeight({mass}, {field_x, field_y}) {}
};

extern template struct internal::ElementType<PlanarBody>;
extern template struct internal::ElementType<PlanarSolid>;
extern template struct internal::ElementType<PlanarParticle>;

}  // namespace sunlagrange
