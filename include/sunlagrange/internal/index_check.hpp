// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/internal/local_element.hpp>

/// Check of the indices of an element: when it is added, each of its members is called once with views that check their
/// indices. Views do not check during a run.
namespace sunlagrange::internal {

/// A value without derivatives. View and MatrixView of it check their indices.
struct Checked : Arithmetic<Checked, double> {
  double value = 0.0;

  Checked() = default;
  Checked(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor): constants mix freely

  double base() const { return value; }
  static Checked product(const Checked& a, const Checked& b) { return {a.value * b.value}; }
  Checked compose(double f0, double, double) const { return {f0}; }
  friend Checked operator+(const Checked& a, const Checked& b) { return {a.value + b.value}; }
  friend Checked operator-(const Checked& a, const Checked& b) { return {a.value - b.value}; }
  friend Checked operator-(const Checked& a) { return {-a.value}; }
  friend Checked operator*(const Checked& a, double b) { return {a.value * b}; }
  friend Checked operator*(double a, const Checked& b) { return b * a; }
};

/// Calls the members of one element and collects indices out of range.
class IndexCheck {
 public:
  struct Argument {
    const char* name;
    int rows;
    int columns;  ///< 0: a vector
    bool output = false;
  };
  template <class T>
  using Call = void (*)(const void* element, T* const* arguments, const IndexCheck& sizes);

  IndexCheck(const void* element, int num_positions, int g_rows, int psi_rows)
      : n(num_positions), m_g(g_rows), m_psi(psi_rows), element_(element) {}

  const int n, m_g, m_psi;

  /// Calls a member with these arguments, inputs with random values. Exceptions of the member are ignored: the point is
  /// outside its domain.
  void run(const char* member, const std::vector<Argument>& arguments, Call<Checked> call);
  /// The same for a member that is written for double only, with guard entries before and behind its arguments. A wrong
  /// index inside a matrix is not noticed.
  void run(const char* member, const std::vector<Argument>& arguments, Call<double> call);

  Argument in(const char* name) const { return {name, n, 0}; }
  Argument out(const char* name) const { return {name, n, 0, true}; }
  Argument out(const char* name, int rows, int columns = 0) const { return {name, rows, columns, true}; }
  template <class T>
  View<const T> view(const T* x) const {
    return {x, n};
  }
  template <class T>
  MatrixView<T> square(T* x) const {
    return {x, n, n};
  }

  /// Returns one line for each index out of range; empty if there are none.
  const std::string& messages() const { return messages_; }

 private:
  void complain(const char* member, const Argument& argument, int i, int j);

