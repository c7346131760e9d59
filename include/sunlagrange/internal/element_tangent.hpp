// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/constraint_rows.hpp>
#include <sunlagrange/internal/differences.hpp>
#include <sunlagrange/internal/lagrange_equations.hpp>
#include <sunlagrange/internal/local_element.hpp>
#include <sunlagrange/internal/quantities.hpp>

/// Blocks of the Newton matrices of one element: derivatives of r = M a + G^T lambda - f and of the rates of its rows,
/// see Workspace. The blocks arrive filled with zeros; every function adds its part.
namespace sunlagrange::internal {

// ---- dr/dq, dr/dv ------------------------------------------------------------------------------------------------

/// Scalar of a residual that is to be differentiated by q or v.
template <class E>
using First = Dual<double, Sizes<E>::chunk>;

/// Adds the Jacobian of r(q, v) to residual_q, and to residual_v if r depends on v. r(Q, V, R) adds to zeros.
template <class E, class Residual>
bool residual_jacobian(const LocalElement<E>& l, const Point& at, const LocalTangent& out, bool by_v, Residual&& r) {
  using S = First<E>;
  Vector<S, E> Q(l);
  Vector<S, E> V(l);
  Vector<S, E> R(l);
  for (int side = 0; side < (by_v ? 2 : 1); ++side) {
    double* target = side == 0 ? out.residual_q : out.residual_v;
    const bool accepts = sweep(l, [&](const auto& chunk) {
      for (int i = 0; i < l.n; ++i) {
        Q[i] = S(at.q[i]);
        V[i] = S(at.v[i]);
        R[i] = S();
        chunk.seed(side == 0 ? Q[i] : V[i], i);
      }
      if (!r(Q.data(), V.data(), R.data())) return false;
      for (int j = chunk.first; j < chunk.last; ++j) {
        for (int i = 0; i < l.n; ++i) target[j * l.n + i] += R[i].d[j - chunk.first];
      }
      return true;
    });
    if (!accepts) return false;
  }
  return true;
}

/// Adds the Jacobian by central differences in q and in v: add(q, v, target, column, scale), with target = by_q, then
/// by_v.
template <class E, class Add>
bool differences_in_q_and_v(const LocalElement<E>& l, const Point& at, double* by_q, double* by_v, Add&& add) {
  return central_difference(l, at.q,
                            [&](const double* q, int j, double scale) { return add(q, at.v, by_q, j, scale); }) &&
         central_difference(l, at.v,
                            [&](const double* v, int j, double scale) { return add(at.q, v, by_v, j, scale); });
}

/// Adds the block n x n that a member of the model fills: fill(matrix).
template <class E, class Fill>
bool add_own(const LocalElement<E>& l, double* target, Fill&& fill) {
  Square<double, E> own(l);
  if (!accepted([&] { return fill(MatrixView<double>(own.data(), l.n, l.n)); })) return false;
  for (int k = 0; k < l.n * l.n; ++k) target[k] += own[k];
  return true;
}

template <class E>
bool derived_inertia_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::generic_mass) {
    using S = First<E>;
    return residual_jacobian(l, at, out, false, [&](const S* Q, const S*, S* r) {
      Square<S, E> M(l);
      if (!l.mass_matrix(S(at.t), Q, M.data())) return false;
      for (int j = 0; j < l.n; ++j) {
        for (int i = 0; i < l.n; ++i) r[i] += M[j * l.n + i] * at.a[j];
      }
      return true;
    });
  } else {
    return central_difference(l, at.q, [&](const double* q, int k, double scale) {
      Square<double, E> M(l);
      if (!l.mass_matrix(at.t, q, M.data())) return false;
      for (int j = 0; j < l.n; ++j) {
        for (int i = 0; i < l.n; ++i) out.residual_q[k * l.n + i] += scale * M[j * l.n + i] * at.a[j];
      }
      return true;
    });
  }
}

