// SPDX-License-Identifier: BSD-3-Clause
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

/// Threshold below which a direction is lost.
struct RedundancyOptions {
  /// Squared singular values of R G D below this times the largest are lost. For more than m = 40 rows it falls as (40
  /// / m)^4, not below 1e-14, because regular long chains have such singular values. Default:
  /// LinearSolverOptions::rank_threshold.
  double rank_threshold = LinearSolverOptions{}.rank_threshold;

  /// Distance of the nearby configurations: max |dq| = move x max |q| (move x 1 if q = 0).
  double move = 0.05;
  int motions = 2;  ///< number of random consistent motions to nearby configurations, in addition to the given velocity
  unsigned seed = 1;  ///< seed of the random motions
};

/// One term of G_dependent = sum coefficient x G_row.
struct RelationTerm {
  int row = -1;  ///< number of the row, in the order (g, psi)
  std::string constraint;
  double coefficient = 0.0;  ///< factor of the row, in the units of the rows

  void describe(Figures& f);
};

/// A row that depends on others. The rows that are not listed are independent. The permanent ones can be removed
/// together (without_constraint_rows).
struct DependentConstraint {
  int row = -1;                        ///< number of the row, in the order (g, psi)
  std::string constraint;              ///< name of the row
  std::vector<RelationTerm> relation;  ///< terms with the largest share first; empty: the gradient of the row vanishes
  double remainder = 0.0;              ///< |G_dependent - sum| relative to the scale of the row: rounding if exact
  bool permanent = false;              ///< dependent at nearby configurations, too; false: only here, do not remove it
};

/// The part that one row has in a lost direction.
struct ConstraintShare {
  int row = -1;  ///< number of the row, in the order (g, psi)
  std::string constraint;
  double share = 0.0;  ///< squared, scaled share in the direction; the sum over all rows is 1

  void describe(Figures& f);
};

/// A combination of constraint rows that acts at nearby configurations but not here: the mechanism can move against it
/// for an instant.
struct LostDirection {
  double singular_value = 0.0;          ///< relative to the largest singular value
  std::vector<ConstraintShare> shares;  ///< largest first; shares below 1 % are left out

  void describe(Figures& f);
};

/// Result of analyse_redundancy(). Singular values are those of R G D, see there.
struct RedundancyReport {
  int rows = 0;                     ///< m
  int rank = 0;                     ///< rank of G at (t, q, v)
  int redundant = 0;                ///< m - rank
  int permanent = 0;                ///< number of these that are redundant at nearby configurations, too
  int degrees_of_freedom = 0;       ///< n - rank at this configuration; more than the mobility at a singular one
  int nearby = 0;                   ///< number of nearby configurations that were reached
  bool immobile = false;            ///< no motion is possible, so that all redundant rows are permanent
  Eigen::VectorXd singular_values;  ///< length m, descending, zeros at the end
  double largest_singular_value = 0.0;
  double smallest_singular_value = 0.0;

  std::vector<DependentConstraint> dependent;  ///< `redundant` of them
  std::vector<bool> unique_multipliers;        ///< length m: true if the motion determines lambda_i
  std::vector<std::vector<int>> groups;  ///< sets of rows that share a relation; lambda is not unique inside a set
  std::vector<LostDirection> lost;       ///< `redundant` - `permanent` of them
  Status status;                         ///< model_error if the model declines the point

  /// Returns false if rows are redundant and no nearby configuration was reached that shows whether they always are.
  bool permanence_known() const { return redundant == 0 || nearby > 0 || immobile; }

  /// Returns the result as text: dependent rows with their relations, unique multipliers, and rows to remove.
  std::string text() const;

  std::vector<std::string> constraint_names;  ///< names of all rows, for text()

  void describe(Figures& f);
};

/// Finds the constraint rows that are redundant at (t, q, v), and those that are redundant everywhere.
///
/// The rank is that of R G D, with diagonal R, D that make the largest entries of G, here and nearby, as near to one as
/// possible [Curtis and Reid 1972]. Units of rows and coordinates cancel, and masses do not enter, so that masses that
/// lie far apart are no loss of rank. It equals the rank that a run finds, except near a singular configuration, where
/// a run also considers masses.
///
/// Removable rows are chosen by pivoting on the left null vectors (subset selection, [GolubVanLoan1996]), so that the
/// remaining rows are independent and well conditioned; among equal rows the one that was added last is removable. Rows
/// that exert no force, such as the norm of Euler parameters, are not removable if others are.
/// lambda_i is unique iff the unit vector e_i is orthogonal to null(G^T), [Wojtyra2005]. The force G^T lambda of
/// redundant rows is unique, and so are accelerations.
///
/// A row is permanently redundant if it is so at nearby configurations, too. These are reached along the given velocity
/// (and time) and along random consistent motions in both directions, and projected onto the constraints. Other
/// redundant rows belong to a singular configuration. A mechanism that is singular along whole motions counts as
/// redundant.
///
/// Cost: dense algebra, O(m^2 (n + m)) at each configuration. Use it before a run, not at every step. For thousands of
/// rows use the rank in the report of a run with klu.
///
/// @param v  may be empty: at rest
/// @throws Error listing wrong sizes, values that are not finite, options out of range; exceptions of the model pass
/// through
RedundancyReport analyse_redundancy(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                    const Eigen::VectorXd& q, const Eigen::VectorXd& v = {},
                                    const RedundancyOptions& options = {});

}  // namespace sunlagrange
