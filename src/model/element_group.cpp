// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/internal/element_group.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/requirements.hpp>

#include "model/checks/element_limits.hpp"

namespace sunlagrange::internal {
namespace {

using Entries = ElementGroup::Entries;

void merge(Entries& into, const Entries& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::sort(into.begin(), into.end(), [](const auto& x, const auto& y) {
    return x.second != y.second ? x.second < y.second : x.first < y.first;
  });
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

Entries all_entries(int rows, int columns) {
  Entries entries;
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) entries.emplace_back(i, j);
  }
  return entries;
}

/// Adds the entries of column-major matrices that are not zero; false if one is not finite.
bool mark(Entries& entries, int rows, int columns, const std::vector<const std::vector<double>*>& matrices) {
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      for (const std::vector<double>* matrix : matrices) {
        const double value = (*matrix)[static_cast<std::size_t>(j * rows + i)];
        if (!std::isfinite(value)) return false;
        if (value != 0.0) entries.emplace_back(i, j);
      }
    }
  }
  return true;
}

/// Entries that evaluations at random points have found.
struct Sampled {
  LocalSparsity entries;
  std::vector<bool> row_is_live;  ///< a derivative of the row by q (g) or v (psi) is not zero
  std::vector<double> mass;       ///< M of the first point
  int changing_entry = -1;        ///< entry of M, column-major
};

/// Adds the entries that are non-zero at one random point. False if the element declines it or throws there, for the
/// point may be outside its domain.
bool sample(const std::function<bool(const Point&, const LocalMatrices&)>& evaluate, int n, int m,
            std::minstd_rand& random, Sampled& seen) {
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  const auto numbers = [&](int count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& value : x) value = uniform(random);
    return x;
  };
  const std::vector<double> q = numbers(n), v = numbers(n), a = numbers(n), lambda = numbers(m);
  const auto nn = static_cast<std::size_t>(n * n), mn = static_cast<std::size_t>(m * n);
  std::vector<double> M(nn), r_q(nn), r_v(nn), G(mn), velocity_q(mn), acceleration_q(mn), acceleration_v(mn);
  try {
    if (!evaluate({uniform(random), q.data(), v.data(), a.data(), lambda.data()},
                  {M.data(),
                   G.data(),
                   {r_q.data(), r_v.data(), velocity_q.data(), acceleration_q.data(), acceleration_v.data()}}))
      return false;
  } catch (...) {
    return false;
  }
  seen.row_is_live.resize(static_cast<std::size_t>(m), false);
  for (std::size_t k = 0; k < mn; ++k) {
    if (G[k] != 0.0) seen.row_is_live[k % static_cast<std::size_t>(m)] = true;
  }
  if (seen.mass.empty()) seen.mass = M;
  for (std::size_t k = 0; k < nn; ++k) {
    const double size = std::max(std::abs(M[k]), std::abs(seen.mass[k]));
    if (std::abs(M[k] - seen.mass[k]) > 1e-12 * size) seen.changing_entry = static_cast<int>(k);
  }
  LocalSparsity& found = seen.entries;
  return mark(found.mass, n, n, {&M}) &&
         mark(found.jacobian, m, n, {&G, &velocity_q, &acceleration_q, &acceleration_v}) &&
         mark(found.tangent, n, n, {&r_q, &r_v});
}

std::string called(const std::string& name) {
  return name.empty() ? "model" : "element \"" + name + "\"";
}

}  // namespace

ElementGroup::~ElementGroup() = default;

void ElementGroup::admit(const std::string& name, int n, int m_g, int m) {
  const std::string where = called(name);
  if (n <= 0) throw Error(where + ": num_positions = " + std::to_string(n) + ", must be positive");
  refuse_beyond_memory(where, "num_positions", n);
  refuse_beyond_memory(where, "the number of constraints", m);
  if (m_g < 0 || m < m_g) throw Error(where + ": the number of constraints is negative");
  if (m_g > 0 && !facts_.has_constraint) {
    throw Error(where + ": num_constraints = " + std::to_string(m_g) +
                " but no matching member; write `template <class T> void constraint(T t, View<const T> q, View<T> g) "
                "const;` (check the argument types)");
  }
  if (m_g == 0 && facts_.has_constraint) {
    throw Error(where +
                ": has a member `constraint` but num_constraints = 0; write `static constexpr int "
                "num_constraints = ...;`");
  }
  if (m > m_g && !facts_.has_velocity_constraint) {
    throw Error(where + ": num_velocity_constraints = " + std::to_string(m - m_g) +
                " but no matching member; write `template <class T> void velocity_constraint(T t, View<const T> q, "
                "View<const T> v, View<T> psi) const;` (check the argument types)");
  }
  if (m == m_g && facts_.has_velocity_constraint) {
    throw Error(where + ": has a member `velocity_constraint` but num_velocity_constraints = 0");
  }
  n_ = n;
  m_g_ = m_g;
  m_ = m;
}

