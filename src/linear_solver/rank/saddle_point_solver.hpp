// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/geometric_rank.hpp"
#include "linear_solver/rank/lanczos.hpp"
#include "linear_solver/rank/lost_directions.hpp"
#include "linear_solver/rank/null_directions.hpp"
#include "model/row_forces.hpp"

namespace sunlagrange::internal {

/// Solves saddle-point systems [M G^T; G -C] with any factorisation, decides their rank and treats lost rank. With
/// S = G M^-1 G^T + C and D = diag(largest S_ii so far)^-1/2 (strict: the present S_ii):
///
/// 1. Pivots, or else a few steps of inverse iteration, show that most matrices are regular. Nothing more is done.
/// 2. Otherwise rows are relaxed (LostDirections), one after the other: the row with the largest share in the weakest
///    direction, until the rest is regular. They stay relaxed in the next matrices and give the weak directions there.
/// 3. A direction is lost if its eigenvalue of D S D is below rank_threshold x the largest one, and tapered up to ten
///    times that. If the geometry of G (GeometricRank) contradicts this, masses lie far apart: the geometry decides,
///    and the matrix is factorised with pivots chosen for it.
/// 4. minimum_norm borders the matrix with the weak directions; strict refuses the matrix. regularized gives every row
///    a compliance from the start and removes from b the components along null directions, G^T u = 0; its limit is
///    minimum_norm, whatever the scales of the rows.
///
/// The norm of redundant multipliers is that of RowForces, if the system of the rows is known.
///
/// Rows that the first matrix has found redundant mostly stay so. Where S vanishes in the span of the responses of the
/// relaxed rows, as it did there, step 3 needs neither the largest eigenvalue nor the geometry.
///
/// More than LostDirections::most lost directions (as with rows given twice along a chain) are not followed: then
/// C = delta, with proximal steps until the accelerations no longer change.
class SaddlePointSolver final : public LinearSolver {
 public:
  SaddlePointSolver(const BlockPattern& pattern, const LinearSolverOptions& options, std::unique_ptr<Factors> factors);

  EvaluationResult factorize(const BlockValues& values) override;
  EvaluationResult solve(double* top, double* bottom) override;
  int rank() const override { return decision_.rank; }
  WeakestMode weakest_mode(int lost) override;
  std::string description() const override;

 private:
  enum class RankTreatment { none, bordered, proximal };

  /// Decision about the rank of the last matrix.
  struct Decision {
    RankTreatment treatment = RankTreatment::none;
    EvaluationResult outcome = EvaluationResult::singular;
    int rank = 0;
    bool masses_ill_scaled = false;        ///< the geometry of G has decided; the next pivots are chosen, too
    bool counts = false;                   ///< the rank policy has acted (LinearCounts::rank_actions)
    const RitzDirections* weak = nullptr;  ///< weak directions; null: there are none
    double largest = 1.0;                  ///< eigenvalue that theirs are relative to
  };

  /// Scales of rows and columns, renewed now and then.
  struct Scaling {
    explicit Scaling(const BlockPattern& pattern) : blocks(pattern) {}

    BlockScales blocks;
    bool has_H = false;                    ///< blocks have seen the present H
    Eigen::VectorXd metric;                ///< column scales of the first matrix; empty: there was none
    SignedVector<double> reference, root;  ///< D^-2 and D^-1
    long version = 0;                      ///< changes with every renewal
  };

  EvaluationResult factorize_by_policy(const BlockValues& values);
  EvaluationResult factorize_regularized(const BlockValues& values);
  EvaluationResult factorize_untreated(const BlockValues& values);
  EvaluationResult factorize_proximal(const BlockValues& values, Factors::Pivots pivots);
  EvaluationResult find_weak_rows(const BlockValues& values);
  EvaluationResult treat_weak_rows(const BlockValues& values);
  EvaluationResult classify_weak_directions(const BlockValues& values);
  bool still_redundant();
  void find_ritz_directions();
  EvaluationResult border(int weak);

  void update_scaling(const BlockValues& values, bool factorized);
  bool certainly_regular();
  bool is_regular(const BlockValues& values);
  bool is_regular_by_iteration();
  void scaled_inverse(double* u, bool bordered = false);
  double geometry_of_mode();
  const double* weights_of_rows();
  void scaled_product(double* u);
  double rough_largest_eigenvalue();
  bool has_exact_rows(const BlockValues& values) const;
  void solve_proximal(double* top, double* bottom);
  bool strict() const { return options_.rank_policy == RankPolicy::strict; }
  bool regularizes() const { return options_.rank_policy == RankPolicy::regularized; }

  BlockPattern pattern_;
  LinearSolverOptions options_;
  std::unique_ptr<Factors> factors_;
  int n_, m_;
  double rank_threshold_;   // for this m
  double threshold_ = 0.0;  // for this matrix
  Decision decision_;
  Scaling scaling_;

  SignedVector<int> weak_rows_;  // relaxed to find the weak directions
  LostDirections lost_;
  RitzDirections ritz_;
  NullDirections null_;  // regularized
  Lanczos lanczos_;
  GeometricRank geometry_, geometry_of_path_;

  int redundant_ = 0;                      // directions that the first matrix has lost: they are lost everywhere
  bool only_redundant_ = false;            // the weak directions of the last decision were these
  double largest_ = 1.0;                   // eigenvalue of D S D, of the last decision
  std::unique_ptr<RowForces> row_forces_;  // made at the first lost direction
  SignedVector<double> row_weights_;       // of them

  SignedVector<double> delta_;        // compliance of every row: regularized, proximal
  long unconverged_ = 0;              // solutions that proximal steps have not reached
  bool recheck_rank_ = false;         // proximal: decide the rank of the next matrix anew
  const double* jacobian_ = nullptr;  // G of the last matrix, in the memory of its owner
  SignedVector<double> u_, weakest_direction_, mode_, top_, bottom_, w_;  // scratch; mode_ is continued along a path
};

}  // namespace sunlagrange::internal
