// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/differences.hpp>
#include <sunlagrange/internal/local_element.hpp>
#include <sunlagrange/internal/quantities.hpp>

/// Rows of one element with their first and second derivatives along the motion, and their Jacobian: from the model,
/// else from Taylor coefficients and dual numbers in one sweep, else from differences.
namespace sunlagrange::internal {

// ---- g -----------------------------------------------------------------------------------------------------------

/// Computes the Taylor coefficients c0, c1, c2 of g along the motion.
template <class E, class R>
void store_position_levels(const LocalElement<E>& l, R& rows, const LocalRows& out) {
  for (int i = 0; i < l.m_g; ++i) {
    out.g[i] = rows[i].c0;
    out.velocity[i] = rows[i].c1;
    out.bias[i] = -2.0 * rows[i].c2;
  }
}

template <class E>
inline bool taylor_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  using T = Taylor<double>;
  Vector<T, E> Q(l);
  Rows<T, E> R(l);
  for (int i = 0; i < l.n; ++i) Q[i] = T(at.q[i], at.v[i], 0.0);
  if (!l.constraint(T(at.t, 1.0, 0.0), Q.data(), R.data())) return false;
  store_position_levels(l, R, out);
  return true;
}

template <class E>
bool difference_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  set_zero(out.velocity, l.m_g);
  set_zero(out.bias, l.m_g);
  return along_motion(l, at, [&](int k, double t, const double* x) {
    Rows<double, E> R(l);
    if (!l.constraint(t, x, R.data())) return false;
    for (int i = 0; i < l.m_g; ++i) {
      if (k == 0) out.g[i] = R[i];
      out.velocity[i] += k * R[i] / (2.0 * step_second);
      out.bias[i] -= (k == 0 ? -2.0 : 1.0) * R[i] / (step_second * step_second);
    }
    return true;
  });
}

/// Copies the columns of G that a sweep has computed: the gradients of `count` rows from `first_row` on.
template <class E, int W, class R>
void store_gradients(const LocalElement<E>& l, const Chunk<W>& chunk, R& rows, int first_row, int count, double* G) {
  for (int j = chunk.first; j < chunk.last; ++j) {
    for (int i = 0; i < count; ++i) G[j * l.m() + first_row + i] = rows[i].d[j - chunk.first];
  }
}

/// Returns a jet of variable i that changes at `rate`.
template <int W>
Jet<W> moving(double value, double rate) {
  Jet<W> x(value);
  x.c1 = rate;
  return x;
}

/// Computes g, g', gamma and the rows of G in one sweep.
template <class E>
bool jet_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out, double* G) {
  constexpr int W = Sizes<E>::chunk;
  Vector<Jet<W>, E> Q(l);
  Rows<Jet<W>, E> R(l);
  const bool accepts = sweep(l, [&](const Chunk<W>& chunk) {
    for (int i = 0; i < l.n; ++i) {
      Q[i] = moving<W>(at.q[i], at.v[i]);
      chunk.seed(Q[i], i);
    }
    if (!l.constraint(moving<W>(at.t, 1.0), Q.data(), R.data())) return false;
    store_gradients(l, chunk, R, 0, l.m_g, G);
    return true;
  });
  if (accepts) store_position_levels(l, R, out);
  return accepts;
}

/// Copies a matrix of m_g rows into the first rows of one of m rows.
template <class E>
void store_position_rows(const LocalElement<E>& l, const double* rows, double* G) {
  for (int j = 0; j < l.n; ++j) {
    for (int i = 0; i < l.m_g; ++i) G[j * l.m() + i] = rows[j * l.m_g + i];
  }
}

/// Computes g, g', gamma and G by the model's member constraint_rows.
template <class E>
inline bool model_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out, double* G) {
  const auto call = [&](double* matrix) {
    return accepted([&] {
      return l.e.constraint_rows(at.t, l.in(at.q), l.in(at.v), View<double>(out.g, l.m_g),
                                 View<double>(out.velocity, l.m_g), View<double>(out.bias, l.m_g),
                                 MatrixView<double>(matrix, l.m_g, l.n));
    });
  };
  set_zero(out.g, l.m_g);
  set_zero(out.velocity, l.m_g);
  set_zero(out.bias, l.m_g);
  if constexpr (!Capabilities<E>::has_velocity_constraint) {
    return call(G);
  } else {
    RowMatrix<double, E> local(l);
    if (!call(local.data())) return false;
    store_position_rows(l, local.data(), G);
    return true;
  }
}

