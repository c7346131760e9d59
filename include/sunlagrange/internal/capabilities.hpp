// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sunlagrange/model/requirements.hpp>

namespace sunlagrange {

class Parameters;  // model/parameters.hpp
class Drawing;     // model/drawing.hpp
class NotSmooth;   // model/not_smooth.hpp

template <class Base, int W>
struct Dual;  // derivatives/dual.hpp; declared here to test whether a member is templated on the scalar

}  // namespace sunlagrange

namespace sunlagrange::internal {

namespace requirements {

template <class, template <class...> class, class...>
struct Detector : std::false_type {};
template <template <class...> class Expression, class... Args>
struct Detector<std::void_t<Expression<Args...>>, Expression, Args...> : std::true_type {};
template <template <class...> class Expression, class... Args>
inline constexpr bool detected = Detector<void, Expression, Args...>::value;

template <class T>
using In = View<const T>;
template <class E>
using Self = const E&;

template <class E, class T>
using Mass = decltype(std::declval<Self<E>>().mass_matrix(std::declval<T>(), std::declval<In<T>>(),
                                                          std::declval<MatrixView<T>>()));
template <class E, class T>
using Force = decltype(std::declval<Self<E>>().applied_force(std::declval<T>(), std::declval<In<T>>(),
                                                             std::declval<In<T>>(), std::declval<View<T>>()));
template <class E, class T>
using Constraint =
    decltype(std::declval<Self<E>>().constraint(std::declval<T>(), std::declval<In<T>>(), std::declval<View<T>>()));
template <class E, class T>
using VelocityConstraint = decltype(std::declval<Self<E>>().velocity_constraint(
    std::declval<T>(), std::declval<In<T>>(), std::declval<In<T>>(), std::declval<View<T>>()));
template <class E, class T>
using Kinetic =
    decltype(std::declval<Self<E>>().kinetic_energy(std::declval<T>(), std::declval<In<T>>(), std::declval<In<T>>()));
template <class E, class T>
using Potential = decltype(std::declval<Self<E>>().potential_energy(std::declval<T>(), std::declval<In<T>>()));
template <class E, class T>
using Dissipation =
    decltype(std::declval<Self<E>>().dissipation(std::declval<T>(), std::declval<In<T>>(), std::declval<In<T>>()));
template <class E>
using Jacobian = decltype(std::declval<Self<E>>().constraint_jacobian(0.0, std::declval<In<double>>(),
                                                                      std::declval<MatrixView<double>>()));
template <class E>
using Bias = decltype(std::declval<Self<E>>().constraint_acceleration_bias(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<View<double>>()));
template <class E>
using Rows = decltype(std::declval<Self<E>>().constraint_rows(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<View<double>>(),
    std::declval<View<double>>(), std::declval<View<double>>(), std::declval<MatrixView<double>>()));
template <class E>
using ForceJacobians = decltype(std::declval<Self<E>>().force_jacobians(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<MatrixView<double>>(),
    std::declval<MatrixView<double>>()));
template <class E>
using InertiaJacobian = decltype(std::declval<Self<E>>().inertia_jacobian(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<MatrixView<double>>()));
template <class E>
using ConstraintForceJacobian = decltype(std::declval<Self<E>>().constraint_force_jacobian(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<MatrixView<double>>()));
template <class E>
using Energy = decltype(std::declval<Self<E>>().energy(0.0, std::declval<In<double>>(), std::declval<In<double>>()));
template <class E>
using Power = decltype(std::declval<Self<E>>().power(0.0, std::declval<In<double>>(), std::declval<In<double>>()));
template <class E>
using Sparsity = decltype(std::declval<Self<E>>().sparsity());
template <class E>
using ConstraintNames = decltype(std::declval<Self<E>>().constraint_names());
template <class E>
using PositionNames = decltype(std::declval<Self<E>>().position_names());
template <class E>
using HasMember = decltype(static_cast<bool>(std::declval<Self<E>>().has_member(OptionalMember::constraint)));
template <class E>
using DescribeParameters = decltype(std::declval<E&>().describe_parameters(std::declval<Parameters&>()));
template <class E>
using Draw = decltype(std::declval<Self<E>>().draw(0.0, std::declval<In<double>>(), std::declval<Drawing&>()));
template <class E>
using StatesNotSmooth = decltype(std::declval<Self<E>>().not_smooth(
    0.0, std::declval<In<double>>(), std::declval<In<double>>(), std::declval<NotSmooth&>()));
template <class E>
using StaticPositions = std::integral_constant<int, E::num_positions>;
template <class E>
using CalledPositions = decltype(static_cast<int>(std::declval<Self<E>>().num_positions()));
template <class E>
using StaticConstraints = std::integral_constant<int, E::num_constraints>;
template <class E>
using CalledConstraints = decltype(static_cast<int>(std::declval<Self<E>>().num_constraints()));
template <class E>
using StaticVelocityConstraints = std::integral_constant<int, E::num_velocity_constraints>;
template <class E>
using CalledVelocityConstraints = decltype(static_cast<int>(std::declval<Self<E>>().num_velocity_constraints()));
template <class E>
using ConstantMass = std::bool_constant<E::constant_mass_matrix>;
template <class E>
using Dissipative = std::bool_constant<E::dissipative>;

using Probe = Dual<double, 1>;

// Names of the members that a model may have, in the order of member_names.
#define SUNLAGRANGE_MEMBERS(USE)    \
  USE(mass_matrix)                  \
  USE(applied_force)                \
  USE(constraint)                   \
  USE(velocity_constraint)          \
  USE(kinetic_energy)               \
  USE(potential_energy)             \
  USE(dissipation)                  \
  USE(constraint_jacobian)          \
  USE(constraint_acceleration_bias) \
  USE(constraint_rows)              \
  USE(force_jacobians)              \
  USE(inertia_jacobian)             \
  USE(constraint_force_jacobian)    \
  USE(energy)                       \
  USE(power)                        \
  USE(sparsity)                     \
  USE(constraint_names)             \
  USE(position_names)               \
  USE(describe_parameters)          \
  USE(draw)                         \
  USE(not_smooth)

// Common misspellings, which give a compile-time message. Other misspellings are among the members that were not found:
// MechanicalSystem::members.
#define SUNLAGRANGE_MISTYPED(USE)                                 \
  USE(mass_matirx, mass_matrix)                                   \
  USE(mas_matrix, mass_matrix)                                    \
  USE(massmatrix, mass_matrix)                                    \
  USE(aplied_force, applied_force)                                \
  USE(applied_forces, applied_force)                              \
  USE(applied_froce, applied_force)                               \
  USE(apllied_force, applied_force)                               \
  USE(appplied_force, applied_force)                              \
  USE(constrant, constraint)                                      \
  USE(contraint, constraint)                                      \
  USE(constaint, constraint)                                      \
  USE(constriant, constraint)                                     \
  USE(velocity_constraints, velocity_constraint)                  \
  USE(velocity_constrant, velocity_constraint)                    \
  USE(velocity_contraint, velocity_constraint)                    \
  USE(kinetic_enery, kinetic_energy)                              \
  USE(kinetic_engery, kinetic_energy)                             \
  USE(kinectic_energy, kinetic_energy)                            \
  USE(kinetik_energy, kinetic_energy)                             \
  USE(potential_enery, potential_energy)                          \
  USE(potential_engery, potential_energy)                         \
  USE(potental_energy, potential_energy)                          \
  USE(potencial_energy, potential_energy)                         \
  USE(potentail_energy, potential_energy)                         \
  USE(disipation, dissipation)                                    \
  USE(dissapation, dissipation)                                   \
  USE(dissipaton, dissipation)                                    \
  USE(dissipations, dissipation)                                  \
  USE(constraint_jacobi, constraint_jacobian)                     \
  USE(constraint_jacobain, constraint_jacobian)                   \
  USE(constraint_jacobians, constraint_jacobian)                  \
  USE(constrant_jacobian, constraint_jacobian)                    \
  USE(constraint_accelaration_bias, constraint_acceleration_bias) \
  USE(force_jacobian, force_jacobians)                            \
  USE(force_jacobains, force_jacobians)                           \
  USE(inertia_jacobians, inertia_jacobian)                        \
  USE(inertia_jacobain, inertia_jacobian)                         \
  USE(constraint_name, constraint_names)                          \
  USE(position_name, position_names)                              \
  USE(check_parameters, describe_parameters)

// True if E has a member function of this name with any arguments, also an overloaded or templated one: in a class that
// inherits E and another member of the same name, the name is then ambiguous. Data members do not count; final classes
// cannot be tested.
#define SUNLAGRANGE_NAME(member) int member;
#define SUNLAGRANGE_MISTYPED_NAME(member, meant) int member;
struct AllNames {
  SUNLAGRANGE_MEMBERS(SUNLAGRANGE_NAME)
  SUNLAGRANGE_MISTYPED(SUNLAGRANGE_MISTYPED_NAME)
};
#undef SUNLAGRANGE_NAME
#undef SUNLAGRANGE_MISTYPED_NAME
template <class E>
struct Joined : E, AllNames {};

template <class P>
inline constexpr bool is_data_pointer = std::is_member_object_pointer_v<P> ||
                                        (std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>);

#define SUNLAGRANGE_MEMBER(member)                                               \
  template <class E>                                                             \
  using Only_##member = decltype(&Joined<E>::member);                            \
  template <class E>                                                             \
  using Data_##member = std::enable_if_t<is_data_pointer<decltype(&E::member)>>; \
  template <class E>                                                             \
  constexpr bool has_function_##member() {                                       \
    if constexpr (std::is_final_v<E> || !std::is_class_v<E>)                     \
      return false;                                                              \
    else if constexpr (detected<Only_##member, E>)                               \
      return false;                                                              \
    else                                                                         \
      return !detected<Data_##member, E>;                                        \
  }
#define SUNLAGRANGE_MISTYPED_MEMBER(member, meant) SUNLAGRANGE_MEMBER(member)
SUNLAGRANGE_MEMBERS(SUNLAGRANGE_MEMBER)
SUNLAGRANGE_MISTYPED(SUNLAGRANGE_MISTYPED_MEMBER)
#undef SUNLAGRANGE_MEMBER
#undef SUNLAGRANGE_MISTYPED_MEMBER

/// Returns the members of E as bits: bit i for member_names[i].
template <class E>
constexpr unsigned members_of() {
  unsigned found = 0;
  unsigned bit = 1;
#define SUNLAGRANGE_BIT(member)                 \
  if (has_function_##member<E>()) found |= bit; \
  bit <<= 1;
  SUNLAGRANGE_MEMBERS(SUNLAGRANGE_BIT)
#undef SUNLAGRANGE_BIT
  return found;
}

#define SUNLAGRANGE_QUOTED(member) #member,
inline constexpr const char* member_names[] = {SUNLAGRANGE_MEMBERS(SUNLAGRANGE_QUOTED)};
#undef SUNLAGRANGE_QUOTED

/// Returns the bit of a member in members_of().
constexpr unsigned bit_of(std::string_view name) {
  unsigned bit = 1;
  for (const char* member : member_names) {
    if (name == member) return bit;
    bit <<= 1;
  }
  return 0;
}

inline constexpr std::pair<OptionalMember, std::string_view> optional_members[] = {
    {OptionalMember::constraint, "constraint"},
    {OptionalMember::velocity_constraint, "velocity_constraint"},
    {OptionalMember::constraint_jacobian, "constraint_jacobian"},
    {OptionalMember::constraint_acceleration_bias, "constraint_acceleration_bias"},
    {OptionalMember::force_jacobians, "force_jacobians"},
    {OptionalMember::inertia_jacobian, "inertia_jacobian"},
    {OptionalMember::constraint_force_jacobian, "constraint_force_jacobian"},
    {OptionalMember::energy, "energy"},
    {OptionalMember::power, "power"},
};

template <class>
struct IsBlockList : std::false_type {};
template <std::size_t K>
struct IsBlockList<const std::array<BlockKind, K>> : std::true_type {};
template <class E>
using Blocks = std::enable_if_t<IsBlockList<decltype(E::blocks)>::value>;
/// True if E states the kinds of coordinate blocks that it acts on.
template <class E>
inline constexpr bool declares_blocks = detected<Blocks, E>;

/// Returns the kinds of coordinate blocks that E acts on; empty if it does not state them.
template <class E>
std::vector<BlockKind> block_kinds() {
  if constexpr (declares_blocks<E>)
    return {E::blocks.begin(), E::blocks.end()};
  else
    return {};
}

}  // namespace requirements

/// The members that an element type defines, found once at compile time.
template <class E>
struct Capabilities {
  static constexpr int dynamic = -1;  ///< size known only at run time

