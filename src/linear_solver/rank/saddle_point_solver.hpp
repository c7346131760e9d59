#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linear_solver/factors/block_scales.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/rank/geometric_rank.hpp"
#include "linear_solver/rank/lost_directions.hpp"
#include "linear_solver/rank/null_directions.hpp"

namespace sunlagrange::internal {

/// Saddle-point systems [M G^T; G -C] with any factors: what rank means and what is done when it is lost.
///
/// 1. The pivots, or else a few steps of inverse iteration, show most matrices to be regular: nothing more is done.
/// 2. Otherwise the row with the largest share in the weakest direction is relaxed (LostDirections), until what is left
///    is regular. These rows stay relaxed in the next matrices, and give the weak directions with each.
/// 3. Weak in D S D, D = diag(largest S_ii so far)^-1/2 (strict: present): lost below rank_threshold x the
///    largest, tapered to ten times that. Where the geometry of G (GeometricRank) does not explain them, masses lie far
///    apart: the geometry alone says what is lost, and the matrix is factorised with pivots chosen for it.
/// 4. minimum_norm borders the matrix with the weak directions; strict refuses. regularized lends every row compliance
///    from the start; what b asks of exactly lost directions, G^T u = 0, is left out: the limit is that of
///    minimum_norm, whatever the scales of the rows.
///
/// More than LostDirections::most lost directions (rows given twice along a chain) are not followed: C = delta, and
/// proximal steps until the accelerations stand.
class SaddlePointSolver final : public LinearSolver {
 public:
  SaddlePointSolver(const BlockPattern& pattern, const LinearSolverOptions& options, std::unique_ptr<Factors> factors);

  LinearOutcome factorize(const BlockValues& values) override;
  LinearOutcome solve(double* top, double* bottom) override;
  int rank() const override { return rank_; }
  WeakestMode weakest_mode(int lost) override;
  std::string description() const override;

 private:
  enum class Kept { all, bordered, proximal };

  LinearOutcome decide(const BlockValues& values);
  LinearOutcome regularize(const BlockValues& values);
  LinearOutcome search(const BlockValues& values);
  LinearOutcome judge(const BlockValues& values);
  LinearOutcome keep_all(const BlockValues& values);
  LinearOutcome keep_most(const BlockValues& values, Factors::Pivots pivots);

  void survey(const BlockValues& values, bool factorized);
  bool regular(const BlockValues& values);
  bool regular_by_iteration();
  void scaled_inverse(double* u);
  double geometry_of_mode();
  double strongest(int steps, double tolerance);
  bool has_exact_rows(const BlockValues& values) const;
  void proximal(double* top, double* bottom);
  bool strict() const { return options_.rank_policy == RankPolicy::strict; }
  bool regularizes() const { return options_.rank_policy == RankPolicy::regularized; }

  BlockPattern pattern_;
  LinearSolverOptions options_;
  std::unique_ptr<Factors> factors_;
  int n_, m_;
  double rank_threshold_;   // for this m
  double threshold_ = 0.0;  // for this matrix
  bool exact_rows_ = true;  // not every row has compliance
  int rank_ = 0;
  Kept kept_ = Kept::all;
  bool far_apart_ = false, acted_ = false;
  LinearOutcome outcome_ = LinearOutcome::singular;

  BlockScales scales_;
  bool surveyed_H_ = false;               // scales_ have seen this H
  Eigen::VectorXd metric_;                // column scales of the first matrix
  std::vector<double> reference_, root_;  // largest S_ii so far, D^-2; D^-1
  long surveys_ = 0;                      // in which they change

  std::vector<int> suspects_;  // rows relaxed to find the weak directions
  LostDirections lost_;
  RitzDirections weak_;
  NullDirections null_;  // regularized
  GeometricRank geometry_, geometry_of_path_;
  const RitzDirections* chosen_ = nullptr;  // of the last matrix, if it had weak directions
  double largest_ = 1.0;                    // eigenvalue that theirs are relative to

  std::vector<double> delta_;  // compliance of every row: regularized, proximal
  long unconverged_ = 0;
  bool asks_again_ = false;           // whether rank is back
  const double* jacobian_ = nullptr;  // of the last matrix, where its owner has it
  std::vector<double> u_, weakest_, mode_, top_, bottom_, w_;
};

}  // namespace sunlagrange::internal
