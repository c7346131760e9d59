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
class Parameters;
}  // namespace sunlagrange

namespace sunlagrange::internal {

class InputBinder;  // model/parameters.hpp

/// What an element type brings, as values.
struct ElementFacts {
  bool constant_mass = false;
  bool energy_known = false;
  bool dissipative = false;
  bool has_constraint = false;
  bool has_velocity_constraint = false;
  unsigned members = 0;  ///< requirements::members_of

  // What supplies a quantity, e.g. "dual numbers"; null where it is not needed.
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

/// All elements of one type: evaluated in one loop, scattered through precomputed slots. This interface is where the
/// user's templates end: TypedGroup<E> adds the elements and their evaluation, what does not depend on E is here.
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

  /// Row numbers are known only when the whole assembly is: first g row and first psi row of an element.
  void place_rows(int element, int first_g, int first_psi);

  /// Adds the global (row, column) entries of this group.
  void collect(Entries& mass, Entries& jacobian, Entries& tangent) const;
  GroupSlots make_slots(const SystemPatterns& patterns) const;

  bool constant_mass() const { return facts_.constant_mass; }
  bool energy_known() const { return facts_.energy_known; }
  unsigned members() const { return facts_.members; }

  /// The element itself, an object of type(); null, typeid(void): it is not by itself in here.
  virtual const void* object(int /*element*/) const { return nullptr; }
  virtual const std::type_info& type() const { return typeid(void); }

  /// A copy whose inputs (laws.hpp) are read from where the binder says; null: no element of it has any.
  virtual std::shared_ptr<const ElementGroup> with_inputs(InputBinder& /*binder*/) const { return nullptr; }

  std::vector<int> coordinates_of(int element) const { return {coordinates(element), coordinates(element) + n_}; }

  /// Shows the parameters of an element to a visitor, which gets those of a copy.
  virtual void describe(int /*element*/, Parameters& /*visitor*/) const {}

  /// Adds a copy of an element, with its parameters as the visitor leaves them, on the same coordinates.
  /// @throws Error if it cannot be copied; as Assembly::add
  virtual void add_to(Assembly& assembly, int element, Parameters& visitor) const;

  /// (quantity, what supplied it) for the report.
  virtual Sources sources() const;

  /// Adds this group's share of `what` to `w`; its own rows (g, G and their derivatives) are written. False: an element
  /// declined the point.
  virtual bool evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const = 0;

  /// One element by itself, at the coordinates of the whole system. Allocates. False: it declined the point.
  bool terms(int element, double t, const double* q, const double* v, ElementShare share, ElementTerms& out) const;

  /// Adds what one element looks like at the coordinates of the whole system.
  void draw(int element, double t, const double* q, Drawing& drawing) const;

 protected:
  explicit ElementGroup(const ElementFacts& facts) : facts_(facts) {}

  /// Sizes of the element to come, checked. @throws Error if they contradict the members it has
  void admit(const std::string& name, int n, int m_g, int m);

  /// @param complaints  about its parameters and indices, one a line. @throws Error if there are any
  static void refuse(const std::string& name, const std::string& complaints);

  /// Adds to the local pattern what the element states (rung 3). @throws Error if an entry is outside of its matrix
  void add_pattern(const std::string& name, const LocalSparsity& stated);

  /// The same from evaluations at random points: an accidental zero has probability zero there, unlike at q0. Where
  /// `evaluate` returns false or throws, every entry may be non-zero.
  /// @throws Error if a row depends on no coordinate, or a mass matrix that is said to be constant is not
  void find_pattern(const std::string& name, const std::vector<std::string>& row_labels,
                    const std::function<bool(const Point& point, const LocalMatrices& out)>& evaluate);

  /// Takes the admitted element into the lists. @return its position inside the group
  int enter(const std::string& name, const std::vector<int>& coordinates);

  /// Names of the rows, as many as the element gives.
  virtual std::vector<std::string> own_constraint_names(int element) const = 0;

  /// What the share contains, in local coordinates; `out` arrives in its sizes, filled with zeros.
  virtual bool local_terms(int element, const Point& point, ElementShare share, ElementTerms& out) const = 0;

  /// The same at its own coordinates.
  virtual void local_draw(int element, double t, const double* q, Drawing& drawing) const = 0;

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
  // Entries of the local matrices that may be non-zero, and where they stand in a column-major array.
  Entries mass_entries_, jacobian_entries_, tangent_entries_;
  std::vector<int> mass_local_, jacobian_local_, tangent_local_;
};

}  // namespace sunlagrange::internal