  static_assert(!std::is_final_v<E>, "sunlagrange: the model must not be `final`: a final type hides misspelt members");

  static constexpr bool static_sizes = requirements::detected<requirements::StaticPositions, E>;
  static_assert(static_sizes || requirements::detected<requirements::CalledPositions, E>,
                "sunlagrange: the model must say how many positions it has: "
                "`static constexpr int num_positions = 2;` or `int num_positions() const;`");

  static constexpr bool has_mass = requirements::detected<requirements::Mass, E, double>;
  static constexpr bool has_force = requirements::detected<requirements::Force, E, double>;
  static constexpr bool has_constraint = requirements::detected<requirements::Constraint, E, double>;
  static constexpr bool has_velocity_constraint = requirements::detected<requirements::VelocityConstraint, E, double>;
  static constexpr bool has_kinetic = requirements::detected<requirements::Kinetic, E, double>;
  static constexpr bool has_potential = requirements::detected<requirements::Potential, E, double>;
  static constexpr bool has_dissipation = requirements::detected<requirements::Dissipation, E, double>;
  static constexpr bool has_energies = has_kinetic || has_potential || has_dissipation;

  static constexpr bool generic_mass = requirements::detected<requirements::Mass, E, requirements::Probe>;
  static constexpr bool generic_force = requirements::detected<requirements::Force, E, requirements::Probe>;
  static constexpr bool generic_constraint = requirements::detected<requirements::Constraint, E, requirements::Probe>;
  static constexpr bool generic_velocity_constraint =
      requirements::detected<requirements::VelocityConstraint, E, requirements::Probe>;
  static_assert(!has_kinetic || requirements::detected<requirements::Kinetic, E, requirements::Probe>,
                "sunlagrange: kinetic_energy must be templated on the scalar: "
                "`template <class T> T kinetic_energy(T t, View<const T> q, View<const T> v) const;`");
  static_assert(!has_potential || requirements::detected<requirements::Potential, E, requirements::Probe>,
                "sunlagrange: potential_energy must be templated on the scalar: "
                "`template <class T> T potential_energy(T t, View<const T> q) const;`");
  static_assert(!has_dissipation || requirements::detected<requirements::Dissipation, E, requirements::Probe>,
                "sunlagrange: dissipation must be templated on the scalar: "
                "`template <class T> T dissipation(T t, View<const T> q, View<const T> v) const;`");
  static_assert(!(has_mass && has_kinetic),
                "sunlagrange: give either mass_matrix (rung 0a) or kinetic_energy (rung 0b), not both");