void ElementGroup::refuse(const std::string& name, const std::string& complaints) {
  if (complaints.empty()) return;
  std::string text = called(name) + ": ";
  for (const char c : complaints) text += c == '\n' ? "\n" + called(name) + ": " : std::string(1, c);
  throw Error(text);
}

void ElementGroup::add_pattern(const std::string& name, const LocalSparsity& stated) {
  std::string complaints;
  const auto check = [&](const char* matrix, const Entries& entries, int rows, int columns) {
    for (const auto& [i, j] : entries) {
      if (i >= 0 && i < rows && j >= 0 && j < columns) continue;
      complaints += (complaints.empty() ? "sparsity()." : "\nsparsity().") + std::string(matrix) +
                    " names the entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of a matrix that is " +
                    std::to_string(rows) + " x " + std::to_string(columns);
    }
  };
  check("mass", stated.mass, n_, n_);
  check("jacobian", stated.jacobian, m_, n_);
  check("tangent", stated.tangent, n_, n_);
  refuse(name, complaints);
  add_entries(stated);
}

void ElementGroup::add_entries(const LocalSparsity& found) {
  merge(mass_entries_, found.mass);
  merge(jacobian_entries_, found.jacobian);
  merge(tangent_entries_, found.tangent);
  merge(tangent_entries_, found.mass);
  const auto places = [](const Entries& entries, int rows, std::vector<int>& local) {
    local.clear();
    for (const auto& [i, j] : entries) local.push_back(j * rows + i);
  };
  places(mass_entries_, n_, mass_local_);
  places(jacobian_entries_, m_, jacobian_local_);
  places(tangent_entries_, n_, tangent_local_);
}

void ElementGroup::find_pattern(const std::string& name, const std::vector<std::string>& row_labels,
                                const std::function<bool(const Point&, const LocalMatrices&)>& evaluate) {
  std::minstd_rand random(12345U);
  Sampled seen;
  bool known = true;
  for (int k = 0; k < 3 && known; ++k) known = sample(evaluate, n_, m_, random, seen);
  if (!known) {
    const Entries square = all_entries(n_, n_);
    return add_entries({square, all_entries(m_, n_), square});
  }
  for (std::size_t i = 0; i < seen.row_is_live.size(); ++i) {
    if (seen.row_is_live[i]) continue;
    const bool of_g = static_cast<int>(i) < m_g_;
    const std::string label = i < row_labels.size() ? " (\"" + row_labels[i] + "\")" : "";
    refuse(name, std::string(of_g ? "constraint: row g[" : "velocity_constraint: row psi[") +
                     std::to_string(of_g ? i : i - static_cast<std::size_t>(m_g_)) + "]" + label + " depends on no " +
                     (of_g ? "coordinate" : "velocity") +
                     ": its gradient is zero at three random points; write the row, or lower " +
                     (of_g ? "num_constraints" : "num_velocity_constraints"));
  }
  if (facts_.constant_mass && seen.changing_entry >= 0) {
    refuse(name, "constant_mass_matrix = true, but M(" + std::to_string(seen.changing_entry % n_) + ", " +
                     std::to_string(seen.changing_entry / n_) +
                     ") differs between two random points (t, q); take constant_mass_matrix away");
  }
  add_entries(seen.entries);
}

int ElementGroup::enter(const std::string& name, const std::vector<int>& coordinates) {
  names_.push_back(name);
  index_.insert(index_.end(), coordinates.begin(), coordinates.end());
  first_g_.push_back(-1);
  first_psi_.push_back(-1);
  return size() - 1;
}

std::string ElementGroup::constraint_name(int element, int row) const {
  const std::string& own = name(element);
  const std::vector<std::string> labels = own_constraint_names(element);
  if (row < static_cast<int>(labels.size())) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    return own.empty() ? label : own + "." + label;
  }
  const std::string base = own.empty() ? "constraint" : own;
  return m_ == 1 ? base : base + "[" + std::to_string(row) + "]";
}

