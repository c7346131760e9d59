// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/model/views.hpp>

/// Rotations by Euler parameters e = (e0, e1, e2, e3), e.e = 1, for elements: templated on the scalar, no heap.
/// For start values and evaluation use pose.hpp.
///
/// A(e) s turns a vector s from body axes into ground axes. It is written as the homogeneous quadratic
///
///     A(e) s = (e0^2 - u.u) s + 2 u (u.s) + 2 e0 (u x s),    u = (e1, e2, e3),
///
/// which is |e|^2 times a rotation: constraints stay polynomials, and their derivatives are as cheap as themselves.
/// Angular velocity: 2 E(e) e' in ground axes, 2 G(e) e' in body axes; E and G have orthonormal rows that are
/// orthogonal to e.
namespace sunlagrange::spatial {

/// Coordinates of a body: (x, y, z, e0, e1, e2, e3).
inline constexpr int body_size = 7;

/// Three components of scalars T.
template <class T>
using Vector3 = std::array<T, 3>;

/// Returns a.b.
template <class T, class S>
T dot(const Vector3<T>& a, const Vector3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns a x b.
template <class T, class S>
Vector3<T> cross(const Vector3<T>& a, const Vector3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns a + b.
template <class T>
Vector3<T> sum(const Vector3<T>& a, const Vector3<T>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Returns a - b.
template <class T>
Vector3<T> difference(const Vector3<T>& a, const Vector3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Returns factor x a.
template <class T, class S>
Vector3<T> scaled(const T& factor, const Vector3<S>& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

/// Returns a constant vector as a vector of scalars T.
template <class T>
Vector3<T> constant_vector(const Vector3<double>& a) {
  return {T(a[0]), T(a[1]), T(a[2])};
}

/// Returns the first three coordinates: the position of a point or of a centre of mass.
template <class T>
Vector3<T> first_three(View<const T> q) {
  return {q[0], q[1], q[2]};
}

/// `size` entries from `first` on.
template <class T>
View<T> part(View<T> x, int first, int size) {
  return {x.data() + first, size};
}

/// A(e) s.
template <class T>
Vector3<T> rotated(View<const T> e, const Vector3<double>& s) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const T keep = e[0] * e[0] - dot(u, u);
  const T along = 2.0 * dot(u, s);
  const Vector3<T> across = cross(u, s);
  const T turn = 2.0 * e[0];
  return {keep * s[0] + along * u[0] + turn * across[0], keep * s[1] + along * u[1] + turn * across[1],
          keep * s[2] + along * u[2] + turn * across[2]};
}

/// Time derivative of A(e) s: the same quadratic, polarised. Its second derivative at e'' = 0 is 2 A(e') s.
template <class T>
Vector3<T> rotated_rate(View<const T> e, View<const T> e_dot, const Vector3<double>& s) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const Vector3<T> w{e_dot[1], e_dot[2], e_dot[3]};
  const T keep = 2.0 * (e[0] * e_dot[0] - dot(u, w));
  const T along_u = 2.0 * dot(u, s);
  const T along_w = 2.0 * dot(w, s);
  const Vector3<T> across_u = cross(u, s);
  const Vector3<T> across_w = cross(w, s);
  Vector3<T> rate;
  for (std::size_t k = 0; k < 3; ++k) {
    rate[k] = keep * s[k] + along_u * w[k] + along_w * u[k] + 2.0 * (e_dot[0] * across_u[k] + e[0] * across_w[k]);
  }
  return rate;
}

/// Returns d(F.A(e) s)/de at fixed F: the generalised force of a force F at s on the Euler parameters.
template <class T>
std::array<T, 4> pulled_back(View<const T> e, const Vector3<double>& s, const Vector3<T>& F) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const T along = dot(F, s);
  const T u_s = dot(u, s);
  const T u_F = dot(u, F);
  const Vector3<T> turn = cross(F, s);
  std::array<T, 4> gradient;
  gradient[0] = 2.0 * (e[0] * along - dot(u, turn));
  for (std::size_t k = 0; k < 3; ++k) {
    gradient[k + 1] = 2.0 * (F[k] * u_s + s[k] * u_F - along * u[k] - e[0] * turn[k]);
  }
  return gradient;
}

/// Angular velocity in ground axes, 2 E(e) e'.
template <class T>
Vector3<T> spin_in_ground(View<const T> e, View<const T> e_dot) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const Vector3<T> w{e_dot[1], e_dot[2], e_dot[3]};
  const Vector3<T> across = cross(u, w);
  Vector3<T> spin;
  for (std::size_t k = 0; k < 3; ++k) spin[k] = 2.0 * (e[0] * w[k] - e_dot[0] * u[k] + across[k]);
  return spin;
}

/// Angular velocity in body axes, 2 G(e) e'.
template <class T>
Vector3<T> spin_in_body(View<const T> e, View<const T> e_dot) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const Vector3<T> w{e_dot[1], e_dot[2], e_dot[3]};
  const Vector3<T> across = cross(u, w);
  Vector3<T> spin;
  for (std::size_t k = 0; k < 3; ++k) spin[k] = 2.0 * (e[0] * w[k] - e_dot[0] * u[k] - across[k]);
  return spin;
}

/// 2 E(e)^T torque: generalised force of a torque in ground axes on the Euler parameters.
template <class T>
std::array<T, 4> torque_on_parameters(View<const T> e, const Vector3<T>& torque) {
  const Vector3<T> u{e[1], e[2], e[3]};
  const Vector3<T> across = cross(torque, u);
  return {-2.0 * dot(u, torque), 2.0 * (e[0] * torque[0] + across[0]), 2.0 * (e[0] * torque[1] + across[1]),
          2.0 * (e[0] * torque[2] + across[2])};
}

}  // namespace sunlagrange::spatial
