// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Derivatives of a number by the entries of a state.
struct StateDerivative {
  Eigen::VectorXd q, v;       ///< length n
  Eigen::VectorXd a, lambda;  ///< lengths n and m; empty if the number does not depend on them
};

/// A number that depends on a motion,
///
///     J = terminal(state at the end) + integral of running(state) dt,
///
/// with the derivatives of both parts by the state. make_functional() and named_functional() make one. A function
/// written by hand returns its value and, unless `derivative` is null, sets the derivatives; its vectors have their
/// lengths and are zero at the call.
struct Functional {
  /// Returns the value at a state, and sets `derivative` unless it is null.
  using Function = std::function<double(const MotionState& state, StateDerivative* derivative)>;

  Function terminal;  ///< empty if there is none
  Function running;   ///< [unit of J / s]; empty if there is none
  /// True if they also use v' and lambda. These are those of the formulation, including the effect of gains or
  /// compliance.
  bool reads_forces = false;
};

namespace internal {

namespace functionals {

template <class F, class T>
using Terminal = decltype(static_cast<T>(
    std::declval<const F&>().terminal(0.0, std::declval<View<const T>>(), std::declval<View<const T>>())));
template <class F, class T>
using Running = decltype(static_cast<T>(
    std::declval<const F&>().running(0.0, std::declval<View<const T>>(), std::declval<View<const T>>())));
template <class F, class T>
using TerminalForces = decltype(static_cast<T>(
    std::declval<const F&>().terminal(0.0, std::declval<View<const T>>(), std::declval<View<const T>>(),
                                      std::declval<View<const T>>(), std::declval<View<const T>>())));
template <class F, class T>
using RunningForces = decltype(static_cast<T>(
    std::declval<const F&>().running(0.0, std::declval<View<const T>>(), std::declval<View<const T>>(),
                                     std::declval<View<const T>>(), std::declval<View<const T>>())));

constexpr int width = 8;  // of dual numbers

/// Returns the value of call(t, q, v, a, lambda) and, unless `derivative` is null, its derivatives.
template <class Call>
double differentiate(const Call& call, const MotionState& at, bool forces, StateDerivative* derivative) {
  const auto n = static_cast<int>(at.q.size()), m = forces ? static_cast<int>(at.lambda.size()) : 0;
  const int all = forces ? 3 * n + m : 2 * n;
  const auto apply = [&](auto* x) {
    using T = std::remove_pointer_t<decltype(x)>;
    const auto part = [&](int first, int size) { return View<const T>(x + first, size); };
    return call(at.t, part(0, n), part(n, n), part(2 * n, forces ? n : 0), part(forces ? 3 * n : 0, m));
  };
  Eigen::VectorXd values(all);
  if (forces)
    values << at.q, at.v, at.a, at.lambda;
  else
    values << at.q, at.v;
  if (derivative == nullptr) return apply(values.data());
  using T = Dual<double, width>;
  std::vector<T> x(values.data(), values.data() + all);
  Eigen::VectorXd slope(all);
  double value = 0.0;
  for (int first = 0; first < all; first += width) {
    const int count = std::min(width, all - first);
    for (int k = 0; k < count; ++k) x[static_cast<std::size_t>(first + k)].d[k] = 1.0;
    const T result = apply(x.data());
    value = result.value;
    for (int k = 0; k < count; ++k) {
      slope[first + k] = result.d[k];
      x[static_cast<std::size_t>(first + k)].d[k] = 0.0;
    }
  }
  derivative->q = slope.head(n);
  derivative->v = slope.segment(n, n);
  if (forces) {
    derivative->a = slope.segment(2 * n, n);
    derivative->lambda = slope.tail(m);
  }
  return value;
}

}  // namespace functionals

}  // namespace internal

/// Makes a functional from a struct with `terminal`, `running` or both. They are templates on the scalar, so that dual
/// numbers give the derivatives:
///
///     struct Lift {
///       template <class T>
///       T terminal(double t, View<const T> q, View<const T> v) const { return q[1]; }
///       template <class T>
///       T running(double t, View<const T> q, View<const T> v) const { return 0.1 * v[0] * v[0]; }
///     };
///
/// Either may also use v' and the multipliers: (double t, View<const T> q, v, a, lambda).
/// When not to use it: for a number that is not differentiable along the motion, e.g. a maximum over time.
template <class F>
Functional make_functional(F functional) {
  using internal::requirements::detected;
  using T = Dual<double, internal::functionals::width>;
  constexpr bool terminal = detected<internal::functionals::Terminal, F, T>;
  constexpr bool running = detected<internal::functionals::Running, F, T>;
  constexpr bool terminal_forces = detected<internal::functionals::TerminalForces, F, T>;
  constexpr bool running_forces = detected<internal::functionals::RunningForces, F, T>;
  static_assert(terminal || running || terminal_forces || running_forces,
                "sunlagrange: a functional needs `template <class T> T terminal(double t, View<const T> q, View<const "
                "T> v) const` or `running` with the same arguments; both may also take View<const T> a and lambda");
  Functional result;
  result.reads_forces = terminal_forces || running_forces;
  if constexpr (terminal_forces) {
    result.terminal = [functional](const MotionState& at, StateDerivative* d) {
      const auto call = [&](auto... x) { return functional.terminal(x...); };
      return internal::functionals::differentiate(call, at, true, d);
    };
  } else if constexpr (terminal) {
    result.terminal = [functional](const MotionState& at, StateDerivative* d) {
      const auto call = [&](double t, auto q, auto v, auto, auto) { return functional.terminal(t, q, v); };
      return internal::functionals::differentiate(call, at, false, d);
    };
  }
  if constexpr (running_forces) {
    result.running = [functional](const MotionState& at, StateDerivative* d) {
      const auto call = [&](auto... x) { return functional.running(x...); };
      return internal::functionals::differentiate(call, at, true, d);
    };
  } else if constexpr (running) {
    result.running = [functional](const MotionState& at, StateDerivative* d) {
      const auto call = [&](double t, auto q, auto v, auto, auto) { return functional.running(t, q, v); };
      return internal::functionals::differentiate(call, at, false, d);
    };
  }
  return result;
}

/// Makes a functional from words: "final bob.x", "integral bob.x'", "mean lambda:rod" for a coordinate, its rate, its
/// acceleration or a multiplier, by the names that Stepper::read() knows; "final square bob.x", "integral square ..."
/// and "mean square ..." use the square.
/// @param duration  [s] of the run, for means
/// @throws Error if the first word is none of these or the output is unknown, with the nearest known one
Functional named_functional(const MechanicalSystem& system, const std::string& words, double duration);

}  // namespace sunlagrange
