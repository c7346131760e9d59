#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/analysis/gradient.hpp>

#include "analysis/sundials/forward_sensitivities.hpp"

namespace sunlagrange::internal {

/// What the way back knows of a functional at the start.
struct AdjointStart {
  Eigen::VectorXd covector;    ///< on a change of (q, v) at the start, 2n
  Eigen::VectorXd parameters;  ///< what the columns do on the way, explicitly
};

/// A motion and its adjoint.
class AdjointRun {
 public:
  virtual ~AdjointRun() = default;
  virtual bool advance(Status& status) = 0;  ///< one step of the motion; false: it failed, and `status` says why
  virtual double reached() const = 0;
  virtual long steps() const = 0;

  /// Value, end and counts of `result` where the motion has arrived. False: the model declined it.
  virtual bool arrive(Gradient& result) = 0;

  /// arrive(), then the rest of `result` back at the start. False: it failed.
  virtual bool go_back(Gradient& result, AdjointStart& at_start) = 0;
};

/// @param options  validated; the integrator is cvode_bdf or cvode_adams; must outlive the run, as the others
/// @param interval  GradientOptions::checkpoint_interval
/// @throws Error if the formulation has no adjoint
std::unique_ptr<AdjointRun> make_adjoint_run(const std::shared_ptr<const MechanicalSystem>& system,
                                             const MotionState& start, const SimulationOptions& options,
                                             const Functional& functional, SensitivityColumns& columns, int interval);

}  // namespace sunlagrange::internal
