// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <type_traits>

#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/local_array.hpp>

namespace sunlagrange::internal {

/// Numbers of positions and rows of an element type; -1 if known only at run time.
template <class E>
struct Sizes {
  static constexpr int n = Capabilities<E>::num_positions;
  static constexpr int m_g = [] {
    if constexpr (n < 0 || requirements::detected<requirements::CalledConstraints, E>) return -1;
    if constexpr (requirements::detected<requirements::StaticConstraints, E>) return E::num_constraints;
    return 0;
  }();
  static constexpr int m_psi = [] {
    if constexpr (n < 0 || requirements::detected<requirements::CalledVelocityConstraints, E>) return -1;
    if constexpr (requirements::detected<requirements::StaticVelocityConstraints, E>) {
      return E::num_velocity_constraints;
    }
    return 0;
  }();
  static constexpr int m = m_g < 0 || m_psi < 0 ? -1 : m_g + m_psi;
  static constexpr int nn = n < 0 ? -1 : n * n;
  static constexpr int mn = n < 0 || m < 0 ? -1 : m * n;
  /// Width of one forward sweep: the whole element if it is small, else chunks.
  static constexpr int chunk = (n > 0 && n <= 8) ? n : 4;
};

template <class T>
void set_zero(T* x, int count) {
  for (int i = 0; i < count; ++i) x[i] = T();
}

/// One element with its scratch memory, whose members can be called for any scalar T. Outputs are overwritten; false:
/// the element declines the point.
template <class E>
struct LocalElement {
  using C = Capabilities<E>;

  LocalElement(const E& element, Arena& scratch)
      : e(element),
        arena(scratch),
        n(C::positions(element)),
        m_g(C::constraints(element)),
        m_psi(C::velocity_constraints(element)) {}

  const E& e;
  Arena& arena;
  Count<Sizes<E>::n> n;
  Count<Sizes<E>::m_g> m_g;
  Count<Sizes<E>::m_psi> m_psi;
  int m() const { return m_g + m_psi; }

  bool has(OptionalMember member) const { return C::has(e, member); }
  bool constant_mass() const {
    if constexpr (C::objects_differ)
      return has(OptionalMember::constant_mass_matrix);
    else
      return C::constant_mass;
  }

  template <class T>
  View<const T> in(const T* x) const {
    return {x, n};
  }

  template <class T>
  bool mass_matrix(const T& t, const T* q, T* M) const {
    set_zero(M, n * n);
    return accepted([&] { return e.mass_matrix(t, in(q), MatrixView<T>(M, n, n)); });
  }
  template <class T>
  bool applied_force(const T& t, const T* q, const T* v, T* f) const {
    set_zero(f, n);
    return accepted([&] { return e.applied_force(t, in(q), in(v), View<T>(f, n)); });
  }
  template <class T>
  bool constraint(const T& t, const T* q, T* g) const {
    set_zero(g, m_g);
    return accepted([&] { return e.constraint(t, in(q), View<T>(g, m_g)); });
  }
  template <class T>
  bool velocity_constraint(const T& t, const T* q, const T* v, T* psi) const {
    set_zero(psi, m_psi);
    return accepted([&] { return e.velocity_constraint(t, in(q), in(v), View<T>(psi, m_psi)); });
  }
};

/// Returns own(l) if this object has the member, else derived(l), which computes the quantity from others. Both are
/// generic lambdas, so that the one that is not called is not compiled. @param type_has_it  true if the type has it
template <bool type_has_it, class E, class Own, class Derived>
inline bool own_or_derived(const LocalElement<E>& l, [[maybe_unused]] OptionalMember member, [[maybe_unused]] Own&& own,
                           [[maybe_unused]] Derived&& derived) {
  if constexpr (!type_has_it)
    return derived(l);
  else if constexpr (Capabilities<E>::objects_differ)
    return l.has(member) ? own(l) : derived(l);
  else
    return own(l);
}

/// Scratch arrays with the sizes of an element.
template <class T, class E>
struct Vector : LocalArray<T, Sizes<E>::n> {
  explicit Vector(const LocalElement<E>& l) : LocalArray<T, Sizes<E>::n>(l.arena, l.n) {}
};
template <class T, class E>
struct Rows : LocalArray<T, Sizes<E>::m> {
  explicit Rows(const LocalElement<E>& l) : LocalArray<T, Sizes<E>::m>(l.arena, l.m()) {}
};
template <class T, class E>
struct Square : LocalArray<T, Sizes<E>::nn> {
  explicit Square(const LocalElement<E>& l) : LocalArray<T, Sizes<E>::nn>(l.arena, l.n * l.n) {}
};
template <class T, class E>
struct RowMatrix : LocalArray<T, Sizes<E>::mn> {
  explicit RowMatrix(const LocalElement<E>& l) : LocalArray<T, Sizes<E>::mn>(l.arena, l.m() * l.n) {}
};

/// Directions first, ..., last - 1 of a forward sweep.
template <int W>
struct Chunk {
  int first;
  int last;

  /// Sets the derivatives x.d of variable i: it changes in its own direction with `rate`.
  template <class T, class Rate = double>
  void seed(T& x, int i, const Rate& rate = 1.0) const {
    if (i >= first && i < first + W) x.d[i - first] = rate;
  }
};

/// Sweeps over all n directions, one chunk after the other; false as soon as use(chunk) is.
template <class E, class Use>
bool sweep(const LocalElement<E>& l, Use&& use) {
  constexpr int W = Sizes<E>::chunk;
  for (int s = 0; s < l.n; s += W) {
    if (!use(Chunk<W>{s, std::min<int>(s + W, l.n)})) return false;
  }
  return true;
}

}  // namespace sunlagrange::internal
