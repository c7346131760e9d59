// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/point_evaluator.hpp"
#include "simulation/checks/check.hpp"
#include "simulation/critical_pose.hpp"

namespace sunlagrange::internal {

/// Decides on which branch a motion leaves a critical pose. The pose is solved for where the smallest singular value
/// dips. Then only the half-lines count on which the motion came in and went out, at a distance where the branches lie
/// well apart: at an exact crossing the right motion goes straight on, at a misfit eps it turns onto the other line, to
/// the side that the sign of eps / B gives. Steps, velocities and energies do not enter. A path with |u^T g| < |eps|
/// cannot have changed its branch: the saddle of u^T g between the branches lies at eps.
class PosePassages {
 public:
  explicit PosePassages(ObservedRun& run);

  /// The motion starts again: the poses that wait for the motion to leave them are dropped.
  void restart();

  /// Returns true if the path keeps its branch beside a dip of the smallest singular value sigma. With a bound K of the
  /// second derivatives of the rows and
  ///
  ///     2 K |g| < sigma^2
  ///
  /// at all points of a path, each has one exact configuration nearby, which depends continuously on the point
  /// (Kantorovich): a path that changes its branch violates this, because |u^T g| reaches eps = sigma^2 / (2 K) between
  /// the branches. Rows have length 1, coordinates are compared as sqrt(M_jj) q_j. |g| is evaluated at the dip and in
  /// the middle of the steps around it. K is measured by differences of G at the dip in a few directions: the Frobenius
  /// norm of all second derivatives, mostly to a factor of 2 and larger than the bound that the law needs. sigma is
  /// that of the dip, computed here: the estimates of the solver follow a path, and may be those of another direction.
  /// With redundant rows it is the last one that does not vanish at a regular state. A part of what the law allows
  /// covers these errors.
  bool keeps_branch(const PathSample& at, const PathSample& regular);

  /// Looks for a critical pose at a dip of the smallest singular value.
  /// @param dip  the dip as an event, kept for the report if the passage is not smooth
  void find_near(const RankEvent& dip, const PathSample& at, const PathSample& regular);

  /// Follows the motion, and writes the judgement of each pose that it has left into the report.
  /// @param judged  number of events whose passage has been judged by others; counts an event that is added among them
  void observe(const PathSample& newest, std::size_t& judged);

  /// Writes the figures of the pose of an event into it, but not its passage. Returns false if it was not judged here.
  bool complete(RankEvent& event) const;

  /// Returns what was found at the event: the pose, the way that the motion took, and the right one; empty if the event
  /// was not judged here.
  static std::string text_at(const RankEvent& event);

  /// Returns how far the branches lie apart at a pose whose misfit and gap are known.
  static std::string branches_of(const RankEvent& event);

 private:
  using StateVector = Eigen::Map<const Eigen::VectorXd>;
  struct State {
    double t;
    StateVector q, v, a;
  };
  /// States of the motion in one array: none of them has memory of its own.
  class States {
   public:
    bool empty() const { return numbers_.empty(); }
    std::size_t size() const { return empty() ? 0 : numbers_.size() / length(); }
    void clear() { numbers_.clear(); }
    void add(const PathSample& sample);
    void keep_every_second();
    State operator[](std::size_t i) const;
    State back() const { return (*this)[size() - 1]; }

   private:
    std::size_t length() const { return 1 + 3 * static_cast<std::size_t>(n_); }

    Eigen::Index n_ = 0;
    std::vector<double> numbers_;  // t, q, v, a of each
  };
  /// A point of the path beside a pose, in the coordinates of CriticalPose::along_lines().
  struct Point {
    double t;
    Eigen::Vector2d place;
    double violation;  // u^T g
  };
  struct Open {
    CriticalPose pose;
    RankEvent dip;
    double radius;  // at which the motion is judged
  };
  struct Judgement {
    RankEvent found;                ///< passage and figures of the pose
    double begin = 0.0, end = 0.0;  ///< times at which the motion came in and went out

    bool holds(double t) const { return t >= begin && t <= end; }
  };

  PointEvaluator& evaluator();
  void follow(const PathSample& newest);
  std::vector<Point> points_beside(const Open& passage);
  bool judge(Open& passage, std::size_t& judged);
  void write(const Judgement& judgement, std::size_t& judged);

  ObservedRun& run_;
  bool searches_;  // poses can be found in the system
  std::unique_ptr<PointEvaluator> evaluator_;
  States states_;  // of the motion near poses, oldest first
  std::vector<Open> open_;
  std::vector<Judgement> judgements_;
};

}  // namespace sunlagrange::internal
