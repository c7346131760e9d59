// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <sunlagrange/internal/element_derivatives.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/internal/index_check.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange::internal {

template <class E>
ElementFacts facts_of(const E& e) {
  using C = Capabilities<E>;
  using Member = OptionalMember;
  const auto first = [](bool own, bool generic) {
    return own ? "model (rung 1)" : generic ? "dual numbers" : "central differences";
  };
  const auto second = [&](bool own, bool generic) { return own ? "model (rung 2)" : first(false, generic); };
  ElementFacts facts;
  facts.constant_mass = C::objects_differ ? C::has(e, Member::constant_mass_matrix) : C::constant_mass;
  facts.energy_known = energy_known<E> && C::has(e, Member::energy);
  facts.dissipative = C::dissipative;
  facts.has_constraint = C::has_constraint && C::has(e, Member::constraint);
  facts.has_velocity_constraint = C::has_velocity_constraint && C::has(e, Member::velocity_constraint);
  facts.members = requirements::members_of<E>();
  for (const auto& [member, name] : requirements::optional_members) {
    if (!C::has(e, member)) facts.members &= ~requirements::bit_of(name);
  }
  if (C::has_kinetic) facts.mass_matrix = "from kinetic_energy (rung 0b)";
  if (facts.has_constraint) {
    const bool bias = C::has_bias && C::has(e, Member::constraint_acceleration_bias);
    facts.constraint_jacobian =
        first(C::has_rows || (C::has_jacobian && C::has(e, Member::constraint_jacobian)), C::generic_constraint);
    facts.constraint_acceleration_bias = C::has_rows || bias     ? "model (rung 1)"
                                         : C::generic_constraint ? "Taylor coefficient"
                                                                 : "second differences";
    facts.constraint_force_jacobian =
        second(C::has_constraint_force_jacobian && C::has(e, Member::constraint_force_jacobian), C::generic_constraint);
  }
  if (facts.has_velocity_constraint) facts.velocity_constraint_jacobian = first(false, C::generic_velocity_constraint);
  if (C::has_force)
    facts.force_jacobians = second(C::has_force_jacobians && C::has(e, Member::force_jacobians), C::generic_force);
  if (C::has_mass && !facts.constant_mass)
    facts.inertia_jacobian = second(C::has_inertia_jacobian && C::has(e, Member::inertia_jacobian), C::generic_mass);
  return facts;
}

/// Returns the names of the rows of an element, as many as it gives.
template <class E>
std::vector<std::string> row_labels([[maybe_unused]] const E& element) {
  if constexpr (requirements::detected<requirements::ConstraintNames, E>) {
    return element.constraint_names();
  } else {
    return {};
  }
}

/// Elements of one type as an ElementGroup. Members are defined outside the class: inside they would be inline, and
/// compiled again in every file that uses an element which the library has compiled.
template <class E>
class TypedGroup final : public ElementGroup {
 public:
  /// @param first  the first element, which has the members of all
  explicit TypedGroup(const E& first);

  /// @return position of the new element inside the group
  int append(const std::string& name, E&& element, const std::vector<int>& coordinates);

  bool evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const override;
  const void* object(int element) const override { return &elements_[static_cast<std::size_t>(element)]; }
  const std::type_info& type() const override { return typeid(E); }
  std::shared_ptr<const ElementGroup> with_inputs(InputBinder& binder) const override;
  void describe(int element, Parameters& visitor) const override;
  void change(int element, Parameters& visitor) override;
  void add_to(Assembly& assembly, int element, Parameters& visitor) const override;

 protected:
  std::vector<std::string> own_constraint_names(int element) const override;
  bool local_terms(int element, const Point& at, ElementShare share, ElementTerms& out) const override;
  void local_draw(int element, double t, const double* q, Drawing& drawing) const override;
  void local_not_smooth(int element, double t, const double* q, const double* v, NotSmooth& visitor) const override;

 private:
  bool set_rows(const LocalElement<E>& l, unsigned what, const Point& at, int k, const GroupSlots& slots,
                Workspace& w) const;
  bool add_tangent(const LocalElement<E>& l, const Point& point, int k, const GroupSlots& slots, Workspace& w) const;

  std::vector<E> elements_;
};

template <class E>
TypedGroup<E>::TypedGroup(const E& first) : ElementGroup(facts_of(first)) {}

template <class E>
int TypedGroup<E>::append(const std::string& name, E&& element, const std::vector<int>& coordinates) {
  Arena arena;
  const LocalElement<E> l(element, arena);
  admit(name, l.n, l.m_g, l.m());
  ParameterCheck check;
  if constexpr (requirements::detected<requirements::DescribeParameters, E>) {
    element.describe_parameters(check);
    refuse(name, check.complaints());
  }
  refuse(name, indices_out_of_range(l));
  if constexpr (requirements::detected<requirements::Sparsity, E>) {
    add_pattern(name, element.sparsity());
  } else {
    find_pattern(name, row_labels(element), [&](const Point& at, const LocalMatrices& out) {
      arena.reset();
      Rows<double, E> g(l), velocity(l), bias(l);
      return element_mass(l, at, out.mass) &&
             constraint_jacobian(l, at, {g.data(), velocity.data(), bias.data()}, out.jacobian) &&
             element_tangent(l, at, out.tangent);
    });
  }
  check.release();
  elements_.push_back(std::move(element));
  return enter(name, coordinates);
}

