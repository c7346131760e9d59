#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/internal/element_derivatives.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

/// The adaptor: elements of one type behind the ElementGroup interface. Here the user's templates end.
template <class E>
class TypedGroup final : public ElementGroup {
  using Derivatives = ElementDerivatives<E>;
  using C = Capabilities<E>;
  using Entries = std::vector<std::pair<int, int>>;

 public:
  /// @return position of the new element inside the group
  int append(const std::string& name, E element, const std::vector<int>& coordinates) {
    Arena arena;
    const Derivatives d(element, arena);
    check(name, d);
    n_ = d.n();
    m_g_ = d.m_g();
    m_ = d.m();
    detect_sparsity(element);
    jacobian_local_.clear();
    for (const auto& [i, j] : jacobian_entries_) jacobian_local_.push_back(j * m_ + i);
    elements_.push_back(std::move(element));
    names_.push_back(name);
    index_.insert(index_.end(), coordinates.begin(), coordinates.end());
    first_g_.push_back(-1);
    first_psi_.push_back(-1);
    return size() - 1;
  }

  int size() const override { return static_cast<int>(elements_.size()); }
  const std::string& name(int element) const override { return names_[static_cast<std::size_t>(element)]; }
  int num_constraints(int) const override { return m_g_; }
  int num_velocity_constraints(int) const override { return m_ - m_g_; }

  std::string constraint_name(int element, int row) const override {
    const auto k = static_cast<std::size_t>(element);
    if constexpr (requirements::detected<requirements::ConstraintNames, E>) {
      const std::vector<std::string> own = elements_[k].constraint_names();
      if (row < static_cast<int>(own.size())) {
        const std::string& label = own[static_cast<std::size_t>(row)];
        return names_[k].empty() ? label : names_[k] + "." + label;
      }
    }
    const std::string base = names_[k].empty() ? "constraint" : names_[k];
    return m_ == 1 ? base : base + "[" + std::to_string(row) + "]";
  }

  void place_rows(int element, int first_g, int first_psi) override {
    first_g_[static_cast<std::size_t>(element)] = first_g;
    first_psi_[static_cast<std::size_t>(element)] = first_psi;
  }

  void collect(Entries& mass, Entries& jacobian, Entries& tangent) const override {
    for (int k = 0; k < size(); ++k) {
      const int* index = coordinates(k);
      for (const auto& [i, j] : mass_entries_) mass.emplace_back(index[i], index[j]);
      for (const auto& [i, j] : jacobian_entries_) jacobian.emplace_back(row(k, i), index[j]);
      for (const auto& [i, j] : tangent_entries_) tangent.emplace_back(index[i], index[j]);
    }
  }

  GroupSlots make_slots(const SystemPatterns& patterns) const override {
    GroupSlots slots;
    for (int k = 0; k < size(); ++k) {
      const int* index = coordinates(k);
      for (const auto& [i, j] : mass_entries_) slots.mass.push_back(patterns.mass.slot(index[i], index[j]));
      for (const auto& [i, j] : jacobian_entries_)
        slots.jacobian.push_back(patterns.jacobian.slot(row(k, i), index[j]));
      for (const auto& [i, j] : tangent_entries_) slots.tangent.push_back(patterns.tangent.slot(index[i], index[j]));
    }
    return slots;
  }

  bool constant_mass() const override { return C::constant_mass; }
  bool energy_known() const override { return Derivatives::energy_known; }