template <class E>
bool add_inertia_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  using C = Capabilities<E>;
  if constexpr (!C::has_mass || C::constant_mass) {
    return true;
  } else {
    if (l.constant_mass()) return true;
    return own_or_derived<C::has_inertia_jacobian>(
        l, OptionalMember::inertia_jacobian,
        [&](const auto& own) {
          return add_own(l, out.residual_q,
                         [&](auto matrix) { return own.e.inertia_jacobian(at.t, l.in(at.q), l.in(at.a), matrix); });
        },
        [&](const auto&) { return derived_inertia_tangent(l, at, out); });
  }
}

template <class E>
bool derived_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::generic_force) {
    using S = First<E>;
    return residual_jacobian(l, at, out, true, [&](const S* Q, const S* V, S* r) {
      if (!l.applied_force(S(at.t), Q, V, r)) return false;
      for (int i = 0; i < l.n; ++i) r[i] = -r[i];
      return true;
    });
  } else {
    const auto add = [&](const double* q, const double* v, double* target, int j, double scale) {
      Vector<double, E> f(l);
      if (!l.applied_force(at.t, q, v, f.data())) return false;
      for (int i = 0; i < l.n; ++i) target[j * l.n + i] -= scale * f[i];
      return true;
    };
    return differences_in_q_and_v(l, at, out.residual_q, out.residual_v, add);
  }
}

template <class E>
bool add_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  using C = Capabilities<E>;
  if constexpr (!C::has_force) {
    return true;
  } else {
    return own_or_derived<C::has_force_jacobians>(
        l, OptionalMember::force_jacobians,
        [&](const auto& own) {
          Square<double, E> f_q(l);
          Square<double, E> f_v(l);
          if (!accepted([&] {
                return own.e.force_jacobians(at.t, l.in(at.q), l.in(at.v), MatrixView<double>(f_q.data(), l.n, l.n),
                                             MatrixView<double>(f_v.data(), l.n, l.n));
              }))
            return false;
          for (int k = 0; k < l.n * l.n; ++k) {
            out.residual_q[k] -= f_q[k];
            out.residual_v[k] -= f_v[k];
          }
          return true;
        },
        [&](const auto&) { return derived_force_tangent(l, at, out); });
  }
}

template <class E>
bool add_lagrange_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::has_energies) {
    using S = First<E>;
    return residual_jacobian(l, at, out, true, [&](const S* Q, const S* V, S* r) {
      Vector<S, E> A(l);
      for (int i = 0; i < l.n; ++i) A[i] = S(at.a[i]);
      lagrange_residual<E, S>(l, S(at.t), Q, V, A.data(), r);
      return true;
    });
  }
  return true;
}

/// Adds the derivative of G^T lambda for `count` rows that are templated on the scalar and that evaluate(t, Q, V, R)
/// writes. Their part of G is the derivative by v if they depend on v, else by q.
template <class E, class Evaluate>
bool add_generic_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out, bool by_v, int count,
                               const double* lambda, Evaluate&& evaluate) {
  using S = First<E>;
  using Wide = Dual<S, Sizes<E>::chunk>;
  return residual_jacobian(l, at, out, by_v, [&](const S* Q, const S* V, S* r) {
    Vector<Wide, E> X(l);
    Vector<Wide, E> Y(l);
    Rows<Wide, E> R(l);
    return sweep(l, [&](const auto& chunk) {
      for (int i = 0; i < l.n; ++i) {
        X[i] = Wide();
        Y[i] = Wide();
        X[i].value = Q[i];
        Y[i].value = V[i];
        chunk.seed(by_v ? Y[i] : X[i], i);
      }
      if (!evaluate(Wide(at.t), X.data(), Y.data(), R.data())) return false;
      for (int j = chunk.first; j < chunk.last; ++j) {
        for (int i = 0; i < count; ++i) r[j] += R[i].d[j - chunk.first] * lambda[i];
      }
      return true;
    });
  });
}

