// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

#include "consistency/manifold.hpp"
#include "formulation/parts/coordinate_partition.hpp"
#include "linear_solver/factors/block_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// The motion (q, v) of a system as a function of independent coordinates: u, some of the positions, and w, some of the
/// velocities [WehageHaug1982]. The others follow from
///
///     g(t, q) = 0        Newton's method from the point recovered last, which keeps the branch
///     (g', psi) = 0      linear in v unless psi is nonlinear, which is iterated
///
/// There are n - rank(dg/dq) independent positions and n - rank(G) independent velocities; without velocity constraints
/// they belong to the same coordinates. The pivot columns of the Jacobian, in units of the mass matrix, are dependent,
/// so that light coordinates depend on heavy ones. Redundant rows are satisfied in the sense of least squares.
class IndependentCoordinates {
 public:
  /// Chooses the coordinates at the start, whose positions only have to be near the constraints.
  /// @throws Error if the model declines the start or the Jacobian is not finite there
  IndependentCoordinates(const std::shared_ptr<const MechanicalSystem>& system, const LinearSolverOptions& resolved,
                         const MotionState& start, const Tolerances& tolerances);

  const std::vector<int>& positions() const { return of_positions_.independent(); }
  const std::vector<int>& velocities() const { return of_velocities().independent(); }

  /// Computes q() and v() at (t, u, w), to rounding level. No allocation. At the time of the start u and w are those of
  /// the start: the motion begins again.
  /// @return declined if Newton does not converge: the point is too far from the last ones, or there is no solution;
  ///         rank_loss if the dependent block is singular, or the constraints have a higher rank than at the start
  /// @throws Error if t lies before the last change of the partition: the coordinates of u and w are unknown there
  EvaluationResult recover(double t, const double* u, const double* w);

  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }

  /// Call it at accepted points: the recovered point becomes the second point from which Newton starts. Returns true if
  /// a better partition was found there, which is used from now on. Allocates if it searches for one.
  bool improve();

  /// Factorises the dependent blocks at the recovered point, at which `w` was evaluated. Call it before tangent().
  EvaluationResult linearize(const Workspace& w);

  /// Computes the change of (q, v) for a change of (u, w). `w` contains the tangent blocks of the recovered point.
  void tangent(const Workspace& w, const double* du, const double* dw, Eigen::VectorXd& dq, Eigen::VectorXd& dv);

  long factorizations() const;
  long solutions() const;
  long changes() const { return changes_; }  ///< number of changes of the partition
  long recoveries() const { return recoveries_; }
  long corrections() const { return corrections_; }  ///< Newton corrections of the positions in all recoveries

 private:
  struct Point {
    double t = 0.0;
    Eigen::VectorXd q, v;
  };

  const CoordinatePartition& of_velocities() const { return split_ ? of_velocities_ : of_positions_; }
  CoordinatePartition& of_velocities() { return split_ ? of_velocities_ : of_positions_; }
  bool is_recovered(double t, const double* u, const double* w) const;
  void check_time(double t);
  bool evaluate(unsigned what, double t);
  bool choose(CoordinatePartition& positions, CoordinatePartition& velocities, bool first);
  EvaluationResult attempt(double t, const double* u, const double* w, const Point& from, bool old_factors);
  EvaluationResult solve_positions(double t, bool old_factors);
  EvaluationResult solve_velocities(double t, bool old_factors);
  EvaluationResult refine_velocities(bool old_factors);
  bool below_tolerances(const CoordinatePartition& partition, const double* correction, const Eigen::VectorXd& x) const;
  double violation(const Eigen::VectorXd& values, const Eigen::VectorXd& x);
  bool is_rounding(const Eigen::VectorXd& values, const Eigen::VectorXd& x, double roundings);
  template <class Sizes>
  double relative_to_terms(const Eigen::VectorXd& values, const Sizes& size);
  double influence(CoordinatePartition& positions, CoordinatePartition& velocities, const double* G);

  std::shared_ptr<const MechanicalSystem> system_;
  int n_, m_, m_g_;
  bool split_;  // there are velocity constraints: positions and velocities have different partitions
  ErrorTolerances tolerances_;
  std::unique_ptr<Workspace> workspace_;
  BlockScales scales_;
  CoordinateSizes sizes_;
  CoordinatePartition of_positions_, of_velocities_, first_of_positions_, first_of_velocities_;
  Eigen::VectorXd q_, v_;
  bool recovered_ = false;  // q_, v_ are a recovered point, at last_.t
  Point start_;
  double changed_at_;  // time of the last change of the partition, or of the start
  Point last_;         // the point recovered last
  Point accepted_;     // the point of the last improve()
  Eigen::VectorXd rows_, sums_, residual_;
  ManifoldNewton newton_;
  bool below_tolerances_ = false;  // the last correction of the velocities was far below the tolerances
  double unimproved_ = 0.0;        // influence at which no better partition was found
  long changes_ = 0, recoveries_ = 0, corrections_ = 0;
};

}  // namespace sunlagrange::internal
