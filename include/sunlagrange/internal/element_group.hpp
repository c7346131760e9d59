// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>

namespace sunlagrange {
struct LocalSparsity;
class Assembly;
class Drawing;
class NotSmooth;
class Parameters;
}  // namespace sunlagrange

namespace sunlagrange::internal {

class InputBinder;  // model/parameters.hpp

/// The properties of an element type, as values.
struct ElementFacts {
  bool constant_mass = false;
  bool energy_known = false;
  bool dissipative = false;
  bool has_constraint = false;
  bool has_velocity_constraint = false;
  unsigned members = 0;  ///< requirements::members_of

  // Sources of the quantities, e.g. "dual numbers"; null where a quantity is not needed.
  const char* mass_matrix = nullptr;
  const char* constraint_jacobian = nullptr;
  const char* constraint_acceleration_bias = nullptr;
  const char* constraint_force_jacobian = nullptr;
  const char* velocity_constraint_jacobian = nullptr;
  const char* force_jacobians = nullptr;
  const char* inertia_jacobian = nullptr;
};

/// Matrices of one element in its own coordinates, for the detection of zeros.
struct LocalMatrices {
  double* mass;      ///< n x n
  double* jacobian;  ///< m x n
  LocalTangent tangent;
};

/// All elements of one type, evaluated in one loop and scattered through precomputed slots. This interface hides the
/// user's type: TypedGroup<E> adds the elements and their evaluation, and this class holds everything that does not
/// depend on E.
class ElementGroup {
 public:
  using Entries = std::vector<std::pair<int, int>>;
  using Sources = std::vector<std::pair<std::string, std::string>>;

  virtual ~ElementGroup();

  int size() const { return static_cast<int>(names_.size()); }
  const std::string& name(int element) const { return names_[static_cast<std::size_t>(element)]; }
  int num_constraints() const { return m_g_; }
  int num_velocity_constraints() const { return m_ - m_g_; }
  std::string constraint_name(int element, int row) const;

  /// Sets the first g row and the first psi row of an element, when the assembly is complete.
  void place_rows(int element, int first_g, int first_psi);

  /// Adds the global (row, column) entries of this group.
  void collect(Entries& mass, Entries& jacobian, Entries& tangent) const;
  GroupSlots make_slots(const SystemPatterns& patterns) const;

  bool constant_mass() const { return facts_.constant_mass; }
  bool energy_known() const { return facts_.energy_known; }
  unsigned members() const { return facts_.members; }

  /// Returns the element, an object of type(); null if the group does not store single elements (typeid(void)).
  virtual const void* object(int /*element*/) const { return nullptr; }
  virtual const std::type_info& type() const { return typeid(void); }

  /// Returns a copy whose inputs (laws.hpp) are read from the places of the binder; null if no element has inputs.
  virtual std::shared_ptr<const ElementGroup> with_inputs(InputBinder& /*binder*/) const { return nullptr; }

  std::vector<int> coordinates_of(int element) const { return {coordinates(element), coordinates(element) + n_}; }

  /// Visits the parameters of a copy of an element.
  virtual void describe(int /*element*/, Parameters& /*visitor*/) const {}

  /// Lets a visitor change the parameters of an element, after all checks: the field of gravity of bodies.
  virtual void change(int /*element*/, Parameters& /*visitor*/) {}

  /// Adds a copy of an element, with its parameters as the visitor leaves them, on the same coordinates.
  /// @throws Error if it cannot be copied; as Assembly::add
  virtual void add_to(Assembly& assembly, int element, Parameters& visitor) const;

  /// Returns pairs (quantity, source) for the report.
  virtual Sources sources() const;

  /// Adds the contribution of this group to `w`, and writes its own rows (g, G and their derivatives). False: an
  /// element declined the point.
  virtual bool evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const = 0;

  /// Evaluates one element, at the coordinates of the whole system. Allocates. False: it declined the point.
  bool terms(int element, double t, const double* q, const double* v, ElementShare share, ElementTerms& out) const;