/// Computes only the rows of G that belong to g, by dual numbers, else by differences.
template <class E>
inline bool derived_position_jacobian(const LocalElement<E>& l, double t, const double* q, double* G) {
  if constexpr (Capabilities<E>::generic_constraint) {
    using T = Dual<double, Sizes<E>::chunk>;
    Vector<T, E> Q(l);
    Rows<T, E> R(l);
    return sweep(l, [&](const auto& chunk) {
      for (int i = 0; i < l.n; ++i) {
        Q[i] = T(q[i]);
        chunk.seed(Q[i], i);
      }
      if (!l.constraint(T(t), Q.data(), R.data())) return false;
      store_gradients(l, chunk, R, 0, l.m_g, G);
      return true;
    });
  } else {
    return central_difference(l, q, [&](const double* x, int j, double scale) {
      Rows<double, E> R(l);
      if (!l.constraint(t, x, R.data())) return false;
      for (int i = 0; i < l.m_g; ++i) G[j * l.m() + i] += scale * R[i];
      return true;
    });
  }
}

/// Computes only the rows of G that belong to g: those of the model, else derived.
template <class E>
inline bool position_jacobian(const LocalElement<E>& l, double t, const double* q, double* G) {
  return own_or_derived<Capabilities<E>::has_jacobian>(
      l, OptionalMember::constraint_jacobian,
      [&](const auto& own) {
        RowMatrix<double, E> local(l);
        if (!accepted(
                [&] { return own.e.constraint_jacobian(t, l.in(q), MatrixView<double>(local.data(), l.m_g, l.n)); }))
          return false;
        store_position_rows(l, local.data(), G);
        return true;
      },
      [&](const auto&) { return derived_position_jacobian(l, t, q, G); });
}

/// Replaces the rates of g by G v + dg/dt with the model's own G. A difference along the motion has an error of its own
/// step; the one in t alone vanishes where g does not depend on t.
template <class E>
inline bool rates_by_jacobian(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  RowMatrix<double, E> G(l);
  Rows<double, E> later(l), earlier(l);
  const double step = difference_step * (1.0 + std::abs(at.t));
  if (!position_jacobian(l, at.t, at.q, G.data()) || !l.constraint(at.t + step, at.q, later.data()) ||
      !l.constraint(at.t - step, at.q, earlier.data()))
    return false;
  for (int i = 0; i < l.m_g; ++i) {
    out.velocity[i] = (later[i] - earlier[i]) / (2.0 * step);
    for (int j = 0; j < l.n; ++j) out.velocity[i] += G[j * l.m() + i] * at.v[j];
  }
  return true;
}

// ---- psi ---------------------------------------------------------------------------------------------------------
// velocity and bias of `out` belong to all rows: those of psi come after the m_g of g.

template <class E, class R>
void store_velocity_levels(const LocalElement<E>& l, R& rows, const LocalRows& out) {
  for (int i = 0; i < l.m_psi; ++i) {
    out.velocity[l.m_g + i] = rows[i].c0;
    out.bias[l.m_g + i] = -rows[i].c1;
  }
}

template <class E>
inline bool taylor_velocity_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  using T = Taylor<double>;
  Vector<T, E> Q(l);
  Vector<T, E> V(l);
  Rows<T, E> R(l);
  for (int i = 0; i < l.n; ++i) {
    Q[i] = T(at.q[i], at.v[i], 0.0);
    V[i] = T(at.v[i], 0.0, 0.0);
  }
  if (!l.velocity_constraint(T(at.t, 1.0, 0.0), Q.data(), V.data(), R.data())) return false;
  store_velocity_levels(l, R, out);
  return true;
}

template <class E>
bool difference_velocity_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  set_zero(out.bias + l.m_g, l.m_psi);
  return along_motion(l, at, [&](int k, double t, const double* x) {
    Rows<double, E> R(l);
    if (!l.velocity_constraint(t, x, at.v, R.data())) return false;
    for (int i = 0; i < l.m_psi; ++i) {
      if (k == 0) out.velocity[l.m_g + i] = R[i];
      out.bias[l.m_g + i] -= k * R[i] / (2.0 * step_second);
    }
    return true;
  });
}