  bool evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const override {
    constexpr bool inert = C::has_mass || C::has_kinetic;
    constexpr bool forced = C::has_force || C::has_energies;
    constexpr bool constrained = C::has_constraint || C::has_velocity_constraint;
    if (C::constant_mass && w.mass_ready) what &= ~request::mass;
    constexpr unsigned served = (inert ? request::mass : 0U) | (forced ? request::force : 0U) |
                                (constrained ? request::constraint | request::jacobian : 0U) | request::tangent |
                                request::energy;
    if ((what & served) == 0) return true;
    for (int k = 0; k < size(); ++k) {
      w.arena.reset();
      const Derivatives d(elements_[static_cast<std::size_t>(k)], w.arena);
      typename Derivatives::template Vector<double> q(w.arena, n_);
      typename Derivatives::template Vector<double> v(w.arena, n_);
      const int* index = coordinates(k);
      for (int i = 0; i < n_; ++i) {
        q[i] = point.q[index[i]];
        v[i] = point.v[index[i]];
      }
      if constexpr (inert) {
        if ((what & request::mass) != 0 && !add_mass(d, point.t, q.data(), v.data(), k, slots, w)) return false;
      }
      if constexpr (forced) {
        if ((what & request::force) != 0 && !add_force(d, point.t, q.data(), v.data(), index, w)) return false;
      }
      if constexpr (constrained) {
        if ((what & (request::constraint | request::jacobian)) != 0 &&
            !set_rows(d, what, point.t, q.data(), v.data(), k, slots, w))
          return false;
      }
      if ((what & request::tangent) != 0 && !add_tangent(d, point, q.data(), v.data(), k, slots, w)) return false;
      if ((what & request::energy) != 0 && !d.energy(point.t, q.data(), v.data(), w.energy, w.power)) return false;
    }
    return true;
  }

  bool terms(int k, double t, const double* q_all, const double* v_all, ElementTerms& out) const override {
    Arena arena;
    const Derivatives d(elements_[static_cast<std::size_t>(k)], arena);
    const int* index = coordinates(k);
    const int n = n_, m = m_;
    out = ElementTerms{};
    out.coordinates.assign(index, index + n);
    for (int i = 0; i < m; ++i) out.rows.push_back(row(k, i));
    Eigen::VectorXd q(n), v(n), g(m), velocity(m), bias(m);
    for (int i = 0; i < n; ++i) {
      q[i] = q_all[index[i]];
      v[i] = v_all[index[i]];
    }
    out.mass.setZero(n, n);
    out.force.setZero(n);
    out.momentum.setZero(n);
    out.jacobian.setZero(m, n);
    out.energy_known = Derivatives::energy_known;
    out.dissipative = C::dissipative;
    return d.mass(t, q.data(), v.data(), out.mass.data()) && d.force(t, q.data(), v.data(), out.force.data()) &&
           d.momentum(t, q.data(), v.data(), out.momentum.data()) &&
           d.jacobian(t, q.data(), v.data(), g.data(), velocity.data(), bias.data(), out.jacobian.data()) &&
           d.energy(t, q.data(), v.data(), out.energy, out.power) &&
           d.dissipated(t, q.data(), v.data(), out.dissipated);
  }

  std::vector<std::pair<std::string, std::string>> sources() const override {
    std::vector<std::pair<std::string, std::string>> list;
    const auto differences = [](bool generic) { return generic ? "dual numbers" : "central differences"; };
    if (C::has_kinetic) list.emplace_back("mass_matrix", "from kinetic_energy (rung 0b)");
    if (C::has_constraint) {
      const bool own_jacobian = C::has_rows || C::has_jacobian;
      const bool own_bias = C::has_rows || C::has_bias;
      list.emplace_back("constraint_jacobian", own_jacobian ? "model (rung 1)" : differences(C::generic_constraint));
      list.emplace_back("constraint_acceleration_bias", own_bias                ? "model (rung 1)"
                                                        : C::generic_constraint ? "Taylor coefficient"
                                                                                : "second differences");
      list.emplace_back("constraint_force_jacobian",
                        C::has_constraint_force_jacobian ? "model (rung 2)" : differences(C::generic_constraint));
    }
    if (C::has_velocity_constraint) {
      list.emplace_back("velocity_constraint_jacobian", differences(C::generic_velocity_constraint));
    }
    if (C::has_force) {
      list.emplace_back("force_jacobians", C::has_force_jacobians ? "model (rung 2)" : differences(C::generic_force));
    }
    if (C::has_mass && !C::constant_mass) {
      list.emplace_back("inertia_jacobian", C::has_inertia_jacobian ? "model (rung 2)" : differences(C::generic_mass));
    }
    return list;
  }