template <class E>
std::shared_ptr<const ElementGroup> TypedGroup<E>::with_inputs([[maybe_unused]] InputBinder& binder) const {
  if constexpr (requirements::detected<requirements::DescribeParameters, E> && std::is_copy_constructible_v<E>) {
    InputBinder search;
    for (E element : elements_) element.describe_parameters(search);
    if (search.names().empty()) return nullptr;
    const auto copy = std::make_shared<TypedGroup<E>>(*this);
    for (int k = 0; k < size(); ++k) {
      binder.begin(name(k));
      copy->elements_[static_cast<std::size_t>(k)].describe_parameters(binder);
    }
    return copy;
  } else {
    return nullptr;
  }
}

template <class E>
bool TypedGroup<E>::evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const {
  using C = Capabilities<E>;
  constexpr bool inert = C::has_mass || C::has_kinetic;
  constexpr bool forced = C::has_force || C::has_energies;
  constexpr bool constrained = C::has_constraint || C::has_velocity_constraint;
  if ((C::objects_differ ? constant_mass() : C::constant_mass) && w.mass_ready) what &= ~request::mass;
  constexpr unsigned served = (inert ? request::mass : 0U) | (forced ? request::force : 0U) |
                              (constrained ? request::constraint | request::jacobian : 0U) | request::tangent |
                              request::energy;
  if ((what & served) == 0) return true;
  for (int k = 0; k < size(); ++k) {
    w.arena.reset();
    const LocalElement<E> l(elements_[static_cast<std::size_t>(k)], w.arena);
    // q and v stay in registers as long as no call gets their addresses; in memory they are written one by one and read
    // in pairs, which stalls. Short functions for M, f and the rows are therefore `inline`, and the tangent gathers q
    // and v itself. A sweep with jets is long: inlined, it prevents inlining of the model's own members.
    Vector<double, E> q(l);
    Vector<double, E> v(l);
    const int* index = coordinates(k);
    for (int i = 0; i < l.n; ++i) {
      q[i] = point.q[index[i]];
      v[i] = point.v[index[i]];
    }
    const Point at{point.t, q.data(), v.data(), nullptr, nullptr};
    if constexpr (inert) {
      if ((what & request::mass) != 0) {
        Square<double, E> M(l);
        if (!element_mass(l, at, M.data())) return false;
        add_mass(k, slots, M.data(), w);
      }
    }
    if constexpr (forced) {
      if ((what & request::force) != 0) {
        Vector<double, E> f(l);
        if (!element_force(l, at, f.data())) return false;
        for (int i = 0; i < l.n; ++i) w.f[index[i]] += f[i];
      }
    }
    if constexpr (constrained) {
      if ((what & (request::constraint | request::jacobian)) != 0 && !set_rows(l, what, at, k, slots, w)) return false;
    }
    if ((what & request::tangent) != 0 && !add_tangent(l, point, k, slots, w)) return false;
    if ((what & request::energy) != 0 && !add_energy(l, at, w.energy, w.power)) return false;
  }
  return true;
}

template <class E>
inline bool TypedGroup<E>::set_rows(const LocalElement<E>& l, unsigned what, const Point& at, int k,
                                    const GroupSlots& slots, Workspace& w) const {
  Rows<double, E> g(l);
  Rows<double, E> velocity(l);
  Rows<double, E> bias(l);
  const LocalRows rows{g.data(), velocity.data(), bias.data()};
  if ((what & request::jacobian) != 0) {
    RowMatrix<double, E> G(l);
    if (!constraint_jacobian(l, at, rows, G.data())) return false;
    set_row_block(k, slots, G.data(), w.G);
  } else if (!constraint_levels(l, at, rows)) {
    return false;
  }
  for (int i = 0; i < l.m(); ++i) {
    const int r = row(k, i);
    if (i < l.m_g) w.g[r] = g[i];
    w.g_rate[r] = velocity[i];
    w.gamma[r] = bias[i];
  }
  return true;
}

