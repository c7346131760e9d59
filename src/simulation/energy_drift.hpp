#pragma once

#include <memory>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/simulation/checkpoint.hpp>

#include "model/natural_scales.hpp"
#include "simulation/power_history.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Books energy along the path: Report::energy_drift is the largest |E - E(start) - work|. Of a model that does not
/// tell its energy E is the kinetic energy v^T M v / 2, and all forces do work, v^T f + v^T M' v / 2: f has the
/// gyroscopic terms in it. The drift becomes Report::none once energy or work are not finite.
class EnergyDrift {
 public:
  EnergyDrift(const MechanicalSystem& system, const Tolerances& tolerances);

  /// Goes on after an event, perhaps with other constraints: only `work` [J] of the change of energy is accounted for.
  void restart(const MechanicalSystem& system, double work);

  /// For a checkpoint, and from one.
  EnergyAccount account() const { return {start_, potential_, work_, error_, known_, driven_, displaced_, largest_}; }
  void resume(const EnergyAccount& account);

  /// After every state that the path has accepted.
  void accept(SampledPath& path, Report& report);

  /// E - E(start) - work of the newest state [J].
  double error() const { return error_; }

  /// A constraint moved: its work is that of multipliers, which grow without bound near singular configurations.
  bool driven() const { return driven_; }

  /// Power of moving constraints [W] at a regular point of the path that was sampled last: lambda^T g_t with
  /// g_t = g' - G v; for psi rows psi - psi_v v, zero for constraints linear in v.
  double power_of_constraints(const SampledPath& path, const PathSample& sample);
  double power_of_drives() const { return drives_; }  ///< the same, of the newest state

 private:
  Workspace& quantities();
  double kinetic_energy(const SampledPath& path);
  double power_of_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& f);
  double quadratic_form(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool moves_at(const SampledPath& path, const PathSample& sample);
  double power_between(SampledPath& path, double t);
  bool take(const PowerHistory::Work& told, Report& report);
  void add_work(SampledPath& path, Report& report);
  void displace(const SampledPath& path, double kinetic, Report& report);

  const MechanicalSystem* system_;
  std::unique_ptr<Workspace> quantities_;
  Eigen::VectorXd rest_;                               // v = 0
  Eigen::VectorXd momentum_, rate_, q_, v_, shifted_;  // scratch
  bool known_ = true;                                  // energy and work were finite so far
  bool told_;                                          // the model tells its energy
  bool restarted_ = false;                             // a model that does not has no work of events either
  bool driven_ = false;                                // a constraint moved
  double error_ = Report::none;
  bool alone_ = true;  // nothing but its own energy drives the motion
  double kinetic_before_ = 0.0, error_before_ = 0.0;
  double rtol_;
  ErrorTolerances tolerances_;
  Eigen::VectorXd displaced_, largest_;  // of each coordinate: way that it owes to energy gone astray, and |q_i|
  double start_ = Report::none;          // energy there
  double potential_ = 0.0;               // at the start
  double work_ = 0.0;
  double power_ = 0.0, power_before_ = 0.0;    // at the newest sample and the one before
  double drives_ = 0.0;                        // power of moving constraints
  bool moves_ = false, moved_before_ = false;  // constraints may move there
  PowerHistory history_;
  long states_ = 0;            // seen
  double interpolated_ = 0.0;  // uncertainty of the work that the history has told
};

}  // namespace sunlagrange::internal
