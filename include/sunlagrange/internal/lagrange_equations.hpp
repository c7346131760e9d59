// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/local_element.hpp>
#include <sunlagrange/internal/quantities.hpp>

/// Rung 0b: quantities that follow from kinetic energy T, potential energy V and dissipation D of one element.
namespace sunlagrange::internal {

/// Computes M = d2T/dv2.
template <class E>
void mass_from_kinetic(const LocalElement<E>& l, const Point& at, double* M) {
  constexpr int W = Sizes<E>::chunk;
  using Inner = Dual<double, W>;
  using Outer = Dual<Inner, W>;
  Vector<Outer, E> Q(l);
  Vector<Outer, E> V(l);
  sweep(l, [&](const Chunk<W>& rows) {
    return sweep(l, [&](const Chunk<W>& columns) {
      if (columns.first > rows.first) return true;  // M is symmetric
      for (int i = 0; i < l.n; ++i) {
        Q[i] = Outer(at.q[i]);
        V[i] = Outer(at.v[i]);
        rows.seed(V[i], i);
        columns.seed(V[i].value, i);
      }
      const Outer T = l.e.kinetic_energy(Outer(at.t), l.in(Q.data()), l.in(V.data()));
      for (int i = rows.first; i < rows.last; ++i) {
        for (int j = columns.first; j < columns.last; ++j) {
          M[j * l.n + i] = M[i * l.n + j] = T.d[i - rows.first].d[j - columns.first];
        }
      }
      return true;
    });
  });
}

/// Computes r = d/dt(T_v) - T_q + V_q + D_v at acceleration a, for S = double or dual numbers in (q, v).
/// T_v is followed along the motion by a Taylor coefficient: explicit time dependence is included.
template <class E, class S>
void lagrange_residual(const LocalElement<E>& l, const S& t, const S* q, const S* v, const S* a, S* r) {
  using C = Capabilities<E>;
  using Curve = Taylor<S>;
  using Wide = Dual<Curve, Sizes<E>::chunk>;
  Vector<Wide, E> Q(l);
  Vector<Wide, E> V(l);
  Wide time{};
  time.value = Curve(t, S(1.0), S(0.0));
  const View<const Wide> Qv = l.in(Q.data());
  const View<const Wide> Vv = l.in(V.data());
  sweep(l, [&](const auto& chunk) {
    const auto set_variables = [&](bool seed_v) {
      for (int i = 0; i < l.n; ++i) {
        Q[i] = Wide{};
        V[i] = Wide{};
        Q[i].value = Curve(q[i], v[i], S(0.0));
        V[i].value = Curve(v[i], a[i], S(0.0));
        chunk.seed(seed_v ? V[i] : Q[i], i);
      }
    };
    set_variables(true);
    if constexpr (C::has_kinetic) {
      const Wide T = l.e.kinetic_energy(time, Qv, Vv);
      for (int i = chunk.first; i < chunk.last; ++i) r[i] += T.d[i - chunk.first].c1;
    }
    if constexpr (C::has_dissipation) {
      const Wide D = l.e.dissipation(time, Qv, Vv);
      for (int i = chunk.first; i < chunk.last; ++i) r[i] += D.d[i - chunk.first].c0;
    }
    if constexpr (C::has_kinetic || C::has_potential) set_variables(false);
    if constexpr (C::has_kinetic) {
      const Wide T = l.e.kinetic_energy(time, Qv, Vv);
      for (int i = chunk.first; i < chunk.last; ++i) r[i] -= T.d[i - chunk.first].c0;
    }
    if constexpr (C::has_potential) {
      const Wide P = l.e.potential_energy(time, Qv);
      for (int i = chunk.first; i < chunk.last; ++i) r[i] += P.d[i - chunk.first].c0;
    }
    return true;
  });
}

/// Computes the momentum dT/dv.
template <class E>
void momentum_from_kinetic(const LocalElement<E>& l, const Point& at, double* p) {
  using S = Dual<double, Sizes<E>::chunk>;
  Vector<S, E> Q(l);
  Vector<S, E> V(l);
  sweep(l, [&](const auto& chunk) {
    for (int i = 0; i < l.n; ++i) {
      Q[i] = S(at.q[i]);
      V[i] = S(at.v[i]);
      chunk.seed(V[i], i);
    }
    const S T = l.e.kinetic_energy(S(at.t), l.in(Q.data()), l.in(V.data()));
    for (int i = chunk.first; i < chunk.last; ++i) p[i] = T.d[i - chunk.first];
    return true;
  });
}

/// Adds the energy T_v v - T + V, and the power of D and of the explicit dependence on time.
template <class E>
void add_lagrange_energy(const LocalElement<E>& l, const Point& at, double& energy, double& power) {
  using C = Capabilities<E>;
  using S = Dual<double, 2>;  // directions: scaling of v, time
  Vector<S, E> Q(l);
  Vector<S, E> V(l);
  for (int i = 0; i < l.n; ++i) {
    Q[i] = S(at.q[i]);
    V[i] = S(at.v[i]);
    V[i].d[0] = at.v[i];
  }
  S time(at.t);
  time.d[1] = 1.0;
  if constexpr (C::has_kinetic) {
    const S T = l.e.kinetic_energy(time, l.in(Q.data()), l.in(V.data()));
    energy += T.d[0] - T.value;
    power -= T.d[1];
  }
  if constexpr (C::has_potential) {
    const S P = l.e.potential_energy(time, l.in(Q.data()));
    energy += P.value;
    power += P.d[1];
  }
  if constexpr (C::has_dissipation) power -= l.e.dissipation(time, l.in(Q.data()), l.in(V.data())).d[0];
}

/// Computes the dissipated power v D_v.
template <class E>
double dissipated_power(const LocalElement<E>& l, const Point& at) {
  using S = Dual<double, 1>;
  Vector<S, E> Q(l);
  Vector<S, E> V(l);
  for (int i = 0; i < l.n; ++i) {
    Q[i] = S(at.q[i]);
    V[i] = S(at.v[i]);
    V[i].d[0] = at.v[i];
  }
  return l.e.dissipation(S(at.t), l.in(Q.data()), l.in(V.data())).d[0];
}

}  // namespace sunlagrange::internal
