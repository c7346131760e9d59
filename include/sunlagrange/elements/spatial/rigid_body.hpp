// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/rotation.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Inertia of a rigid body in space. Coordinates: centre of mass and Euler parameters (x, y, z [m], e0, e1, e2, e3).
///
///     T = m r'.r' / 2 + w.J w / 2 + 2 N (e.e')^2,    w = 2 G(e) e' the angular velocity in body axes
///
/// J is the inertia tensor about the centre of mass in body axes (with Jxy = -sum x y dm). The element brings the row
/// g = (e.e - 1) / 2 with it, named "norm", which the element itself adds. Because of that row the last term of T is
/// zero in every motion: it changes neither the motion nor any multiplier. It only makes the mass matrix positive
/// definite, 4 G^T J G + 4 N e e^T; without it (norm_inertia = 0) M is singular along e: every solution costs more, and
/// near turns by zero only the linear solver klu gets through. The multiplier of the norm row has no mechanical
/// meaning: it balances the forces on e along e. Start values: SpatialPose (elements/spatial/pose.hpp). Joints:
/// SpatialRevolute and others; weight: SpatialGravity on centre_of(body). When not: for bodies without rotary inertia
/// (J must be positive definite): use SpatialPointMass; nor for a reference point away from the centre of mass.
struct SpatialRigidBody {
  double m = 1.0;
  double Jxx = 1.0, Jyy = 1.0, Jzz = 1.0;
  double Jxy = 0.0, Jxz = 0.0, Jyz = 0.0;
  double norm_inertia = mean_moment;  ///< mean_moment: (Jxx + Jyy + Jzz) / 3

  static constexpr double mean_moment = -1.0;  ///< value of norm_inertia that stands for the mean moment

  static constexpr int num_positions = spatial::body_size;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_body};
  static constexpr int num_constraints = 1;
  static constexpr bool constant_mass_matrix = false;

  /// J must belong to a distribution of mass: of (tr J / 2) I - J, the integral of r r^T dm, no principal minor is
  /// negative. For principal axes this is the triangle inequality.
  void describe_parameters(Parameters& p);

  /// Homogeneous box with edges along the body axes [m].
  static SpatialRigidBody box(double mass, double x, double y, double z) {
    const double k = mass / 12.0;
    return {mass, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y)};
  }

  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    for (int k = 0; k < 3; ++k) M(k, k) = m;
    const View<const T> e = spatial::part(q, 3, 4);
    const double N = used_norm_inertia();
    // columns of G(e), in the order of e: w / 2 = sum of column times e'
    const spatial::Vector3<T> column[4] = {
        {-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int j = 0; j < 4; ++j) {
      const spatial::Vector3<T> momentum = inertia_times(column[j]);
      for (int i = 0; i <= j; ++i) {
        M(3 + i, 3 + j) = M(3 + j, 3 + i) = 4.0 * (spatial::dot(column[i], momentum) + N * e[i] * e[j]);
      }
    }
  }

  /// Gyroscopic terms: -8 G(e')^T J G(e) e' - 4 N (e'.e') e.
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const View<const T> e = spatial::part(q, 3, 4);
    const View<const T> rate = spatial::part(v, 3, 4);
    const spatial::Vector3<T> L = inertia_times(spatial::spin_in_body(e, rate));
    const T square = rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2] + rate[3] * rate[3];
    const T norm = 4.0 * used_norm_inertia() * square;
    f[3] = 4.0 * (rate[1] * L[0] + rate[2] * L[1] + rate[3] * L[2]) - norm * e[0];
    f[4] = -4.0 * (rate[0] * L[0] - rate[3] * L[1] + rate[2] * L[2]) - norm * e[1];
    f[5] = -4.0 * (rate[0] * L[1] + rate[3] * L[0] - rate[1] * L[2]) - norm * e[2];
    f[6] = -4.0 * (rate[0] * L[2] - rate[2] * L[0] + rate[1] * L[1]) - norm * e[3];
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] - 1.0);
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    g[0] = -0.5;
    rate[0] = gamma[0] = 0.0;
    for (int k = 3; k < 7; ++k) {
      g[0] += 0.5 * q[k] * q[k];
      rate[0] += q[k] * v[k];
      gamma[0] -= v[k] * v[k];
      G(0, k) = q[k];
    }
  }

  double energy(double, View<const double> q, View<const double> v) const { return energy_of_motion(q, v); }
  /// Returns the kinetic energy [J].
  double energy_of_motion(View<const double> q, View<const double> v) const {
    const View<const double> e = spatial::part(q, 3, 4);
    const View<const double> rate = spatial::part(v, 3, 4);
    const spatial::Vector3<double> w = spatial::spin_in_body(e, rate);
    const double drift = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2] + e[3] * rate[3];
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 0.5 * spatial::dot(w, inertia_times(w)) +
           2.0 * used_norm_inertia() * drift * drift;
  }

  std::vector<std::string> constraint_names() const { return {"norm"}; }

  /// The homogeneous box with this mass and inertia.
  void draw(double t, View<const double> q, Drawing& d) const;

 private:
  double used_norm_inertia() const { return norm_inertia >= 0.0 ? norm_inertia : (Jxx + Jyy + Jzz) / 3.0; }

  template <class T>
  spatial::Vector3<T> inertia_times(const spatial::Vector3<T>& w) const {
    return {Jxx * w[0] + Jxy * w[1] + Jxz * w[2], Jxy * w[0] + Jyy * w[1] + Jyz * w[2],
            Jxz * w[0] + Jyz * w[1] + Jzz * w[2]};
  }
};

extern template struct internal::ElementType<SpatialRigidBody>;

}  // namespace sunlagrange