template <class E>
bool derived_position_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::generic_constraint) {
    return add_generic_force_tangent(
        l, at, out, false, l.m_g, at.lambda,
        [&](const auto& time, const auto* Q, const auto*, auto* R) { return l.constraint(time, Q, R); });
  } else {
    return central_difference(l, at.q, [&](const double* q, int k, double scale) {
      RowMatrix<double, E> G(l);
      if (!position_jacobian(l, at.t, q, G.data())) return false;
      for (int j = 0; j < l.n; ++j) {
        for (int i = 0; i < l.m_g; ++i) out.residual_q[k * l.n + j] += scale * G[j * l.m() + i] * at.lambda[i];
      }
      return true;
    });
  }
}

/// Adds the derivative of G^T lambda for the g rows.
template <class E>
bool add_position_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  return own_or_derived<Capabilities<E>::has_constraint_force_jacobian>(
      l, OptionalMember::constraint_force_jacobian,
      [&](const auto& own) {
        return add_own(l, out.residual_q, [&](auto matrix) {
          return own.e.constraint_force_jacobian(at.t, l.in(at.q), View<const double>(at.lambda, l.m_g), matrix);
        });
      },
      [&](const auto&) { return derived_position_force_tangent(l, at, out); });
}

/// Adds the derivative of G^T lambda for the psi rows.
template <class E>
bool add_velocity_force_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  const double* lambda = at.lambda + l.m_g;
  if constexpr (Capabilities<E>::generic_velocity_constraint) {
    return add_generic_force_tangent(
        l, at, out, true, l.m_psi, lambda,
        [&](const auto& time, const auto* Q, const auto* V, auto* R) { return l.velocity_constraint(time, Q, V, R); });
  } else {
    const auto add = [&](const double* q, const double* v, double* target, int k, double scale) {
      RowMatrix<double, E> G(l);
      if (!difference_velocity_jacobian(l, at.t, q, v, G.data())) return false;
      for (int j = 0; j < l.n; ++j) {
        for (int i = 0; i < l.m_psi; ++i) target[k * l.n + j] += scale * G[j * l.m() + l.m_g + i] * lambda[i];
      }
      return true;
    };
    return differences_in_q_and_v(l, at, out.residual_q, out.residual_v, add);
  }
}

// ---- rows: G' and G'' along the motion; d(g'')/dv = 2 G' is the identity behind the factor two
// -------------------------

template <class E>
bool add_position_row_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::generic_constraint) {
    using T = Dual<Taylor<double>, Sizes<E>::chunk>;
    Vector<T, E> Q(l);
    Rows<T, E> R(l);
    T time;
    time.value = Taylor<double>(at.t, 1.0, 0.0);
    return sweep(l, [&](const auto& chunk) {
      for (int i = 0; i < l.n; ++i) {
        Q[i] = T();
        Q[i].value = Taylor<double>(at.q[i], at.v[i], 0.5 * at.a[i]);
        chunk.seed(Q[i], i);
      }
      if (!l.constraint(time, Q.data(), R.data())) return false;
      for (int j = chunk.first; j < chunk.last; ++j) {
        for (int i = 0; i < l.m_g; ++i) {
          const Taylor<double>& column = R[i].d[j - chunk.first];
          out.velocity_q[j * l.m() + i] = column.c1;
          out.acceleration_q[j * l.m() + i] = 2.0 * column.c2;
          out.acceleration_v[j * l.m() + i] = 2.0 * column.c1;
        }
      }
      return true;
    });
  } else {
    constexpr double h = 5e-3;  // G may itself be a difference: its error 1e-10 stays small after division by h^2
    Vector<double, E> x(l);
    for (int k = -1; k <= 1; ++k) {
      const double s = k * h;
      for (int i = 0; i < l.n; ++i) x[i] = at.q[i] + s * at.v[i] + 0.5 * s * s * at.a[i];
      RowMatrix<double, E> G(l);
      if (!position_jacobian(l, at.t + s, x.data(), G.data())) return false;
      for (int j = 0; j < l.n; ++j) {
        for (int i = 0; i < l.m_g; ++i) {
          const int e = j * l.m() + i;
          out.velocity_q[e] += k * G[e] / (2.0 * h);
          out.acceleration_v[e] += k * G[e] / h;
          out.acceleration_q[e] += (k == 0 ? -2.0 : 1.0) * G[e] / (h * h);
        }
      }
    }
    return true;
  }
}

