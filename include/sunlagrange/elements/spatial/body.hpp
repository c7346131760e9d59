// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/elements/body_with_weight.hpp>
#include <sunlagrange/elements/shapes.hpp>
#include <sunlagrange/elements/spatial/gravity.hpp>
#include <sunlagrange/elements/spatial/point_mass.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Rigid body in space: inertia and weight from one mass. Coordinates: centre of mass and Euler parameters (x, y, z
/// [m], e0, e1, e2, e3).
///
/// SpatialRigidBody with its row "norm", and SpatialGravity, in one: the kinetic energy is that of SpatialRigidBody,
/// and V = -m (gx x + gy y + gz z). Assembly::body adds its coordinates and the element under one name, and
/// Assembly::gravity sets gx, gy and gz of all bodies. When not: for bodies without rotary inertia: SpatialParticle;
/// nor for a reference point away from the centre of mass.
struct SpatialBody : BodyWithWeight<SpatialRigidBody, SpatialField> {
  using BodyWithWeight::BodyWithWeight;
  SpatialBody() = default;
  /// @param mass  m [kg]
  /// @param xx,yy,zz  moments of inertia about the axes of the body through its centre of mass [kg m^2]
  /// @param xy,xz,yz  products of inertia, with the sign that SpatialRigidBody states [kg m^2]
  /// @param norm  inertia of the norm of the Euler parameters [kg m^2]
  /// @param field_x,field_y,field_z  acceleration of gravity [m/s^2]
  explicit SpatialBody(double mass, double xx = 1.0, double yy = 1.0, double zz = 1.0, double xy = 0.0, double xz = 0.0,
                       double yz = 0.0, double norm = mean_moment, double field_x = 0.0, double field_y = 0.0,
                       double field_z = 0.0)
      : BodyWithWeight({mass, xx, yy, zz, xy, xz, yz, norm}, {field_x, field_y, field_z}) {}
};

/// Homogeneous solid in space: inertia, weight and drawing from one mass and its shape. Coordinates: centre and Euler
/// parameters (x, y, z [m], e0, e1, e2, e3).
///
/// SpatialBody with the moments of inertia of the shape, which are in proportion to m:
///
///     rod       m radius^2 / 2 about x, m (length^2 / 12 + radius^2 / 4) about y and z
///     box       m (width^2 + height^2) / 12 about x, and so on
///     cylinder  m radius^2 / 2 about z, m (radius^2 / 4 + height^2 / 12) about x and y
///     sphere    2/5 m radius^2
///
/// A density gives the mass: of_density here, `density` beside the parameters in a model file and in Python. When not:
/// for a body whose inertia is known otherwise: SpatialBody.
struct SpatialSolid {
  double m = 1.0;
  Solid shape{};
  double gx = 0.0;
  double gy = 0.0;
  double gz = 0.0;

  static constexpr int num_positions = SpatialBody::num_positions;
  static constexpr std::array<BlockKind, 1> blocks = SpatialBody::blocks;
  static constexpr int num_constraints = SpatialBody::num_constraints;

  /// @param density  of the solid [kg/m^3]
  static SpatialSolid of_density(double density, Solid shape) {
    const double mass = density * shape.volume();
    return {mass, std::move(shape)};
  }
  /// Returns the volume [m^3].
  double volume() const { return shape.volume(); }

  void describe_parameters(Parameters& p) {
    p.not_negative("m", m, "kg", "mass");
    p.part("shape", shape, "shape of the solid");
    p.finite("gx", gx, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gz", gz, "m/s^2", "acceleration of gravity, ground axes");
  }

  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    body().mass_matrix(t, q, M);
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    body().applied_force(t, q, v, f);
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    body().constraint(t, q, g);
  }
  void constraint_rows(double t, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    body().constraint_rows(t, q, v, g, rate, gamma, G);
  }
  double energy(double t, View<const double> q, View<const double> v) const { return body().energy(t, q, v); }
  std::vector<std::string> constraint_names() const { return body().constraint_names(); }

  /// The solid itself.
  void draw(double t, View<const double> q, Drawing& d) const;

  /// Returns the same body by its numbers.
  SpatialBody body() const {
    const spatial::Vector3<double> J = shape.inertia();
    return {{m, m * J[0], m * J[1], m * J[2]}, {gx, gy, gz}};
  }
};

/// Particle in space: inertia and weight from one mass. Coordinates: its position (x, y, z) [m].
///
/// T = m (x'^2 + y'^2 + z'^2) / 2, V = -m (gx x + gy y + gz z). Assembly::body adds its coordinates and the element
/// under one name, and Assembly::gravity sets gx, gy and gz. It is SpatialPointMass and SpatialGravity in one; joints
/// take it as an end PointEnd. When not: for a body that turns: its rotary inertia is missing, use SpatialBody.
struct SpatialParticle : BodyWithWeight<SpatialPointMass, SpatialField> {
  using BodyWithWeight::BodyWithWeight;
  SpatialParticle() = default;
  /// @param mass  m [kg]
  /// @param field_x,field_y,field_z  acceleration of gravity [m/s^2]
  explicit SpatialParticle(double mass, double field_x = 0.0, double field_y = 0.0, double field_z = 0.0)
      : BodyWithWeight({mass}, {field_x, field_y, field_z}) {}
};

extern template struct internal::ElementType<SpatialBody>;
extern template struct internal::ElementType<SpatialSolid>;
extern template struct internal::ElementType<SpatialParticle>;

}  // namespace sunlagrange