 private:
  const int* coordinates(int k) const {
    return index_.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(n_);
  }
  int row(int k, int local) const {
    const auto e = static_cast<std::size_t>(k);
    return local < m_g_ ? first_g_[e] + local : first_psi_[e] + local - m_g_;
  }

  void check(const std::string& name, const Derivatives& d) const {
    const std::string where = name.empty() ? "model" : "element \"" + name + "\"";
    if (d.n() <= 0) throw Error(where + ": num_positions = " + std::to_string(d.n()) + ", must be positive");
    if (d.m_g() < 0 || d.m() < d.m_g()) throw Error(where + ": the number of constraints is negative");
    if (d.m_g() > 0 && !C::has_constraint) {
      throw Error(where + ": num_constraints = " + std::to_string(d.m_g()) +
                  " but no matching member; write `template <class T> void constraint(T t, View<const T> q, View<T> g) "
                  "const;` (check the argument types)");
    }
    if (d.m_g() == 0 && C::has_constraint) {
      throw Error(where +
                  ": has a member `constraint` but num_constraints = 0; write `static constexpr int "
                  "num_constraints = ...;`");
    }
    if (d.m() > d.m_g() && !C::has_velocity_constraint) {
      throw Error(where + ": num_velocity_constraints = " + std::to_string(d.m() - d.m_g()) +
                  " but no matching member; write `template <class T> void velocity_constraint(T t, View<const T> q, "
                  "View<const T> v, View<T> psi) const;` (check the argument types)");
    }
    if (d.m() == d.m_g() && C::has_velocity_constraint) {
      throw Error(where + ": has a member `velocity_constraint` but num_velocity_constraints = 0");
    }
  }

  bool add_mass(const Derivatives& d, double t, const double* q, const double* v, int k, const GroupSlots& slots,
                Workspace& w) const {
    typename Derivatives::template Square<double> local(w.arena, n_ * n_);
    if (!d.mass(t, q, v, local.data())) return false;
    const int* slot = slots.mass.data() + static_cast<std::size_t>(k) * mass_entries_.size();
    for (const auto& [i, j] : mass_entries_) w.M.values[*slot++] += local[j * n_ + i];
    return true;
  }

  bool add_force(const Derivatives& d, double t, const double* q, const double* v, const int* index,
                 Workspace& w) const {
    typename Derivatives::template Vector<double> local(w.arena, n_);
    if (!d.force(t, q, v, local.data())) return false;
    for (int i = 0; i < n_; ++i) w.f[index[i]] += local[i];
    return true;
  }

  bool set_rows(const Derivatives& d, unsigned what, double t, const double* q, const double* v, int k,
                const GroupSlots& slots, Workspace& w) const {
    typename Derivatives::template Rows<double> g(w.arena, m_);
    typename Derivatives::template Rows<double> velocity(w.arena, m_);
    typename Derivatives::template Rows<double> bias(w.arena, m_);
    if ((what & request::jacobian) != 0) {
      LocalArray<double, Derivatives::MN> G(w.arena, m_ * n_);
      if (!d.jacobian(t, q, v, g.data(), velocity.data(), bias.data(), G.data())) return false;
      set_row_block(k, slots, G.data(), w.G.data());
    } else if (!d.constraint(t, q, v, g.data(), velocity.data(), bias.data())) {
      return false;
    }
    for (int i = 0; i < m_; ++i) {
      const int r = row(k, i);
      if (i < m_g_) w.g[r] = g[i];
      w.g_rate[r] = velocity[i];
      w.gamma[r] = bias[i];
    }
    return true;
  }

