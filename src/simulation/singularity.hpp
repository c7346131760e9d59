#pragma once

#include <deque>
#include <functional>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange {

/// A point of the path with what the saddle-point system says there.
struct PathSample {
  double t = 0.0;
  Eigen::VectorXd q, v, a, lambda;
  double smallest = 1.0;  ///< relative smallest singular value
  int weakest_row = -1;
  double power = 0.0;
  bool evaluated = false;  ///< the model accepted the point
  bool regular = false;    ///< a, lambda, smallest are known
};

/// Watches the smallest singular value along the path: finds its dips between the steps, and looks behind each whether
/// the motion went through smoothly. At a singular configuration branches of the motion cross; all satisfy the
/// constraints, only the smooth one satisfies the equations of motion without an impulse.
class SingularityWatch {
 public:
  SingularityWatch(const MechanicalSystem& system, double rank_threshold);

  /// The motion starts anew, perhaps with other constraints: what waits for its judgement stays unverified.
  void restart(const MechanicalSystem& system);

  using Between = std::function<PathSample(double)>;

  /// After every accepted step: the last samples (at most three, newest last), a way to look between them, and M_ii,
  /// the scale of the velocities.
  void accept(const std::deque<PathSample>& last, const Between& between, const std::vector<double>& mass_diagonal,
              Report& report);

  /// After the last step: looks into it, and judges what still waits.
  void finish(const std::deque<PathSample>& last, const Between& between, const std::vector<double>& mass_diagonal,
              Report& report);

  /// The last regular sample before what is going on now.
  const PathSample& regular_before() const { return before_; }

 private:
  /// @param shoulders  the smaller of the values on both sides
  void find_dip(double low, double high, double shoulders, bool noticed, const Between& between, Report& report);
  double event_level() const;
  void judge(const PathSample& before, const PathSample& after, const std::vector<double>& mass_diagonal,
             Report& report);

  const MechanicalSystem* system_;
  double threshold_;
  double largest_ = 0.0;             // of `smallest` so far
  PathSample before_;                // the last regular sample before the events that wait for their judgement
  PathSample earlier_;               // the regular sample before that one
  std::size_t judged_ = 0;           // events with a judgement
  std::vector<RankEvent> suspects_;  // dips that stayed above the threshold: events only if the motion jumped there
  bool restarted_ = false;
};

/// A run through singular configurations is a plain success only if every passage was seen to be smooth; otherwise
/// Outcome::uncertain_branch. The message is empty without such passages.
Status judge_passages(const Report& report);

}  // namespace sunlagrange