/// Computes psi, gamma and the rows of G in one sweep.
template <class E>
bool jet_velocity_rows(const LocalElement<E>& l, const Point& at, const LocalRows& out, double* G) {
  constexpr int W = Sizes<E>::chunk;
  Vector<Jet<W>, E> Q(l);
  Vector<Jet<W>, E> V(l);
  Rows<Jet<W>, E> R(l);
  const bool accepts = sweep(l, [&](const Chunk<W>& chunk) {
    for (int i = 0; i < l.n; ++i) {
      Q[i] = moving<W>(at.q[i], at.v[i]);
      V[i] = Jet<W>(at.v[i]);
      chunk.seed(V[i], i);
    }
    if (!l.velocity_constraint(moving<W>(at.t, 1.0), Q.data(), V.data(), R.data())) return false;
    store_gradients(l, chunk, R, l.m_g, l.m_psi, G);
    return true;
  });
  if (accepts) store_velocity_levels(l, R, out);
  return accepts;
}

template <class E>
bool difference_velocity_jacobian(const LocalElement<E>& l, double t, const double* q, const double* v, double* G) {
  return central_difference(l, v, [&](const double* x, int j, double scale) {
    Rows<double, E> R(l);
    if (!l.velocity_constraint(t, q, x, R.data())) return false;
    for (int i = 0; i < l.m_psi; ++i) G[j * l.m() + l.m_g + i] += scale * R[i];
    return true;
  });
}

// ---- both --------------------------------------------------------------------------------------------------------

/// Computes g, (g', psi) and gamma.
template <class E>
inline bool constraint_levels(const LocalElement<E>& l, const Point& at, const LocalRows& out) {
  using C = Capabilities<E>;
  if constexpr (C::has_constraint) {
    if constexpr (C::generic_constraint) {
      if (!taylor_rows(l, at, out)) return false;
    } else if constexpr (C::has_rows) {
      RowMatrix<double, E> G(l);
      if (!model_rows(l, at, out, G.data())) return false;
    } else {
      if (!difference_rows(l, at, out)) return false;
      if constexpr (C::has_jacobian) {
        if (l.has(OptionalMember::constraint_jacobian) && !rates_by_jacobian(l, at, out)) return false;
      }
    }
    if constexpr (C::has_bias) {
      if (l.has(OptionalMember::constraint_acceleration_bias)) {
        set_zero(out.bias, l.m_g);
        if (!accepted([&] {
              return l.e.constraint_acceleration_bias(at.t, l.in(at.q), l.in(at.v), View<double>(out.bias, l.m_g));
            }))
          return false;
      }
    }
  }
  if constexpr (C::has_velocity_constraint) {
    if constexpr (C::generic_velocity_constraint) {
      return taylor_velocity_rows(l, at, out);
    } else {
      return difference_velocity_rows(l, at, out);
    }
  }
  return true;
}

/// Computes also G (m x n), in the same sweep where the types allow it.
template <class E>
inline bool constraint_jacobian(const LocalElement<E>& l, const Point& at, const LocalRows& out, double* G) {
  using C = Capabilities<E>;
  set_zero(G, l.m() * l.n);
  constexpr bool jets_g = C::generic_constraint && !C::has_jacobian && !C::has_bias;
  constexpr bool values_included =
      (C::has_rows || jets_g || !C::has_constraint) && (C::generic_velocity_constraint || !C::has_velocity_constraint);
  if constexpr (!values_included) {
    if (!constraint_levels(l, at, out)) return false;
  }
  if constexpr (C::has_constraint) {
    if constexpr (C::has_rows) {
      if (!model_rows(l, at, out, G)) return false;
    } else if constexpr (jets_g) {
      if (!jet_rows(l, at, out, G)) return false;
    } else {
      if (!position_jacobian(l, at.t, at.q, G)) return false;
    }
  }
  if constexpr (C::has_velocity_constraint) {
    if constexpr (C::generic_velocity_constraint) {
      return jet_velocity_rows(l, at, out, G);
    } else {
      return difference_velocity_jacobian(l, at.t, at.q, at.v, G);
    }
  }
  return true;
}

}  // namespace sunlagrange::internal
