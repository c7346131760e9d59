// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "simulation/checks/energy_balance.hpp"
#include "simulation/checks/pose_passages.hpp"

namespace sunlagrange::internal {

/// Finds singular poses on the path and judges whether the motion passed them smoothly. The smallest singular value is
/// sampled where the path has ranked states; its rank drops are searched between them, and those below a threshold are
/// singular poses. Branches of the motion cross at a singular pose: all satisfy the constraints, only the smooth one
/// satisfies the equations of motion without an impulse. Where a critical pose is found, it decides (PosePassages).
/// Elsewhere the velocity is compared with the accelerations on both sides, and the energy with the work. A passage
/// that is not smooth changes the outcome to uncertain_branch. Does nothing without constraints.
class SingularPassages final : public Check {
 public:
  SingularPassages(ObservedRun& run, EnergyBalanceCheck& energy);

  /// Passages that wait for their judgement stay unverified.
  void restart(double event_work) override;
  void begin_segment(IntegratorStepper& stepper, const double* q, const double* v) override;
  void observe(const AcceptedStep& step) override;
  void finish(Status& status) override;

  /// With AtSingularity::project, at the edge of a singular pose where branches cross: returns the state beyond it.
  std::optional<MotionState> state_behind_pose();

 private:
  struct RankDrop;

  /// A sample with a usable acceleration on one side of a passage.
  struct RegularSample {
    PathSample sample;
    double energy_error = Report::none;
    double work_uncertainty = 0.0;
    double power = 0.0;           // |power| of moving constraints
    double greatest_power = 0.0;  // from there on
  };

  void sample_newest();
  void search_last_step();

  /// @param ends  the smaller of the values at both ends of the interval
  void find_rank_drop(double low, double high, double ends, bool noticed);
  bool may_be_critical(double smallest) const;
  bool find_pose(const RankEvent& dip, const PathSample& at);
  bool gap_ahead();
  RankEvent event_at(double t, double smallest, int weakest_row, bool noticed) const;
  double singular_level() const;
  void judge_passage(const RegularSample& before, const PathSample& after);
  double unexplained_velocity_change(const PathSample& before, const PathSample& after) const;
  double unexplained_energy(const RegularSample& before, const PathSample& after) const;
  void record_power(double power);
  Passage verdict(double velocity_change, double energy, bool converges) const;
  bool converges(const PathSample& before, const PathSample& after) const;
  void explain_stop(Status& status);
  Status summary() const;
  void read_mass_diagonal();

  ObservedRun& run_;
  SampledPath& path_;
  EnergyBalanceCheck& energy_;
  PosePassages poses_;
  bool altered_;                       // the formulation solves altered equations, which are regular at singular poses
  Gains gains_;                        // in use
  double energy_allowed_;              // part of the energy that may be missing after one passage
  double shortest_;                    // between two passages [s]
  double largest_ = 0.0;               // PathSample::smallest since the last restart
  RegularSample before_;               // the last one before the passages that wait for their judgement
  RegularSample earlier_;              // the one before that
  std::size_t judged_ = 0;             // poses with a judgement
  std::vector<RankEvent> candidates_;  // rank drops above the threshold: singular poses only if the motion jumped there
  bool restarted_ = false;
  double approach_ = Report::none;     // time of before_ when a gap was looked for
  bool gap_ahead_ = false;             // what was found then
  std::vector<double> mass_diagonal_;  // M_ii, the scale of the velocities
  std::vector<int> mass_slots_;        // where they are
};

}  // namespace sunlagrange::internal