  /// Adds the shapes of one element at the coordinates of the whole system.
  void draw(int element, double t, const double* q, Drawing& drawing) const;

  /// Visits where the forces of one element are not smooth, at the coordinates of the whole system.
  void visit_not_smooth(int element, double t, const double* q, const double* v, NotSmooth& visitor) const;

 protected:
  explicit ElementGroup(const ElementFacts& facts) : facts_(facts) {}

  /// Stores and checks the sizes of the next element. @throws Error if they contradict its members
  void admit(const std::string& name, int n, int m_g, int m);

  /// @param complaints  messages on its parameters and indices, one a line @throws Error if there are any
  static void refuse(const std::string& name, const std::string& complaints);

  /// Adds the entries that the element states (rung 3) to the local pattern. @throws Error if one is outside its matrix
  void add_pattern(const std::string& name, const LocalSparsity& stated);

  /// Adds the entries that are non-zero at random points, where an accidental zero has probability zero, unlike at q0.
  /// If `evaluate` returns false or throws, all entries are added.
  /// @throws Error if a row depends on no coordinate, or a mass matrix that is said to be constant is not
  void find_pattern(const std::string& name, const std::vector<std::string>& row_labels,
                    const std::function<bool(const Point& point, const LocalMatrices& out)>& evaluate);

  /// Adds the checked element to the lists. @return its position inside the group
  int enter(const std::string& name, const std::vector<int>& coordinates);

  /// Returns the names of the rows, as many as the element gives.
  virtual std::vector<std::string> own_constraint_names(int element) const = 0;

  /// Evaluates an element in local coordinates; `out` arrives with its sizes, filled with zeros.
  virtual bool local_terms(int element, const Point& point, ElementShare share, ElementTerms& out) const = 0;

  /// The same at the coordinates of the element.
  virtual void local_draw(int element, double t, const double* q, Drawing& drawing) const = 0;

  virtual void local_not_smooth(int /*element*/, double /*t*/, const double* /*q*/, const double* /*v*/,
                                NotSmooth& /*visitor*/) const {}

  const int* coordinates(int element) const {
    return index_.data() + static_cast<std::size_t>(element) * static_cast<std::size_t>(n_);
  }
  int row(int element, int local) const {
    const auto e = static_cast<std::size_t>(element);
    return local < m_g_ ? first_g_[e] + local : first_psi_[e] + local - m_g_;
  }

  void add_mass(int element, const GroupSlots& slots, const double* local, Workspace& w) const {
    const int* slot = slots.mass.data() + static_cast<std::size_t>(element) * mass_local_.size();
    for (const int e : mass_local_) w.M.values[*slot++] += local[e];
  }
  void add_residual(int element, const GroupSlots& slots, const double* r_q, const double* r_v, Workspace& w) const {
    const int* slot = slots.tangent.data() + static_cast<std::size_t>(element) * tangent_local_.size();
    for (const int e : tangent_local_) {
      w.r_q.values[*slot] += r_q[e];
      w.r_v.values[*slot++] += r_v[e];
    }
  }
  /// Rows belong to one element only, so their entries are written, not added.
  void set_row_block(int element, const GroupSlots& slots, const double* local, PatternMatrix& matrix) const {
    const int* slot = slots.jacobian.data() + static_cast<std::size_t>(element) * jacobian_local_.size();
    for (const int e : jacobian_local_) matrix.values[*slot++] = local[e];
  }

 private:
  ElementFacts facts_;
  int n_ = 0;
  int m_g_ = 0;
  int m_ = 0;
  std::vector<std::string> names_;
  std::vector<int> index_;  // n_ per element
  std::vector<int> first_g_;
  std::vector<int> first_psi_;
  void add_entries(const LocalSparsity& found);
  // Entries of the local matrices that may be non-zero, and their places in a column-major array.
  Entries mass_entries_, jacobian_entries_, tangent_entries_;
  std::vector<int> mass_local_, jacobian_local_, tangent_local_;
};

}  // namespace sunlagrange::internal
