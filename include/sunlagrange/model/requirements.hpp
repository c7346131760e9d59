// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/views.hpp>

// clang-format off
/// The members that a model (or an element of an Assembly) may define. Every member is `const`, may be templated on the
/// scalar T or written for plain double, and may return bool: false declines the point, and the integrator tries a
/// shorter step. Output arrays arrive filled with zeros. N is `num_positions`. A member function with one of these
/// names that does not take the arguments of this table gives a compile-time message; so do common misspellings like
/// `aplied_force`. The report, check_derivatives and MechanicalSystem::members name the members that were not found.
///
/// | rung | member | meaning | if absent |
/// |---|---|---|---|
/// | 0  | `num_positions` (static constexpr int, or int member function) | N, the number of its coordinates | compile-time message |
/// | 0  | `num_constraints` | m_g, the number of its position constraints g | 0 |
/// | 0  | `num_velocity_constraints` | m_psi, the number of its velocity constraints psi | 0 |
/// | 0a | `mass_matrix(T t, View<const T> q, MatrixView<T> M)` | M(t,q), N x N, symmetric, every entry | compile-time message |
/// | 0a | `applied_force(T t, View<const T> q, View<const T> v, View<T> f)` | f(t,q,v), length N: all non-constraint forces, positive along the coordinates [N or N m] | the same |
/// | 0a | `constraint(T t, View<const T> q, View<T> g)` | g(t,q) = 0, length m_g | none |
/// | 0b | `kinetic_energy(T t, View<const T> q, View<const T> v) -> T` | kinetic energy [J]: M and f follow from Lagrange's equations; `applied_force` then holds the forces that no energy gives | rung 0a |
/// | 0b | `potential_energy(T t, View<const T> q) -> T` | potential energy [J]: its force is minus its gradient | rung 0a |
/// | 0b | `dissipation(T t, View<const T> q, View<const T> v) -> T` | Rayleigh's function [W]: its force is minus its gradient by v | rung 0a |
/// | 0c | `velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi)` | psi(t,q,v) = 0, length m_psi | none |
/// | 1  | `constraint_jacobian(double t, q, MatrixView<double> G)` | dg/dq, m_g x N | dual numbers, else central differences |
/// | 1  | `constraint_acceleration_bias(double t, q, v, View<double> gamma)` | gamma in g'' = G v' - gamma | Taylor coefficient, else differences |
/// | 1  | `constraint_rows(double t, q, v, View<double> g, View<double> rate, View<double> gamma, MatrixView<double> G)` | g, g', gamma and dg/dq at once, where they share sines and cosines; g itself stays in `constraint` | the members above, or dual numbers |
/// | 2  | `force_jacobians(double t, q, v, MatrixView<double> f_q, MatrixView<double> f_v)` | df/dq and df/dv, N x N each | dual numbers, else differences |
/// | 2  | `inertia_jacobian(double t, q, a, MatrixView<double> Ma_q)` | d(M a)/dq, N x N | the same |
/// | 2  | `constraint_force_jacobian(double t, q, View<const double> lambda, MatrixView<double> K)` | d(G^T lambda)/dq, N x N | the same |
/// | 3  | `sparsity() -> LocalSparsity` | entries of M, G, Newton blocks that can be non-zero | found by evaluating at random points |
/// | 4  | `energy(double t, q, v) -> double` | mechanical energy [J], kinetic and potential | derived for 0b; else no energy column |
/// | 4  | `power(double t, q, v) -> double` | power of the forces that `energy` does not hold [W], positive into the system | derived for 0b; else no energy column |
/// | -  | `static constexpr bool constant_mass_matrix` | true: M is evaluated once | false |
/// | -  | `static constexpr bool dissipative` | true: its forces and rows dissipate energy (power_balance) | false |
/// | -  | `describe_parameters(Parameters& p)` | states name, unit, range and meaning of every parameter: parameters.hpp | no checks, not in files |
/// | -  | `draw(double t, View<const double> q, Drawing& d)` | its shapes, for write_html(): drawing.hpp | not drawn |
/// | -  | `not_smooth(double t, View<const double> q, View<const double> v, NotSmooth& n)` | gaps at which its forces begin, smoothed friction: not_smooth.hpp | its forces are taken for smooth |
/// | -  | `constraint_names() -> std::vector<std::string>` | names of its rows for messages, first those of g, then those of psi | numbered |
/// | -  | `position_names() -> std::vector<std::string>` | names of its coordinates for messages | numbered |
/// | -  | `bool has_member(OptionalMember m) const` | true if this object has it; for types whose objects are made at run time (model_functions.hpp) | all members of the type |
/// | -  | `static constexpr std::array<BlockKind, k> blocks` | kinds of the blocks it acts on, in order; Assembly::add checks them | blocks of any kind |
// clang-format on
namespace sunlagrange {

/// (row, column) entries that can differ from zero; rung 3.
struct LocalSparsity {
  std::vector<std::pair<int, int>> mass;      ///< N x N
  std::vector<std::pair<int, int>> jacobian;  ///< (m_g + m_psi) x N: derivatives of the rows by q or v
  std::vector<std::pair<int, int>> tangent;   ///< N x N: d(M a + G^T lambda - f)/dq and /dv
};

/// Members that one object of a type may have and another not, see has_member.
enum class OptionalMember {
  constraint,
  velocity_constraint,
  constraint_jacobian,
  constraint_acceleration_bias,
  force_jacobians,
  inertia_jacobian,
  constraint_force_jacobian,
  energy,
  power,
  constant_mass_matrix,
};

}  // namespace sunlagrange
