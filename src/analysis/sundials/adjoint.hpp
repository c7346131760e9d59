// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/analysis/gradient.hpp>

#include "analysis/sundials/forward_sensitivities.hpp"

namespace sunlagrange::internal {

/// Result of the backward integration at the start.
struct AdjointStart {
  Eigen::VectorXd covector;    ///< derivative of the functional by (q, v) at the start, 2n
  Eigen::VectorXd parameters;  ///< derivatives by the columns through their explicit terms
};

/// The integration of a motion and of its adjoint equations.
class AdjointRun {
 public:
  virtual ~AdjointRun() = default;
  virtual bool advance(Status& status) = 0;  ///< takes one step of the motion; false: it failed, see `status`
  virtual double reached() const = 0;
  virtual long steps() const = 0;

  /// Sets value, end and counts of `result` at the end of the motion. Returns false if the model declines it.
  virtual bool finish_forward(Gradient& result) = 0;

  /// Calls finish_forward(), then integrates back to the start and completes `result`. Returns false if this fails.
  virtual bool integrate_back(Gradient& result, AdjointStart& at_start) = 0;
};

/// @param options  validated; the integrator is cvode_bdf or cvode_adams; must outlive the run, as the other arguments
/// @param interval  GradientOptions::checkpoint_interval
/// @throws Error if the formulation has no adjoint
std::unique_ptr<AdjointRun> make_adjoint_run(const std::shared_ptr<const MechanicalSystem>& system,
                                             const MotionState& start, const SimulationOptions& options,
                                             const Functional& functional, SensitivityColumns& columns, int interval);

}  // namespace sunlagrange::internal