void ElementGroup::place_rows(int element, int first_g, int first_psi) {
  first_g_[static_cast<std::size_t>(element)] = first_g;
  first_psi_[static_cast<std::size_t>(element)] = first_psi;
}

void ElementGroup::collect(Entries& mass, Entries& jacobian, Entries& tangent) const {
  for (int k = 0; k < size(); ++k) {
    const int* index = coordinates(k);
    for (const auto& [i, j] : mass_entries_) mass.emplace_back(index[i], index[j]);
    for (const auto& [i, j] : jacobian_entries_) jacobian.emplace_back(row(k, i), index[j]);
    for (const auto& [i, j] : tangent_entries_) tangent.emplace_back(index[i], index[j]);
  }
}

GroupSlots ElementGroup::make_slots(const SystemPatterns& patterns) const {
  GroupSlots slots;
  for (int k = 0; k < size(); ++k) {
    const int* index = coordinates(k);
    for (const auto& [i, j] : mass_entries_) slots.mass.push_back(patterns.mass.slot(index[i], index[j]));
    for (const auto& [i, j] : jacobian_entries_) slots.jacobian.push_back(patterns.jacobian.slot(row(k, i), index[j]));
    for (const auto& [i, j] : tangent_entries_) slots.tangent.push_back(patterns.tangent.slot(index[i], index[j]));
  }
  return slots;
}

void ElementGroup::draw(int element, double t, const double* q, Drawing& drawing) const {
  drawing.element_ = name(element).empty() ? "model" : name(element);
  drawing.coordinates_ = coordinates(element);
  std::vector<double> own;
  for (int i = 0; i < n_; ++i) own.push_back(q[drawing.coordinates_[i]]);
  local_draw(element, t, own.data(), drawing);
}

void ElementGroup::visit_not_smooth(int element, double t, const double* q, const double* v, NotSmooth& visitor) const {
  constexpr unsigned states_places = requirements::bit_of("not_smooth");
  if ((members() & states_places) == 0) return;
  const int* index = coordinates(element);
  std::vector<double> own;
  for (const double* x : {q, v}) {
    for (int i = 0; i < n_; ++i) own.push_back(x[index[i]]);
  }
  local_not_smooth(element, t, own.data(), own.data() + n_, visitor);
}

void ElementGroup::add_to(Assembly&, int element, Parameters&) const {
  throw Error(called(name(element)) +
              ": it cannot be copied, so nothing can be changed in it; make it copyable, and change the model that the "
              "system was built from");
}

bool ElementGroup::terms(int element, double t, const double* q, const double* v, ElementShare share,
                         ElementTerms& out) const {
  const int* index = coordinates(element);
  out.coordinates.assign(index, index + n_);
  out.rows.clear();
  for (int i = 0; i < m_; ++i) out.rows.push_back(row(element, i));
  std::vector<double> at;
  for (const double* x : {q, v}) {
    for (const int i : out.coordinates) at.push_back(x[i]);
  }
  out.mass.setZero(n_, n_);
  out.force.setZero(n_);
  out.momentum.setZero(n_);
  out.jacobian.setZero(m_, n_);
  for (Eigen::VectorXd* rows : {&out.g, &out.g_rate, &out.gamma}) rows->setZero(m_);
  out.energy_known = facts_.energy_known;
  out.energy = out.power = out.dissipated = 0.0;
  out.dissipative = facts_.dissipative;
  return local_terms(element, {t, at.data(), at.data() + n_, nullptr, nullptr}, share, out);
}

ElementGroup::Sources ElementGroup::sources() const {
  Sources list;
  for (const auto& [quantity, supplier] : {std::pair{"mass_matrix", facts_.mass_matrix},
                                           {"constraint_jacobian", facts_.constraint_jacobian},
                                           {"constraint_acceleration_bias", facts_.constraint_acceleration_bias},
                                           {"constraint_force_jacobian", facts_.constraint_force_jacobian},
                                           {"velocity_constraint_jacobian", facts_.velocity_constraint_jacobian},
                                           {"force_jacobians", facts_.force_jacobians},
                                           {"inertia_jacobian", facts_.inertia_jacobian}}) {
    if (supplier != nullptr) list.emplace_back(quantity, supplier);
  }
  return list;
}

}  // namespace sunlagrange::internal