  bool add_tangent(const Derivatives& d, const Point& point, const double* q, const double* v, int k,
                   const GroupSlots& slots, Workspace& w) const {
    const int* index = coordinates(k);
    typename Derivatives::template Vector<double> a(w.arena, n_);
    typename Derivatives::template Rows<double> lambda(w.arena, m_);
    for (int i = 0; i < n_; ++i) a[i] = point.a[index[i]];
    for (int i = 0; i < m_; ++i) lambda[i] = point.lambda[row(k, i)];
    typename Derivatives::template Square<double> r_q(w.arena, n_ * n_);
    typename Derivatives::template Square<double> r_v(w.arena, n_ * n_);
    using RowBlock = LocalArray<double, Derivatives::MN>;
    RowBlock velocity_q(w.arena, m_ * n_);
    RowBlock acceleration_q(w.arena, m_ * n_);
    RowBlock acceleration_v(w.arena, m_ * n_);
    if (!d.tangent(point.t, q, v, a.data(), lambda.data(),
                   {r_q.data(), r_v.data(), velocity_q.data(), acceleration_q.data(), acceleration_v.data()}))
      return false;
    const int* slot = slots.tangent.data() + static_cast<std::size_t>(k) * tangent_entries_.size();
    for (const auto& [i, j] : tangent_entries_) {
      w.r_q.values[*slot] += r_q[j * n_ + i];
      w.r_v.values[*slot++] += r_v[j * n_ + i];
    }
    set_row_block(k, slots, velocity_q.data(), w.V_q.data());
    set_row_block(k, slots, acceleration_q.data(), w.A_q.data());
    set_row_block(k, slots, acceleration_v.data(), w.A_v.data());
    return true;
  }

  /// Rows belong to one element only, so their entries are written, not added.
  void set_row_block(int k, const GroupSlots& slots, const double* local, double* values) const {
    const std::size_t count = jacobian_local_.size();
    const int* slot = slots.jacobian.data() + static_cast<std::size_t>(k) * count;
    const int* source = jacobian_local_.data();
    for (std::size_t e = 0; e < count; ++e) values[slot[e]] = local[source[e]];
  }

  // ---- local pattern (rung 3, or evaluation at random points) ------------------------------------------------------

  void detect_sparsity(const E& element) {
    if constexpr (requirements::detected<requirements::Sparsity, E>) {
      const LocalSparsity s = element.sparsity();
      merge(mass_entries_, s.mass);
      merge(jacobian_entries_, s.jacobian);
      merge(tangent_entries_, s.tangent);
      merge(tangent_entries_, s.mass);
    } else {
      std::mt19937 random(12345U);
      for (int sample = 0; sample < 3; ++sample) {
        if (!sample_entries(element, random)) {  // undefined at random points: every entry may be non-zero
          merge(mass_entries_, all(n_));
          merge(jacobian_entries_, all(m_));
          merge(tangent_entries_, all(n_));
          return;
        }
      }
    }
  }

  /// False if the element declines the random point, or throws there: it may be outside its domain.
  bool sample_entries(const E& element, std::mt19937& random) {
    try {
      return sample_entries_at_random_point(element, random);
    } catch (...) {
      return false;
    }
  }