template <class E>
bool TypedGroup<E>::add_tangent(const LocalElement<E>& l, const Point& point, int k, const GroupSlots& slots,
                                Workspace& w) const {
  const int* index = coordinates(k);
  Vector<double, E> q(l), v(l), a(l);
  Rows<double, E> lambda(l);
  for (int i = 0; i < l.n; ++i) {
    q[i] = point.q[index[i]];
    v[i] = point.v[index[i]];
    a[i] = point.a[index[i]];
  }
  for (int i = 0; i < l.m(); ++i) lambda[i] = point.lambda[row(k, i)];
  const Point at{point.t, q.data(), v.data(), a.data(), lambda.data()};
  Square<double, E> r_q(l), r_v(l);
  RowMatrix<double, E> velocity_q(l), acceleration_q(l), acceleration_v(l);
  if (!element_tangent(l, at,
                       {r_q.data(), r_v.data(), velocity_q.data(), acceleration_q.data(), acceleration_v.data()}))
    return false;
  add_residual(k, slots, r_q.data(), r_v.data(), w);
  set_row_block(k, slots, velocity_q.data(), w.V_q);
  set_row_block(k, slots, acceleration_q.data(), w.A_q);
  set_row_block(k, slots, acceleration_v.data(), w.A_v);
  return true;
}

template <class E>
bool TypedGroup<E>::local_terms(int k, const Point& at, ElementShare share, ElementTerms& out) const {
  Arena arena;
  const LocalElement<E> l(elements_[static_cast<std::size_t>(k)], arena);
  return element_mass(l, at, out.mass.data()) && element_force(l, at, out.force.data()) &&
         constraint_jacobian(l, at, {out.g.data(), out.g_rate.data(), out.gamma.data()}, out.jacobian.data()) &&
         (share == ElementShare::equations ||
          (element_momentum(l, at, out.momentum.data()) && add_energy(l, at, out.energy, out.power) &&
           add_dissipated(l, at, out.dissipated)));
}

template <class E>
void TypedGroup<E>::describe([[maybe_unused]] int element, [[maybe_unused]] Parameters& visitor) const {
  if constexpr (Parameters::describes<E> && std::is_copy_constructible_v<E>) {
    E copy = elements_[static_cast<std::size_t>(element)];
    copy.describe_parameters(visitor);
  }
}

template <class E>
void TypedGroup<E>::change([[maybe_unused]] int element, [[maybe_unused]] Parameters& visitor) {
  if constexpr (Parameters::describes<E>) elements_[static_cast<std::size_t>(element)].describe_parameters(visitor);
}

template <class E>
void TypedGroup<E>::add_to(Assembly& assembly, int element, Parameters& visitor) const {
  if constexpr (std::is_copy_constructible_v<E>) {
    E copy = elements_[static_cast<std::size_t>(element)];
    if constexpr (Parameters::describes<E>) copy.describe_parameters(visitor);
    std::vector<Block> blocks;
    for (const int i : coordinates_of(element)) blocks.push_back({i, 1});
    ElementType<E>::add(assembly, name(element), std::move(copy), blocks);
  } else {
    ElementGroup::add_to(assembly, element, visitor);
  }
}

template <class E>
void TypedGroup<E>::local_draw([[maybe_unused]] int element, [[maybe_unused]] double t,
                               [[maybe_unused]] const double* q, [[maybe_unused]] Drawing& drawing) const {
  if constexpr (requirements::detected<requirements::Draw, E>) {
    const E& e = elements_[static_cast<std::size_t>(element)];
    e.draw(t, View<const double>(q, Capabilities<E>::positions(e)), drawing);
  }
}

template <class E>
void TypedGroup<E>::local_not_smooth([[maybe_unused]] int element, [[maybe_unused]] double t,
                                     [[maybe_unused]] const double* q, [[maybe_unused]] const double* v,
                                     [[maybe_unused]] NotSmooth& visitor) const {
  if constexpr (requirements::detected<requirements::StatesNotSmooth, E>) {
    const E& e = elements_[static_cast<std::size_t>(element)];
    const int n = Capabilities<E>::positions(e);
    e.not_smooth(t, View<const double>(q, n), View<const double>(v, n), visitor);
  }
}

template <class E>
std::vector<std::string> TypedGroup<E>::own_constraint_names(int element) const {
  return row_labels(elements_[static_cast<std::size_t>(element)]);
}

template <class E>
constexpr bool block_sizes_sum_up() {
  int sum = 0;
  for (const BlockKind kind : E::blocks) sum += size_of(kind);
  return sum == Capabilities<E>::num_positions;
}

template <class E>
void ElementType<E>::add(Assembly& assembly, const std::string& name, E&& element, const std::vector<Block>& blocks) {
  const BlockKind* kinds = nullptr;
  std::size_t count = 0;
  if constexpr (requirements::declares_blocks<E>) {
    static_assert(!Capabilities<E>::static_sizes || block_sizes_sum_up<E>(),
                  "sunlagrange: num_positions differs from the sum of the sizes of `blocks`");
    kinds = E::blocks.data();
    count = E::blocks.size();
  }
  const std::vector<int> coordinates = assembly.place(name, Capabilities<E>::positions(element), kinds, count, blocks);
  ElementGroup*& group = assembly.group_of(typeid(E));
  if (group == nullptr || Sizes<E>::mn < 0)  // sizes known at run time: one group an element
    group = assembly.take(std::make_unique<TypedGroup<E>>(element));
  assembly.enter(*group, static_cast<TypedGroup<E>*>(group)->append(name, std::move(element), coordinates));
}

}  // namespace sunlagrange::internal
