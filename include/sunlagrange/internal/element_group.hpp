#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>

namespace sunlagrange {

/// All elements of one type: evaluated in one loop, scattered through precomputed slots. This interface is where the
/// user's templates end; TypedGroup in derivatives/adapt.hpp implements it for elements.
class ElementGroup {
 public:
  virtual ~ElementGroup() = default;

  virtual int size() const = 0;
  virtual const std::string& name(int element) const = 0;
  virtual int num_constraints(int element) const = 0;
  virtual int num_velocity_constraints(int element) const = 0;
  virtual std::string constraint_name(int element, int row) const = 0;

  /// Row numbers are known only when the whole assembly is: first g row and first psi row of an element.
  virtual void place_rows(int element, int first_g, int first_psi) = 0;

  /// Adds the global (row, column) entries of this group.
  virtual void collect(std::vector<std::pair<int, int>>& mass, std::vector<std::pair<int, int>>& jacobian,
                       std::vector<std::pair<int, int>>& tangent) const = 0;
  virtual GroupSlots make_slots(const SystemPatterns& patterns) const = 0;

  virtual bool constant_mass() const = 0;
  virtual bool energy_known() const = 0;

  /// Adds this group's share of `what` to `w`; its own rows (g, G and their derivatives) are written. False: an element
  /// declined the point.
  virtual bool evaluate(unsigned what, const Point& point, const GroupSlots& slots, Workspace& w) const = 0;

  /// One element by itself, at the coordinates of the whole system. Allocates. False: it declined the point.
  virtual bool terms(int element, double t, const double* q, const double* v, ElementTerms& out) const = 0;

  /// (quantity, what supplied it) for the report, e.g. ("constraint_jacobian", "dual numbers").
  virtual std::vector<std::pair<std::string, std::string>> sources() const = 0;
};

}  // namespace sunlagrange
