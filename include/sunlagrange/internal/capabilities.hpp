#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sunlagrange/model/requirements.hpp>

namespace sunlagrange {

template <class Base, int W>
struct Dual;  // derivatives/dual.hpp; here only its name is needed, to ask whether a member is templated on the scalar

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

// Is there a member function of this name, whatever its arguments? A class that inherits E and another member of the
// same name finds it ambiguous exactly if E has one, overloaded and templated ones included. Data members do not count;
// final classes cannot be asked.
#define SUNLAGRANGE_MEMBER(member)                                               \
  struct Other_##member {                                                        \
    int member;                                                                  \
  };                                                                             \
  template <class E>                                                             \
  struct Joined_##member : E, Other_##member {};                                 \
  template <class E>                                                             \
  using Only_##member = decltype(&Joined_##member<E>::member);                   \
  template <class E>                                                             \
  using Data_##member = std::enable_if_t<is_data_pointer<decltype(&E::member)>>; \
  template <class E>                                                             \
  constexpr bool has_function_##member() {                                       \
    if constexpr (std::is_final_v<E> || !std::is_class_v<E>)                     \
      return false;                                                              \
    else                                                                         \
      return !detected<Only_##member, E> && !detected<Data_##member, E>;         \
  }

template <class P>
inline constexpr bool is_data_pointer = std::is_member_object_pointer_v<P> ||
                                        (std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>);

SUNLAGRANGE_MEMBER(mass_matrix)
SUNLAGRANGE_MEMBER(applied_force)
SUNLAGRANGE_MEMBER(constraint)
SUNLAGRANGE_MEMBER(velocity_constraint)
SUNLAGRANGE_MEMBER(kinetic_energy)
SUNLAGRANGE_MEMBER(potential_energy)
SUNLAGRANGE_MEMBER(dissipation)
SUNLAGRANGE_MEMBER(constraint_jacobian)
SUNLAGRANGE_MEMBER(constraint_acceleration_bias)
SUNLAGRANGE_MEMBER(constraint_rows)
SUNLAGRANGE_MEMBER(force_jacobians)
SUNLAGRANGE_MEMBER(inertia_jacobian)
SUNLAGRANGE_MEMBER(constraint_force_jacobian)
SUNLAGRANGE_MEMBER(energy)
SUNLAGRANGE_MEMBER(power)
SUNLAGRANGE_MEMBER(sparsity)
SUNLAGRANGE_MEMBER(constraint_names)
SUNLAGRANGE_MEMBER(position_names)
#undef SUNLAGRANGE_MEMBER

template <class>
struct IsBlockList : std::false_type {};
template <std::size_t K>
struct IsBlockList<const std::array<BlockKind, K>> : std::true_type {};
template <class E>
using Blocks = std::enable_if_t<IsBlockList<decltype(E::blocks)>::value>;
/// Does E say which kinds of coordinate blocks it acts on?
template <class E>
inline constexpr bool declares_blocks = detected<Blocks, E>;

}  // namespace requirements

/// What an element type defines, worked out once at compile time.
template <class E>
struct Capabilities {
  static constexpr int dynamic = -1;  ///< size known only at run time

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

#define SUNLAGRANGE_AS_WRITTEN(member, callable, signature)                                             \
  static_assert((callable) || !requirements::has_function_##member<E>(),                                \
                "sunlagrange: the member `" #member "` cannot be called as it should; write " signature \
                " (or rename it, if it is something else)")
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
#undef SUNLAGRANGE_AS_WRITTEN

  static constexpr bool constant_mass = [] {
    if constexpr (requirements::detected<requirements::ConstantMass, E>) return E::constant_mass_matrix;
    return !has_mass && !has_kinetic;
  }();

  /// Its forces and rows take energy away for good: a damper, a resistor. For power_balance; changes no equation.
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
  static_assert(C::has_force || C::has_potential,
                "sunlagrange: the model has no forces. Write "
                "`template <class T> void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const;` "
                "(it may leave f = 0) or `template <class T> T potential_energy(T t, View<const T> q) const;`");
}

/// Calls `f`; a void result accepts the point, a bool result is passed on.
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