  static constexpr bool has_jacobian = requirements::detected<requirements::Jacobian, E>;
  static constexpr bool has_bias = requirements::detected<requirements::Bias, E>;
  static constexpr bool has_rows = requirements::detected<requirements::Rows, E>;
  static constexpr bool has_force_jacobians = requirements::detected<requirements::ForceJacobians, E>;
  static constexpr bool has_inertia_jacobian = requirements::detected<requirements::InertiaJacobian, E>;
  static constexpr bool has_constraint_force_jacobian =
      requirements::detected<requirements::ConstraintForceJacobian, E>;
  static constexpr bool has_energy = requirements::detected<requirements::Energy, E>;
  static constexpr bool has_power = requirements::detected<requirements::Power, E>;

  /// True if objects of the type may lack members of the type; has_member() tells them.
  static constexpr bool objects_differ = requirements::detected<requirements::HasMember, E>;
  static constexpr bool has([[maybe_unused]] const E& e, [[maybe_unused]] OptionalMember member) {
    if constexpr (objects_differ)
      return e.has_member(member);
    else
      return true;
  }

#define SUNLAGRANGE_AS_WRITTEN(member, callable, signature)                                             \
  static_assert((callable) || !requirements::has_function_##member<E>(),                                \
                "sunlagrange: the member `" #member "` cannot be called as it should; write " signature \
                ", public (or rename it, if it is something else)")
  SUNLAGRANGE_AS_WRITTEN(mass_matrix, has_mass,
                         "`template <class T> void mass_matrix(T t, View<const T> q, MatrixView<T> M) const;`");
  SUNLAGRANGE_AS_WRITTEN(
      applied_force, has_force,
      "`template <class T> void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint, has_constraint,
                         "`template <class T> void constraint(T t, View<const T> q, View<T> g) const;`");
  SUNLAGRANGE_AS_WRITTEN(
      velocity_constraint, has_velocity_constraint,
      "`template <class T> void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const;`");
  SUNLAGRANGE_AS_WRITTEN(kinetic_energy, has_kinetic,
                         "`template <class T> T kinetic_energy(T t, View<const T> q, View<const T> v) const;`");
  SUNLAGRANGE_AS_WRITTEN(potential_energy, has_potential,
                         "`template <class T> T potential_energy(T t, View<const T> q) const;`");
  SUNLAGRANGE_AS_WRITTEN(dissipation, has_dissipation,
                         "`template <class T> T dissipation(T t, View<const T> q, View<const T> v) const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint_jacobian, has_jacobian,
                         "`void constraint_jacobian(double t, View<const double> q, MatrixView<double> G) const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint_acceleration_bias, has_bias,
                         "`void constraint_acceleration_bias(double t, View<const double> q, View<const double> v, "
                         "View<double> gamma) const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint_rows, has_rows,
                         "`void constraint_rows(double t, View<const double> q, View<const double> v, View<double> g, "
                         "View<double> rate, View<double> gamma, MatrixView<double> G) const;`");
  SUNLAGRANGE_AS_WRITTEN(force_jacobians, has_force_jacobians,
                         "`void force_jacobians(double t, View<const double> q, View<const double> v, "
                         "MatrixView<double> f_q, MatrixView<double> f_v) const;`");
  SUNLAGRANGE_AS_WRITTEN(
      inertia_jacobian, has_inertia_jacobian,
      "`void inertia_jacobian(double t, View<const double> q, View<const double> a, MatrixView<double> Ma_q) const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint_force_jacobian, has_constraint_force_jacobian,
                         "`void constraint_force_jacobian(double t, View<const double> q, View<const double> lambda, "
                         "MatrixView<double> K) const;`");
  SUNLAGRANGE_AS_WRITTEN(energy, has_energy,
                         "`double energy(double t, View<const double> q, View<const double> v) const;`");
  SUNLAGRANGE_AS_WRITTEN(power, has_power,
                         "`double power(double t, View<const double> q, View<const double> v) const;`");
  SUNLAGRANGE_AS_WRITTEN(sparsity, (requirements::detected<requirements::Sparsity, E>),
                         "`LocalSparsity sparsity() const;`");
  SUNLAGRANGE_AS_WRITTEN(constraint_names, (requirements::detected<requirements::ConstraintNames, E>),
                         "`std::vector<std::string> constraint_names() const;`");
  SUNLAGRANGE_AS_WRITTEN(position_names, (requirements::detected<requirements::PositionNames, E>),
                         "`std::vector<std::string> position_names() const;`");
  SUNLAGRANGE_AS_WRITTEN(describe_parameters, (requirements::detected<requirements::DescribeParameters, E>),
                         "`void describe_parameters(Parameters& p);`");
  SUNLAGRANGE_AS_WRITTEN(draw, (requirements::detected<requirements::Draw, E>),
                         "`void draw(double t, View<const double> q, Drawing& d) const;`");
  SUNLAGRANGE_AS_WRITTEN(
      not_smooth, (requirements::detected<requirements::StatesNotSmooth, E>),
      "`void not_smooth(double t, View<const double> q, View<const double> v, NotSmooth& n) const;`");
#undef SUNLAGRANGE_AS_WRITTEN

#define SUNLAGRANGE_NOT_MISTYPED(member, meant)                                      \
  static_assert(!requirements::has_function_##member<E>(),                           \
                "sunlagrange: no member `" #member "` is looked for; write `" #meant \
                "` (or rename it, if it is something else)");
  SUNLAGRANGE_MISTYPED(SUNLAGRANGE_NOT_MISTYPED)
#undef SUNLAGRANGE_NOT_MISTYPED