template <class E>
bool add_velocity_row_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  if constexpr (Capabilities<E>::generic_velocity_constraint) {
    using T = Dual<Taylor<double>, Sizes<E>::chunk>;
    Vector<T, E> Q(l);
    Vector<T, E> V(l);
    Rows<T, E> R(l);
    T time;
    time.value = Taylor<double>(at.t, 1.0, 0.0);
    for (const bool by_v : {false, true}) {
      const bool accepts = sweep(l, [&](const auto& chunk) {
        for (int i = 0; i < l.n; ++i) {
          Q[i] = T();
          V[i] = T();
          Q[i].value = Taylor<double>(at.q[i], at.v[i], 0.0);
          V[i].value = Taylor<double>(at.v[i], at.a[i], 0.0);
          chunk.seed(by_v ? V[i] : Q[i], i);
          if (by_v) chunk.seed(Q[i], i, Taylor<double>(0.0, 1.0, 0.0));  // q(t + s) = q + s v moves with v
        }
        if (!l.velocity_constraint(time, Q.data(), V.data(), R.data())) return false;
        for (int j = chunk.first; j < chunk.last; ++j) {
          for (int i = 0; i < l.m_psi; ++i) {
            const int e = j * l.m() + l.m_g + i;
            const Taylor<double>& column = R[i].d[j - chunk.first];
            if (!by_v) out.velocity_q[e] = column.c0;
            (by_v ? out.acceleration_v : out.acceleration_q)[e] = column.c1;
          }
        }
        return true;
      });
      if (!accepts) return false;
    }
    return true;
  } else {
    const auto add = [&](double t, const double* q, const double* v, double* target, int j, double scale, double step) {
      Rows<double, E> R(l);
      if (!l.velocity_constraint(t, q, v, R.data())) return false;
      for (int i = 0; i < l.m_psi; ++i) target[j * l.m() + l.m_g + i] += scale * R[i] / step;
      return true;
    };
    const auto add_rate = [&](const double* q, const double* v, double* target, int j, double scale) {
      Vector<double, E> y(l);
      Vector<double, E> z(l);
      for (int k = -1; k <= 1; k += 2) {
        const double s = k * 1e-3;
        for (int i = 0; i < l.n; ++i) {
          y[i] = q[i] + s * v[i];
          z[i] = v[i] + s * at.a[i];
        }
        if (!add(at.t + s, y.data(), z.data(), target, j, scale, 2.0 * s)) return false;
      }
      return true;
    };
    return central_difference(l, at.q,
                              [&](const double* q, int j, double scale) {
                                return add(at.t, q, at.v, out.velocity_q, j, scale, 1.0);
                              }) &&
           differences_in_q_and_v(l, at, out.acceleration_q, out.acceleration_v, add_rate);
  }
}

// ---- all ---------------------------------------------------------------------------------------------------------

template <class E>
bool element_tangent(const LocalElement<E>& l, const Point& at, const LocalTangent& out) {
  using C = Capabilities<E>;
  for (double* block : {out.residual_q, out.residual_v}) set_zero(block, l.n * l.n);
  for (double* block : {out.velocity_q, out.acceleration_q, out.acceleration_v}) set_zero(block, l.m() * l.n);
  if (!add_inertia_tangent(l, at, out) || !add_force_tangent(l, at, out) || !add_lagrange_tangent(l, at, out))
    return false;
  if constexpr (C::has_constraint) {
    if (!add_position_force_tangent(l, at, out)) return false;
  }
  if constexpr (C::has_velocity_constraint) {
    if (!add_velocity_force_tangent(l, at, out)) return false;
  }
  if constexpr (C::has_constraint) {
    if (!add_position_row_tangent(l, at, out)) return false;
  }
  if constexpr (C::has_velocity_constraint) return add_velocity_row_tangent(l, at, out);
  return true;
}

}  // namespace sunlagrange::internal
