// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

struct Panels;

/// Patterns of the four blocks; n = top_left.rows, m = jacobian.rows.
///
///     [ H   G^T ]        H  n x n   mass matrix M, or M + h r_v + h^2 r_q in a Newton system
///     [ B   -C  ]        G  m x n   constraint Jacobian
///                        B  m x n   G itself (saddle-point system) or G + h s_v + h^2 s_q (Newton system)
///                        C  m x m   compliance; pattern may be empty (nonzeros() == 0), then C = 0
struct BlockPattern {
  SparsePattern top_left;
  SparsePattern jacobian;
  SparsePattern bottom_left;  ///< bottom left block of a Newton system
  SparsePattern compliance;
  bool newton = false;             ///< false: saddle-point system, H symmetric and B = G
  Eigen::VectorXd natural_scales;  ///< scales of the n coordinates; empty: all one
  bool complex = false;            ///< H, B and the unknowns are complex: pairs of doubles

  std::shared_ptr<const Panels> panels = nullptr;  ///< for `block`, if they are known already

  /// System whose constraints the rows of G are: what these exert decides between redundant multipliers. Null: all rows
  /// count alike.
  std::shared_ptr<const MechanicalSystem> system = nullptr;
};

/// Values in the slots of a BlockPattern, pairs of them where they are complex. compliance == nullptr means C = 0.
struct BlockValues {
  const double* top_left = nullptr;
  const double* jacobian = nullptr;
  const double* bottom_left = nullptr;  ///< bottom left block of a Newton system
  const double* compliance = nullptr;
  bool same_top_left = false;  ///< H has the values of the last call: a solver may keep its factors
};

struct LinearCounts {
  long factorizations = 0;     ///< numeric factorisations
  long symbolic_analyses = 0;  ///< one per pattern
  long pivot_refreshes = 0;    ///< full factorisations because frozen pivots went bad (may allocate)
  long solves = 0;             ///< right-hand sides solved for; not those of rank decisions
  long refinements = 0;        ///< iterative-refinement and proximal steps
  long rank_actions = 0;       ///< factorisations in which the rank policy acted
  long tapered = 0;            ///< factorisations with a direction neither lost nor kept
  long factor_entries = 0;     ///< entries of the last sparse factors, both triangles; what a solve costs

  LinearCounts& operator+=(const LinearCounts& other) {
    factorizations += other.factorizations;
    symbolic_analyses += other.symbolic_analyses;
    pivot_refreshes += other.pivot_refreshes;
    solves += other.solves;
    refinements += other.refinements;
    rank_actions += other.rank_actions;
    tapered += other.tapered;
    factor_entries += other.factor_entries;
    return *this;
  }
};

/// Returns true if all entries are finite.
bool all_finite(const BlockPattern& pattern, const BlockValues& values);

}  // namespace sunlagrange::internal