  static constexpr bool constant_mass = [] {
    if constexpr (requirements::detected<requirements::ConstantMass, E>) return E::constant_mass_matrix;
    return !has_mass && !has_kinetic;
  }();

  /// True if its forces and rows dissipate energy, as those of a damper or a resistor. For power_balance only.
  static constexpr bool dissipative = [] {
    if constexpr (requirements::detected<requirements::Dissipative, E>) return E::dissipative;
    return false;
  }();

  static constexpr int num_positions = [] {
    if constexpr (static_sizes) return E::num_positions;
    return dynamic;
  }();

  static int positions(const E& e) {
    if constexpr (static_sizes)
      return E::num_positions;
    else
      return e.num_positions();
  }
  static int constraints([[maybe_unused]] const E& e) {
    if constexpr (requirements::detected<requirements::StaticConstraints, E>)
      return E::num_constraints;
    else if constexpr (requirements::detected<requirements::CalledConstraints, E>)
      return e.num_constraints();
    else
      return 0;
  }
  static int velocity_constraints([[maybe_unused]] const E& e) {
    if constexpr (requirements::detected<requirements::StaticVelocityConstraints, E>)
      return E::num_velocity_constraints;
    else if constexpr (requirements::detected<requirements::CalledVelocityConstraints, E>)
      return e.num_velocity_constraints();
    else
      return 0;
  }
};

/// Rung 0 of a complete model (elements of an Assembly may define less).
template <class E>
constexpr void require_complete_model() {
  using C = Capabilities<E>;
  static_assert(C::has_mass || C::has_kinetic,
                "sunlagrange: the model has no inertia. Write rung 0a "
                "`template <class T> void mass_matrix(T t, View<const T> q, MatrixView<T> M) const;` or rung 0b "
                "`template <class T> T kinetic_energy(T t, View<const T> q, View<const T> v) const;`");
  static_assert(C::has_force || C::has_kinetic || C::has_potential,
                "sunlagrange: the model has no forces. Write "
                "`template <class T> void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const;` "
                "(it may leave f = 0) or `template <class T> T potential_energy(T t, View<const T> q) const;`");
}

/// Calls `f` and returns its result; a function without a result accepts the point.
template <class F>
bool accepted(F&& f) {
  if constexpr (std::is_same_v<decltype(f()), bool>) {
    return f();
  } else {
    f();
    return true;
  }
}

}  // namespace sunlagrange::internal

#undef SUNLAGRANGE_MEMBERS
#undef SUNLAGRANGE_MISTYPED
