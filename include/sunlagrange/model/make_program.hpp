// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/internal/program_element.hpp>
#include <sunlagrange/model/kinematic_program.hpp>
#include <sunlagrange/model/make_system.hpp>

namespace sunlagrange {

/// Returns a kinematic program made of a struct; see kinematic_program.hpp. Its members are those of requirements.hpp
/// that concern g: `num_positions` (n), `num_constraints` (m), `constraint(T t, View<const T> y, View<T> f)`, and if
/// wanted the Jacobian, sparsity and names. In addition:
///
/// - `tangential_velocity(T t, View<const T> y, View<T> w)`: the tangential field; the part of w that is not tangential
///   is removed: v is the vector nearest to w with A v + f_t = a. If absent: w = c [AC].
/// - `feedback(T t, View<const T> y, View<const T> f, View<T> a)`: a(f, y, t), zero for f = 0; stable if f' = a is. If
///   absent: a = -K_N f with Gains::K_N.
///
/// Both may be written for double only, and may return bool: false declines the point. Newton systems take a as a
/// function of f alone (its other derivatives vanish on the manifold). The struct must not be final.
/// @throws Error if the sizes do not fit, or a(0, y, t) is not zero
template <class E>
std::shared_ptr<const MechanicalSystem> make_program(E model, ProgramOptions options = {}) {
  using C = internal::Capabilities<E>;
  static_assert(!C::has_mass && !C::has_energies && !C::has_force && !C::has_energy,
                "sunlagrange: a kinematic program has no masses, forces or energies; write its field as "
                "`tangential_velocity(T t, View<const T> y, View<T> w) const`, or use make_system()");
  static_assert(!C::has_velocity_constraint,
                "sunlagrange: a kinematic program has rows f(y, t) = 0 only; velocities are chosen, not constrained");
  const int n = C::positions(model), m = C::constraints(model);
  KinematicProgram program;
  if constexpr (internal::requirements::detected<internal::requirements::Feedback, E, double>) {
    program.feedback = std::make_shared<internal::ModelFeedback<E>>(model, n, m);
    internal::check_feedback(*program.feedback, n, m);
  }
  const std::vector<std::string> dependent = options.dependent;
  internal::TangentialField<E> field(std::move(options));
  field.check(n, m);
  const auto system = make_system(internal::ProgramElement<E>(std::move(model), std::move(field)));
  program.dependent = internal::dependent_variables(*system, dependent);
  return as_program(system, std::move(program));
}

}  // namespace sunlagrange
