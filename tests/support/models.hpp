// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

/// Small models shared by the tests; parameters are chosen so that no term vanishes by accident. What is derived
/// from their members is compiled once, in models.cpp.
namespace sunlagrange::test {

struct Pendulum {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
  double energy(double, View<const double> q, View<const double> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1];
  }
};

/// Three coordinates, full configuration-dependent mass matrix, velocity-dependent force, one rheonomic holonomic and
/// one nonlinear nonholonomic constraint: every block of every Newton matrix is exercised.
struct Everything {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 2.0 + 0.3 * cos(q[1]);
    M(1, 1) = 1.5 + 0.2 * sin(q[0] + t);
    M(2, 2) = 1.2;
    M(0, 1) = M(1, 0) = 0.2 * q[2];
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -3.0 * q[0] - 0.4 * v[0] * v[1] + sin(t);
    f[1] = -2.0 * q[1] * q[2] - 0.1 * v[1];
    f[2] = 1.0 - 0.3 * v[2] * v[2];
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] * q[0] + 0.5 * sin(q[1]) * q[2] + 0.1 * t * q[2] - 0.7;
  }
  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]) + 0.1 * v[2] * v[2] * q[0] - 0.05 * t;
  }
};

/// The same in plain double: everything by differences.
struct EverythingDouble {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  Everything generic;
  void mass_matrix(double t, View<const double> q, MatrixView<double> M) const { generic.mass_matrix(t, q, M); }
  void applied_force(double t, View<const double> q, View<const double> v, View<double> f) const {
    generic.applied_force(t, q, v, f);
  }
  void constraint(double t, View<const double> q, View<double> g) const { generic.constraint(t, q, g); }
  void velocity_constraint(double t, View<const double> q, View<const double> v, View<double> psi) const {
    generic.velocity_constraint(t, q, v, psi);
  }
};

/// Pendulum whose rod is constrained twice, the second time scaled.
struct RedundantPendulum : Pendulum {
  static constexpr int num_constraints = 2;
  double scale = 2.0;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = scale * g[0];
  }
};

/// Two points at unit distance.
struct Link {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T dx = q[2] - q[0];
    const T dy = q[3] - q[1];
    g[0] = 0.5 * (dx * dx + dy * dy - 1.0);
  }
};

}  // namespace sunlagrange::test

namespace sunlagrange {

extern template struct internal::ElementType<test::Pendulum>;
extern template struct internal::ElementType<test::Everything>;
extern template struct internal::ElementType<test::EverythingDouble>;
extern template struct internal::ElementType<test::RedundantPendulum>;
extern template struct internal::ElementType<test::Link>;

}  // namespace sunlagrange
