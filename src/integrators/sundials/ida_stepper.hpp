// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/sundials/attach_ida.hpp>

#include "integrators/sundials/sundials_stepper.hpp"

namespace sunlagrange::internal {

/// IDA, advanced step by step. Runs with sensitivities (IDAS) are derived from it.
class IdaStepper : public SundialsStepper {
 public:
  /// @param solver  name of the integrator in messages
  IdaStepper(const IntegratorEntry& entry, const std::shared_ptr<const MechanicalSystem>& system,
             const MotionState& start, const StepperOptions& options, const char* solver = "IDA");
  IdaStepper(const IdaStepper&) = delete;
  IdaStepper& operator=(const IdaStepper&) = delete;
  ~IdaStepper() override;

  bool step(Status& status) override;
  void stop_at(double t) override;
  void limit_steps(double longest) override;
  int order() const override;
  StepperCounts counts() const override;

 protected:
  bool interpolate(double t, int k, double* out) override;

  void* memory_ = nullptr;  // of IDA

 private:
  static int ida_roots(double t, N_Vector y, N_Vector yp, double* values, void* user_data);
};

}  // namespace sunlagrange::internal
