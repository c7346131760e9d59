// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/sundials/attach_cvode.hpp>

#include "integrators/sundials/sundials_stepper.hpp"

namespace sunlagrange::internal {

/// CVODE, advanced step by step. Runs with sensitivities or adjoint equations (CVODES) are derived from it.
class CvodeStepper : public SundialsStepper {
 public:
  /// @param solver  name of the integrator in messages
  /// @param rhs     right-hand side of the motion
  CvodeStepper(const IntegratorEntry& entry, const std::shared_ptr<const MechanicalSystem>& system,
               const MotionState& start, const StepperOptions& options, const char* solver = "CVODE",
               CVRhsFn rhs = cvode_rhs);
  CvodeStepper(const CvodeStepper&) = delete;
  CvodeStepper& operator=(const CvodeStepper&) = delete;
  ~CvodeStepper() override;

  bool step(Status& status) override;
  void stop_at(double t) override;
  void limit_steps(double longest) override;
  int order() const override;
  StepperCounts counts() const override;

 protected:
  bool own_acceleration(double t, double* a) override;
  bool interpolate(double t, int k, double* out) override;

  void* memory_ = nullptr;  // of CVODE

 private:
  StepperCounts before_;  // of the integrations before the last change of variables
  SUNNonlinearSolver iteration_ = nullptr;
};

}  // namespace sunlagrange::internal
