#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

struct RedundancyOptions {
  /// As LinearSolverOptions::rank_threshold: squared singular values of R G D below this times the largest count as
  /// lost. Above m = 40 rows it falls as (40 / m)^4, not below 1e-14: regular long chains have singular values that
  /// small.
  double rank_threshold = LinearSolverOptions{}.rank_threshold;

  /// How far away the nearby configurations lie: max |dq| = move x max |q| (x 1 if q = 0).
  double move = 0.05;
  int motions = 2;    ///< random consistent motions to nearby configurations, besides the given velocity
  unsigned seed = 1;  ///< of these motions
};

/// One term of G_dependent = sum coefficient x G_row.
struct RelationTerm {
  int row = -1;
  std::string constraint;
  double coefficient = 0.0;  ///< in the units of the rows

  void describe(Figures& f);
};

/// A row that repeats others. The rows that are not listed are independent; the permanent ones can be removed, all
/// together: without_constraint_rows.
struct DependentConstraint {
  int row = -1;
  std::string constraint;
  std::vector<RelationTerm> relation;  ///< largest share first; empty: the gradient of the row vanishes
  double remainder = 0.0;              ///< |G_dependent - sum| relative to the scale of the row: rounding if exact
  bool permanent = false;              ///< also at the nearby configurations; false: only here, do not remove it
};

struct ConstraintShare {
  int row = -1;
  std::string constraint;
  double share = 0.0;  ///< of the direction, squared and scaled; all rows together have 1

  void describe(Figures& f);
};

/// A combination of constraints that acts nearby but not here: the mechanism can move against it for an instant.
struct LostDirection {
  double singular_value = 0.0;          ///< relative to the largest
  std::vector<ConstraintShare> shares;  ///< largest first; below 1 % left out

  void describe(Figures& f);
};

/// What analyse_redundancy found. Singular values are those of R G D, see there.
struct RedundancyReport {
  int rows = 0;                     ///< m
  int rank = 0;                     ///< of G at (t, q, v)
  int redundant = 0;                ///< m - rank
  int permanent = 0;                ///< of these, redundant at nearby configurations as well
  int degrees_of_freedom = 0;       ///< n - rank: instantaneous ones, more than the mechanism has where it is singular
  int nearby = 0;                   ///< nearby configurations that were reached
  bool immobile = false;            ///< no motion is possible here, so what is redundant stays redundant
  Eigen::VectorXd singular_values;  ///< length m, descending, zeros at the end
  double largest_singular_value = 0.0;
  double smallest_singular_value = 0.0;

  std::vector<DependentConstraint> dependent;  ///< `redundant` of them
  std::vector<bool> unique_multipliers;        ///< length m: lambda_i is determined by the motion
  std::vector<std::vector<int>> groups;        ///< rows that share a relation: lambda not unique inside them
  std::vector<LostDirection> lost;             ///< `redundant` - `permanent` of them
  Status status;                               ///< model_error if the model declines the point

  /// False if something is redundant but no nearby configuration could be reached to tell for how long.
  bool permanence_known() const { return redundant == 0 || nearby > 0 || immobile; }

  /// Plain account: which rows repeat which, whose multipliers mean something, what to remove.
  std::string text() const;

  std::vector<std::string> constraint_names;  ///< of all rows, for text()

  void describe(Figures& f);
};

/// Which constraints are redundant at (t, q, v), and for how long.
///
/// Rank is decided on R G D, with the diagonal R, D that bring the largest entries of G, here and nearby, as near to
/// one as they can be brought [Curtis and Reid 1972]: units of rows and coordinates cancel, and masses do not enter, so
/// parts whose masses lie far apart are no loss of rank. It is the rank that a run finds, but near a singular
/// configuration, where a run asks the masses as well.
///
/// Removable rows are chosen by pivoting on the left null vectors (subset selection, [GolubVanLoan1996]), so that the
/// remaining rows are independent and well conditioned; among equals the row that was added last goes. lambda_i is
/// unique iff the unit vector e_i is orthogonal to null(G^T), [Wojtyra2005]: of redundant rows only the combination
/// G^T lambda is, and so are accelerations.
///
/// "Permanent" is what is redundant also at nearby configurations: reached along the given velocity (and time), and
/// along random consistent motions forth and back, projected onto the constraints. The rest is a singular
/// configuration. A mechanism that is singular along whole motions is taken for redundant.
///
/// Cost: dense, O(m^2 (n + m)) at each configuration. A diagnosis before a run, not for every step; for thousands of
/// rows use the rank in the report of a run with klu.
///
/// @param v  may be empty: at rest
/// @throws Error listing wrong sizes, values that are not finite, options out of range; what the model throws passes
/// through
RedundancyReport analyse_redundancy(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                    const Eigen::VectorXd& q, const Eigen::VectorXd& v = {},
                                    const RedundancyOptions& options = {});

}  // namespace sunlagrange
