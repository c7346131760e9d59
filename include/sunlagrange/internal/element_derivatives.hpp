// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/constraint_rows.hpp>
#include <sunlagrange/internal/element_tangent.hpp>
#include <sunlagrange/internal/lagrange_equations.hpp>
#include <sunlagrange/internal/local_element.hpp>
#include <sunlagrange/internal/quantities.hpp>

/// The quantities of one element in local coordinates: rows in constraint_rows.hpp, Newton blocks in
/// element_tangent.hpp, all others here. Derivatives come from the model if it has them, else from dual numbers and
/// Taylor coefficients, else from central differences. Matrices are column-major; rows of constraint matrices are (g,
/// psi). Functions that do not begin with "Adds" overwrite their outputs. False: the element declines the point.
namespace sunlagrange::internal {

template <class E>
inline bool element_mass(const LocalElement<E>& l, const Point& at, double* M) {
  using C = Capabilities<E>;
  if constexpr (C::has_mass) return l.mass_matrix(at.t, at.q, M);
  set_zero(M, l.n * l.n);
  if constexpr (C::has_kinetic) mass_from_kinetic(l, at, M);
  return true;
}

/// Computes f: applied_force minus the velocity-dependent and potential terms of Lagrange's equations (rung 0b).
template <class E>
inline bool element_force(const LocalElement<E>& l, const Point& at, double* f) {
  using C = Capabilities<E>;
  set_zero(f, l.n);
  if constexpr (C::has_force) {
    if (!l.applied_force(at.t, at.q, at.v, f)) return false;
  }
  if constexpr (C::has_energies) {
    Vector<double, E> zero(l);
    Vector<double, E> r(l);
    lagrange_residual(l, at.t, at.q, at.v, static_cast<const double*>(zero.data()), r.data());
    for (int i = 0; i < l.n; ++i) f[i] -= r[i];
  }
  return true;
}

/// Adds the power [W] of applied_force.
template <class E>
inline bool add_applied_power(const LocalElement<E>& l, const Point& at, double& power) {
  if constexpr (Capabilities<E>::has_force) {
    Vector<double, E> f(l);
    if (!l.applied_force(at.t, at.q, at.v, f.data())) return false;
    for (int i = 0; i < l.n; ++i) power += f[i] * at.v[i];
  }
  return true;
}

/// True if the power of the forces can be derived. With a mass matrix of rung 0a that varies, applied_force holds
/// gyroscopic terms, which do no work; the model has to give the energy then.
template <class E>
inline constexpr bool energy_known =
    Capabilities<E>::has_energy || !Capabilities<E>::has_mass || !Capabilities<E>::has_force ||
    (Capabilities<E>::has_energies && Capabilities<E>::constant_mass);

/// Adds energy [J] and power [W].
template <class E>
inline bool add_energy(const LocalElement<E>& l, const Point& at, double& energy, double& power) {
  using C = Capabilities<E>;
  return own_or_derived<C::has_energy>(
      l, OptionalMember::energy,
      [&](const auto& own) {
        energy += own.e.energy(at.t, l.in(at.q), l.in(at.v));
        if constexpr (C::has_power) {
          if (l.has(OptionalMember::power)) power += own.e.power(at.t, l.in(at.q), l.in(at.v));
        }
        return true;
      },
      [&](const auto&) {
        if constexpr (C::has_energies) add_lagrange_energy(l, at, energy, power);
        if constexpr (C::has_mass) {
          Square<double, E> M(l);
          if (!l.mass_matrix(at.t, at.q, M.data())) return false;
          for (int j = 0; j < l.n; ++j) {
            for (int i = 0; i < l.n; ++i) energy += 0.5 * at.v[i] * M[j * l.n + i] * at.v[j];
          }
        }
        return add_applied_power(l, at, power);
      });
}

/// Computes the momentum dT/dv, which is M v where the model gives a mass matrix.
template <class E>
bool element_momentum(const LocalElement<E>& l, const Point& at, double* p) {
  using C = Capabilities<E>;
  set_zero(p, l.n);
  if constexpr (C::has_kinetic) {
    momentum_from_kinetic(l, at, p);
  } else if constexpr (C::has_mass) {
    Square<double, E> M(l);
    if (!l.mass_matrix(at.t, at.q, M.data())) return false;
    for (int j = 0; j < l.n; ++j) {
      for (int i = 0; i < l.n; ++i) p[i] += M[j * l.n + i] * at.v[j];
    }
  }
  return true;
}

/// Adds the dissipated power [W]: v dD/dv, and -v f of an element that is `dissipative`.
template <class E>
bool add_dissipated(const LocalElement<E>& l, const Point& at, double& lost) {
  if constexpr (Capabilities<E>::has_dissipation) lost += dissipated_power(l, at);
  if constexpr (Capabilities<E>::dissipative) {
    double applied_power = 0.0;
    if (!add_applied_power(l, at, applied_power)) return false;
    lost -= applied_power;
  }
  return true;
}

}  // namespace sunlagrange::internal
