#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

#include "simulation/coarse_steps.hpp"
#include "simulation/doubts.hpp"
#include "simulation/energy_drift.hpp"
#include "simulation/feasibility.hpp"
#include "simulation/inertia_watch.hpp"
#include "simulation/passages.hpp"
#include "simulation/recorder.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Watches accepted steps: samples each and shows it to those who look at one thing. Fills trajectory and report; uses
/// the system and, where it is lent, the factor that the formulation has left nearby, never the integrator.
class RunMonitor {
 public:
  /// @param system  with the constraints that are active
  /// @param rows    their rows in the full system, as the trajectory has them
  RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
             const SimulationOptions& options, Simulation& run);

  /// Goes on after an event with other active constraints; accept() the state after it next. Only `work` [J] of its
  /// change of energy is accounted for.
  void restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows, double work);

  /// Before the first state of a run whose report goes on from a checkpoint.
  void resume(const Checkpoint& from);

  /// Call with the start and after every accepted step; see SampledPath::accept.
  /// @param order          of the method in this step; 0: not known
  /// @param inside_a_step  the state at a root
  void accept(double t, const double* q, const double* v, const double* a, const LastEvaluation* nearby = nullptr,
              int order = 0, bool inside_a_step = false);

  /// What the projection has taken out of the velocities at the newest state, see Observed.
  void note_taken_out(double velocity) {
    if (!(velocity > observed_.taken_out)) return;
    observed_.taken_out = velocity;
    observed_.t_taken_out = path_.newest().t;
  }
  /// So far, `tapered` as it was resumed: the run counts.
  Observed observed() const;

  /// See TrajectoryRecorder.
  void record_polynomials() { recorder_.record_polynomials(); }
  void set_start_acceleration(const double* a);
  void set_start_velocity(const double* v);

  /// Constraint with the largest share in the weakest direction at the last accepted step; may be empty.
  std::string weakest_constraint() const;

  const PathSample& newest() const { return path_.newest(); }
  EnergyAccount energy() const { return energy_.account(); }

  Feasibility& feasibility() { return feasibility_; }
  const SingularPassages& passages() const { return passages_; }
  const InertiaWatch& inertia() const { return inertia_; }
  std::optional<InertiaRange> inertias() const { return range_of_inertias(path_); }

  /// Drops into the report what is known only at the end.
  void finish() {
    passages_.finish(run_.report);
    if (run_.status.finished()) inertia_.finish(path_);
  }

  /// However the run ended: the trajectory has its last state.
  void keep_end();

 private:
  Simulation& run_;
  SampledPath path_;
  Feasibility feasibility_;
  InertiaWatch inertia_;
  std::optional<CoarseSteps> coarse_steps_;  // of methods with fixed steps
  EnergyDrift energy_;
  SingularPassages passages_;
  TrajectoryRecorder recorder_;
  Observed observed_;  // without what coarse_steps_ has
};

}  // namespace sunlagrange::internal
