#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <sunlagrange/results/report.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "simulation/energy_drift.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Watches the smallest singular value along the path: finds its dips between the steps, and looks behind each whether
/// the motion went through smoothly. At a singular configuration branches of the motion cross; all satisfy the
/// constraints, only the smooth one satisfies the equations of motion without an impulse. Two predictions are compared
/// with what came out: the velocity from the accelerations on both sides, and the energy. Does nothing without
/// constraints.
class SingularPassages {
 public:
  SingularPassages(SampledPath& path, EnergyDrift& energy, const SimulationOptions& options, double t_start,
                   double t_end);

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

  /// A regular sample on one side of a passage.
  struct Shoulder {
    PathSample sample;
    double energy_error = Report::none;
    double work_uncertainty = 0.0;
    double power = 0.0;           // of moving constraints, without its sign
    double greatest_power = 0.0;  // from there on
  };

  /// @param shoulders  the smaller of the values on both sides
  void find_dip(double low, double high, double shoulders, bool noticed, Report& report);
  double event_level() const;
  void judge(const Shoulder& before, const PathSample& after, Report& report);
  double unexplained_change(const PathSample& before, const PathSample& after) const;
  double unexplained_energy(const Shoulder& before, const PathSample& after, const Report& report) const;
  void see_power(double power);
  Passage verdict(double kink, double energy) const;
  void read_mass_diagonal();

  SampledPath& path_;
  EnergyDrift& energy_;
  AtSingularity policy_;
  bool altered_;           // the formulation solves altered equations, which are regular at singular configurations
  double energy_allowed_;  // share of the energy that may come or go in one passage
  double threshold_;
  double t_end_;
  double shortest_;                  // between two passages [s]
  double largest_ = 0.0;             // of `smallest` so far
  Shoulder before_;                  // the last regular sample before the events that wait for their judgement
  Shoulder earlier_;                 // the regular sample before that one
  std::size_t judged_ = 0;           // events with a judgement
  std::vector<RankEvent> suspects_;  // dips that stayed above the threshold: events only if the motion jumped there
  bool restarted_ = false;
  std::vector<double> mass_diagonal_;  // M_ii, the scale of the velocities
  std::vector<int> mass_slots_;        // where they are
};

/// A run through singular configurations is a plain success only if every passage was seen to be smooth; otherwise
/// Outcome::uncertain_branch. The message is empty without such passages.
Status judge_passages(const Report& report, std::string_view formulation, RankPolicy policy);

}  // namespace sunlagrange::internal
