// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <sunlagrange/internal/quantities.hpp>

#include "model/natural_scales.hpp"
#include "simulation/checks/check.hpp"
#include "simulation/checks/power_history.hpp"

namespace sunlagrange::internal {

/// Thresholds relative to the energy that the run holds (Report::energy_scale). Held by doubts_test (energy_balance)
/// and, for the displacement, by checkpoint_test and branches_test; calibrated in the campaign (decision 16).
struct EnergyThresholds {
  double tolerances = 1e4;            ///< drift, in rtol: what right runs may lose
  double least = 1e-3;                ///< a smaller drift is never doubted
  double least_of_tight_runs = 1e-5;  ///< the same where the error test sees the velocities
  double most = 0.05;                 ///< a larger drift is always doubted: twice the velocity error that it stands for
  double of_fixed_steps = 0.1;        ///< drift of fixed steps, which have no tolerance
  double known_work = 1e-4;           ///< uncertainty of the work in a step above which the step is divided
  int most_parts = 8;                 ///< into so many
  double excused_work = 0.1;          ///< uncertainty of the work that excuses a drift
  double displacement = 0.1;          ///< of the size: a motion displaced by more is no result
  double unseen = 0.02;               ///< part of the drift below which the uncertainty of the work does not matter
  double unseen_of_multipliers = 0.05;  ///< the same where power needs multipliers, which cost more
  long many_states = 64;                ///< over so many steps errors add up like independent ones
  double unseen_motion = 3.0;           ///< displacement in a step, in those of the faster velocity at its ends
  int bisections = 40;                  ///< to find the time of a turn to the last digit of a step
  double difference = 1e-5;             ///< of the size: displacement for differences of M along the motion
};
constexpr EnergyThresholds energy_threshold;

/// Compares the change of energy with the work: Report::energy_drift is the largest |E - E(start) - work| [J]. If the
/// model does not give its energy, E is the kinetic energy v^T M v / 2 and all forces do work, with the power
/// v^T f + v^T M' v / 2, where f contains the gyroscopic terms. The drift is Report::none once energy or work are not
/// finite.
class EnergyBalanceCheck final : public Check {
 public:
  explicit EnergyBalanceCheck(ObservedRun& run);

  void restart(double event_work) override;
  void observe(const AcceptedStep& step) override;
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override;
  void describe(Figures& state) override;

  /// Returns E - E(start) - work of the newest state [J].
  double error() const { return error_; }

  /// True if a constraint has moved: its work is that of multipliers, which grow without bound near singular poses.
  bool driven() const { return driven_; }

  /// Returns the power of moving constraints [W] at a regular point of the path that was sampled last: lambda^T g_t
  /// with g_t = g' - G v; for psi rows psi - psi_v v, which is zero for constraints linear in v.
  double power_of_constraints(const PathSample& sample);

  /// Returns the same for the newest state.
  double driving_power() const { return driving_power_; }

 private:
  Workspace& quantities();
  double kinetic_energy();
  double power_of_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& f);
  double quadratic_form(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool constraints_move(const PathSample& sample);
  double power_between(double t);
  bool accept_estimate(const PowerHistory::Work& estimate);
  bool moved_unseen() const;
  void add_work();
  double tolerated_change(const PathSample& now) const;
  void measure_displacement(double kinetic);
  void measure_lateness();
  bool swings_alike() const;
  void remember_power(double t);

  ObservedRun& run_;
  const MechanicalSystem* system_;
  std::unique_ptr<Workspace> quantities_;              // for points inside the steps, and at rest
  Eigen::VectorXd rest_;                               // v = 0
  Eigen::VectorXd momentum_, rate_, q_, v_, shifted_;  // scratch
  bool known_;                                         // energy and work were finite so far
  bool model_gives_energy_;
  bool restarted_ = false;  // the work of the event is not known
  bool driven_ = false;
  bool conservative_;  // nothing but its own energy drives the motion
  double rtol_;
  ErrorTolerances tolerances_;
  Eigen::VectorXd displaced_;            // by the energy drift, since the motion turned back
  Eigen::VectorXd largest_;              // |q_i|
  Eigen::VectorXd fastest_;              // |v_i|
  std::array<double, 3> first_turns_{};  // times at which the motion turned back first [s]
  double turns_ = 0.0;
  double start_ = Report::none;                       // energy there [J]
  double potential_ = 0.0;                            // at the start [J]
  double work_ = 0.0;                                 // since then [J]
  double error_ = Report::none;                       // of the newest state [J]
  double kinetic_before_ = 0.0, error_before_ = 0.0;  // of the state before
  double uncertainty_of_step_ = 0.0;                  // of the work in the last step [J]
  double tolerated_ = 0.0;                            // tolerated_change() of the newest state [J]
  double unseen_change_ = 0.0;                        // largest change of a step that its error test did not see [J]
  double power_ = 0.0, power_before_ = 0.0;           // at the newest state and the one before [W]
  double driving_power_ = 0.0;                        // of moving constraints, within power_ [W]
  bool moving_ = false, moving_before_ = false;       // constraints may move there
  PowerHistory history_;
  std::vector<double> corners_;          // times at which forces or motions are not smooth, ascending
  std::size_t next_corner_ = 0;          // the first that no state has reached
  double net_difference_ = 0.0;          // between two quadratures of the work, with its sign [J]
  double largest_difference_ = 0.0;      // its largest size
  long states_ = 0;                      // observed
  double uncertainty_of_history_ = 0.0;  // of the work that the history has given [J]
};

}  // namespace sunlagrange::internal