  const void* element_;
  std::string messages_;
};

template <class E>
const E& as(const void* element) {
  return *static_cast<const E*>(element);
}

/// Type of the scalar in this check. It is the first type other than double that a model's members are instantiated
/// with, so compilers print this name where a member does not compile.
struct If_this_fails_call_sin_not_std_sin_and_keep_values_in_T_or_auto;

/// Returns the indices out of range of the members of an element, one line each.
template <class E, class Remedy = If_this_fails_call_sin_not_std_sin_and_keep_values_in_T_or_auto>
std::string indices_out_of_range(const LocalElement<E>& l) {
  using C = Capabilities<E>;
  using D = View<const double>;
  IndexCheck check(&l.e, l.n, l.m_g, l.m_psi);
  using Sizes = const IndexCheck&;
  if constexpr (C::has_mass) {
    using T = std::conditional_t<C::generic_mass, Checked, double>;
    check.run("mass_matrix", {check.in("q"), check.out("M", l.n, l.n)}, [](const void* x, T* const* a, Sizes s) {
      as<E>(x).mass_matrix(T(0.3), s.view<T>(a[0]), s.square(a[1]));
    });
  }
  if constexpr (C::has_force) {
    using T = std::conditional_t<C::generic_force, Checked, double>;
    check.run("applied_force", {check.in("q"), check.in("v"), check.out("f")}, [](const void* x, T* const* a, Sizes s) {
      as<E>(x).applied_force(T(0.3), s.view<T>(a[0]), s.view<T>(a[1]), View<T>(a[2], s.n));
    });
  }
  if constexpr (C::has_constraint) {
    using T = std::conditional_t<C::generic_constraint, Checked, double>;
    check.run("constraint", {check.in("q"), check.out("g", l.m_g)}, [](const void* x, T* const* a, Sizes s) {
      as<E>(x).constraint(T(0.3), s.view<T>(a[0]), View<T>(a[1], s.m_g));
    });
  }
  if constexpr (C::has_velocity_constraint) {
    using T = std::conditional_t<C::generic_velocity_constraint, Checked, double>;
    check.run("velocity_constraint", {check.in("q"), check.in("v"), check.out("psi", l.m_psi)},
              [](const void* x, T* const* a, Sizes s) {
                as<E>(x).velocity_constraint(T(0.3), s.view<T>(a[0]), s.view<T>(a[1]), View<T>(a[2], s.m_psi));
              });
  }
  if constexpr (C::has_kinetic) {
    using T = Checked;
    check.run("kinetic_energy", {check.in("q"), check.in("v")}, [](const void* x, T* const* a, Sizes s) {
      (void)as<E>(x).kinetic_energy(T(0.3), s.view<T>(a[0]), s.view<T>(a[1]));
    });
  }
  if constexpr (C::has_potential) {
    using T = Checked;
    check.run("potential_energy", {check.in("q")},
              [](const void* x, T* const* a, Sizes s) { (void)as<E>(x).potential_energy(T(0.3), s.view<T>(a[0])); });
  }
  if constexpr (C::has_dissipation) {
    using T = Checked;
    check.run("dissipation", {check.in("q"), check.in("v")}, [](const void* x, T* const* a, Sizes s) {
      (void)as<E>(x).dissipation(T(0.3), s.view<T>(a[0]), s.view<T>(a[1]));
    });
  }
  using W = View<double>;
  using M = MatrixView<double>;
  if constexpr (C::has_jacobian) {
    check.run("constraint_jacobian", {check.in("q"), check.out("G", l.m_g, l.n)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).constraint_jacobian(0.3, D(a[0], s.n), M(a[1], s.m_g, s.n));
              });
  }
  if constexpr (C::has_bias) {
    check.run("constraint_acceleration_bias", {check.in("q"), check.in("v"), check.out("gamma", l.m_g)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).constraint_acceleration_bias(0.3, D(a[0], s.n), D(a[1], s.n), W(a[2], s.m_g));
              });
  }
  if constexpr (C::has_rows) {
    check.run("constraint_rows",
              {check.in("q"), check.in("v"), check.out("g", l.m_g), check.out("rate", l.m_g), check.out("gamma", l.m_g),
               check.out("G", l.m_g, l.n)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).constraint_rows(0.3, D(a[0], s.n), D(a[1], s.n), W(a[2], s.m_g), W(a[3], s.m_g),
                                         W(a[4], s.m_g), M(a[5], s.m_g, s.n));
              });
  }
  if constexpr (C::has_force_jacobians) {
    check.run("force_jacobians", {check.in("q"), check.in("v"), check.out("f_q", l.n, l.n), check.out("f_v", l.n, l.n)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).force_jacobians(0.3, D(a[0], s.n), D(a[1], s.n), s.square(a[2]), s.square(a[3]));
              });
  }
  if constexpr (C::has_inertia_jacobian) {
    check.run("inertia_jacobian", {check.in("q"), check.in("a"), check.out("Ma_q", l.n, l.n)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).inertia_jacobian(0.3, D(a[0], s.n), D(a[1], s.n), s.square(a[2]));
              });
  }
  if constexpr (C::has_constraint_force_jacobian) {
    check.run("constraint_force_jacobian", {check.in("q"), {"lambda", l.m_g, 0}, check.out("K", l.n, l.n)},
              [](const void* x, double* const* a, Sizes s) {
                as<E>(x).constraint_force_jacobian(0.3, D(a[0], s.n), D(a[1], s.m_g), s.square(a[2]));
              });
  }
  return check.messages();
}

}  // namespace sunlagrange::internal
