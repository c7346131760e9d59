#pragma once

#include <optional>
#include <vector>

#include <sunlagrange/results/at_singularity.hpp>
#include <sunlagrange/results/report.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Watches the smallest singular value along the path: finds its dips between the steps, and looks behind each whether
/// the motion went through smoothly. At a singular configuration branches of the motion cross; all satisfy the
/// constraints, only the smooth one satisfies the equations of motion without an impulse. Does nothing without
/// constraints.
class SingularPassages {
 public:
  SingularPassages(SampledPath& path, AtSingularity policy, double t_start, double t_end);

  /// The motion starts anew, perhaps with other constraints: what waits for its judgement stays unverified. Call after
  /// SampledPath::restart.
  void restart();

  /// After every state that the path has accepted.
  void accept(Report& report);

  /// After the last one: looks into the last step, and judges what still waits.
  void finish(Report& report);

  /// With AtSingularity::project, at the edge of a singular configuration: the state beyond it.
  std::optional<MotionState> beyond() const;

 private:
  struct Dip;

  /// @param shoulders  the smaller of the values on both sides
  void find_dip(double low, double high, double shoulders, bool noticed, Report& report);
  double event_level() const;
  void judge(const PathSample& before, const PathSample& after, Report& report);
  void read_mass_diagonal();

  SampledPath& path_;
  AtSingularity policy_;
  double threshold_;
  double t_end_;
  double shortest_;                  // between two passages [s]
  double largest_ = 0.0;             // of `smallest` so far
  PathSample before_;                // the last regular sample before the events that wait for their judgement
  PathSample earlier_;               // the regular sample before that one
  std::size_t judged_ = 0;           // events with a judgement
  std::vector<RankEvent> suspects_;  // dips that stayed above the threshold: events only if the motion jumped there
  bool restarted_ = false;
  std::vector<double> mass_diagonal_;  // M_ii, the scale of the velocities
  std::vector<int> mass_slots_;        // where they are
};

/// A run through singular configurations is a plain success only if every passage was seen to be smooth; otherwise
/// Outcome::uncertain_branch. The message is empty without such passages.
Status judge_passages(const Report& report);

}  // namespace sunlagrange::internal
