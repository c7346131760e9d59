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

  /// Looks for a critical pose at a dip of the smallest singular value.
  /// @param dip  the dip as an event, kept for the report if the passage is not smooth
  void look_near(const RankEvent& dip, const PathSample& at, const PathSample& regular);

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
  struct State {
    double t;
    Eigen::VectorXd q, v, a;
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

  void follow(const PathSample& newest);
  std::vector<Point> points_beside(const Open& passage);
  bool judge(Open& passage, std::size_t& judged);
  void write(const Judgement& judgement, std::size_t& judged);

  ObservedRun& run_;
  std::unique_ptr<PointEvaluator> evaluator_;
  std::vector<State> states_;  // of the motion near poses, oldest first
  std::vector<Open> open_;
  std::vector<Judgement> judgements_;
};

}  // namespace sunlagrange::internal
