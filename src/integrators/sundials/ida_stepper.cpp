// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/sundials/ida_stepper.hpp"

namespace sunlagrange::internal {

IdaStepper::IdaStepper(const IntegratorEntry&, const std::shared_ptr<const MechanicalSystem>& system,
                       const MotionState& start, const StepperOptions& options, const char* solver)
    : SundialsStepper(start.t, options) {
  auto binding = make_binding(system, start, options.attach, Equations::dae, solver);
  make_vectors(binding->dae(), start, true);
  memory_ = IDACreate(context_);
  messages_.install_on_ida(memory_);
  require_success(IDAInit(memory_, ida_residual, t_, y_, yp_), "IDAInit");
  attachment_ = std::make_unique<Attachment>(install_ida(memory_, context_, y_, std::move(binding), true, true));
  require_success(IDASetStopTime(memory_, t_end_), "IDASetStopTime");
  IdaStepper::limit_steps(options.max_step);
  require_success(IDASetMaxNumSteps(memory_, -1), "IDASetMaxNumSteps");
  prepare_roots(system);
  if (num_roots() == 0) return;
  require_success(IDARootInit(memory_, num_roots(), ida_roots), "IDARootInit");
  require_success(IDASetRootDirection(memory_, searched_directions_.data()), "IDASetRootDirection");
  IDASetNoInactiveRootWarn(memory_);
}

int IdaStepper::ida_roots(double t, N_Vector y, N_Vector, double* values, void* user_data) {
  return evaluate_roots(t, y, values, user_data);
}

IdaStepper::~IdaStepper() {
  IDAFree(&memory_);
}

bool IdaStepper::step(Status& status) {
  failures().begin_step();
  sunrealtype reached = t_;
  const int flag = IDASolve(memory_, t_end_, &reached, y_, yp_, IDA_ONE_STEP);
  if (flag < 0) return failed("IDASolve", flag, IDAGetReturnFlagName(flag), status);
  t_ = reached;
  record_roots(flag == IDA_ROOT_RETURN, [this](int* found) { IDAGetRootInfo(memory_, found); });
  return true;
}

void IdaStepper::stop_at(double t) {
  t_end_ = t;
  require_success(IDASetStopTime(memory_, t_end_), "IDASetStopTime");
}

void IdaStepper::limit_steps(double longest) {
  require_success(IDASetMaxStep(memory_, longest), "IDASetMaxStep");
}

int IdaStepper::order() const {
  return number_of(IDAGetLastOrder, memory_);
}

StepperCounts IdaStepper::counts() const {
  StepperCounts c;
  IDAGetNumSteps(memory_, &c.steps);
  IDAGetNumErrTestFails(memory_, &c.error_test_failures);
  IDAGetNumNonlinSolvConvFails(memory_, &c.nonlinear_failures);
  IDAGetNumNonlinSolvIters(memory_, &c.nonlinear_iterations);
  return c;
}

bool IdaStepper::interpolate(double t, int k, double* out) {
  return IDAGetDky(memory_, t, k, wrap(out)) == 0;
}

IntegratorEntry make_ida() {
  IntegratorEntry entry;
  entry.equations = Equations::dae;
  entry.kind = IntegratorKind::bdf;
  entry.references = "[Hindmarsh2005]";
  entry.make = make_stepper<IdaStepper>;
  return entry;
}

}  // namespace sunlagrange::internal