  /// Marks what is non-zero at one random point; accidental zeros have probability zero there, unlike at q0.
  bool sample_entries_at_random_point(const E& element, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    const auto fill = [&](int count) {
      std::vector<double> x(static_cast<std::size_t>(count));
      for (double& value : x) value = uniform(random);
      return x;
    };
    const auto nn = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_);
    const auto mn = static_cast<std::size_t>(m_) * static_cast<std::size_t>(n_);
    const std::vector<double> q = fill(n_), v = fill(n_), a = fill(n_), lambda = fill(m_);
    std::vector<double> M(nn), r_q(nn), r_v(nn), G(mn), velocity_q(mn), acceleration_q(mn), acceleration_v(mn);
    std::vector<double> g(static_cast<std::size_t>(m_) + 1), velocity = g, bias = g;
    Arena arena;
    const Derivatives d(element, arena);
    if (!d.mass(0.3, q.data(), v.data(), M.data())) return false;
    if (!d.jacobian(0.3, q.data(), v.data(), g.data(), velocity.data(), bias.data(), G.data())) return false;
    if (!d.tangent(0.3, q.data(), v.data(), a.data(), lambda.data(),
                   {r_q.data(), r_v.data(), velocity_q.data(), acceleration_q.data(), acceleration_v.data()}))
      return false;
    return mark(mass_entries_, n_, {&M}) &&
           mark(jacobian_entries_, m_, {&G, &velocity_q, &acceleration_q, &acceleration_v}) &&
           mark(tangent_entries_, n_, {&M, &r_q, &r_v});
  }

  bool mark(Entries& entries, int rows, const std::vector<const std::vector<double>*>& matrices) const {
    Entries found;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < rows; ++i) {
        for (const std::vector<double>* matrix : matrices) {
          const double value =
              (*matrix)[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)];
          if (!std::isfinite(value)) return false;
          if (value != 0.0) found.emplace_back(i, j);
        }
      }
    }
    merge(entries, found);
    return true;
  }

  Entries all(int rows) const {
    Entries entries;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < rows; ++i) entries.emplace_back(i, j);
    }
    return entries;
  }

  static void merge(Entries& into, const Entries& more) {
    into.insert(into.end(), more.begin(), more.end());
    const auto by_column = [](const auto& x, const auto& y) {
      return x.second != y.second ? x.second < y.second : x.first < y.first;
    };
    std::sort(into.begin(), into.end(), by_column);
    into.erase(std::unique(into.begin(), into.end()), into.end());
  }

  Count<Derivatives::N> n_ = 0;
  Count<Derivatives::MG> m_g_ = 0;
  Count<Derivatives::M> m_ = 0;
  std::vector<E> elements_;
  std::vector<std::string> names_;
  std::vector<int> index_;  // n_ per element
  std::vector<int> first_g_;
  std::vector<int> first_psi_;
  Entries mass_entries_;
  Entries jacobian_entries_;
  std::vector<int> jacobian_local_;  // where these entries stand in a local m x n matrix
  Entries tangent_entries_;
};

template <class E>
constexpr bool block_sizes_sum_up() {
  int sum = 0;
  for (const BlockKind kind : E::blocks) sum += size_of(kind);
  return sum == Capabilities<E>::num_positions;
}

template <class E>
void Assembly::add(const std::string& name, E element, const std::vector<Block>& blocks) {
  if constexpr (requirements::declares_blocks<E>) {
    static_assert(!Capabilities<E>::static_sizes || block_sizes_sum_up<E>(),
                  "sunlagrange: num_positions differs from the sum of the sizes of `blocks`");
    check_kinds(name, E::blocks.data(), E::blocks.size(), blocks);
  }
  const std::vector<int> coordinates = indices(name, Capabilities<E>::positions(element), blocks);
  take_name(name);
  ElementGroup*& group = group_of_type_[std::type_index(typeid(E))];
  if (group == nullptr || ElementDerivatives<E>::MN < 0) {  // sizes known at run time: one group an element
    groups_.push_back(std::make_shared<TypedGroup<E>>());
    group = groups_.back().get();
  }
  order_.push_back({group, static_cast<TypedGroup<E>*>(group)->append(name, std::move(element), coordinates)});
}

/// A complete model (rung 0a or 0b) as a system: an Assembly with one element.
template <class E>
std::shared_ptr<const MechanicalSystem> make_system(E model) {
  require_complete_model<E>();
  Assembly assembly;
  std::vector<Block> blocks;
  const int n = Capabilities<E>::positions(model);
  std::vector<std::string> names;
  if constexpr (requirements::detected<requirements::PositionNames, E>) names = model.position_names();
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    blocks.push_back(assembly.add_coordinates(k < names.size() ? names[k] : "q" + std::to_string(i), 1));
  }
  assembly.add("", std::move(model), blocks);
  return assembly.build();
}

}  // namespace sunlagrange
