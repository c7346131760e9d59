// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/sundials/cvode_stepper.hpp"

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace sunlagrange::internal {
CvodeStepper::CvodeStepper(const IntegratorEntry& entry, const std::shared_ptr<const MechanicalSystem>& system,
                           const MotionState& start, const StepperOptions& options, const char* solver, CVRhsFn rhs)
    : SundialsStepper(start.t, options) {
  const bool adams = entry.kind == IntegratorKind::adams;
  auto binding = make_binding(system, start, options.attach, Equations::ode, solver);
  make_vectors(binding->ode(), start, false);
  memory_ = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_);
  messages_.install_on_cvode(memory_);
  require_success(CVodeInit(memory_, rhs, t_, y_), "CVodeInit");
  attachment_ = std::make_unique<Attachment>(install_cvode(memory_, context_, y_, std::move(binding), !adams));
  require_success(CVodeWFtolerances(memory_, error_weights), "CVodeWFtolerances");
  if (adams) {
    iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    require_success(CVodeSetNonlinearSolver(memory_, iteration_), "CVodeSetNonlinearSolver");
  }
  require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
  CvodeStepper::limit_steps(options.max_step);
  require_success(CVodeSetMaxNumSteps(memory_, -1), "CVodeSetMaxNumSteps");
  CVodeSetMaxHnilWarns(memory_, -1);
  prepare_roots(system);
  if (num_roots() == 0) return;
  require_success(CVodeRootInit(memory_, num_roots(), evaluate_roots), "CVodeRootInit");
  require_success(CVodeSetRootDirection(memory_, searched_directions_.data()), "CVodeSetRootDirection");
  CVodeSetNoInactiveRootWarn(memory_);
}

CvodeStepper::~CvodeStepper() {
  CVodeFree(&memory_);
  if (iteration_ != nullptr) SUNNonlinSolFree(iteration_);
}

bool CvodeStepper::step(Status& status) {
  failures().begin_step();
  if (variables_changed()) {
    before_ = counts();
    require_success(CVodeReInit(memory_, t_, y_), "CVodeReInit");
    require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
  }
  started_ = true;
  sunrealtype reached = t_;
  const int flag = CVode(memory_, t_end_, y_, &reached, CV_ONE_STEP);
  if (flag < 0) return failed("CVode", flag, CVodeGetReturnFlagName(flag), status);
  t_ = reached;
  record_roots(flag == CV_ROOT_RETURN, [this](int* found) { CVodeGetRootInfo(memory_, found); });
  return true;
}

void CvodeStepper::stop_at(double t) {
  t_end_ = t;
  require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
}

void CvodeStepper::limit_steps(double longest) {
  require_success(CVodeSetMaxStep(memory_, longest), "CVodeSetMaxStep");
}

int CvodeStepper::order() const {
  return number_of(CVodeGetLastOrder, memory_);
}

StepperCounts CvodeStepper::counts() const {
  StepperCounts c;
  CVodeGetNumSteps(memory_, &c.steps);
  CVodeGetNumErrTestFails(memory_, &c.error_test_failures);
  CVodeGetNumNonlinSolvConvFails(memory_, &c.nonlinear_failures);
  CVodeGetNumNonlinSolvIters(memory_, &c.nonlinear_iterations);
  c.steps += before_.steps;
  c.error_test_failures += before_.error_test_failures;
  c.nonlinear_failures += before_.nonlinear_failures;
  c.nonlinear_iterations += before_.nonlinear_iterations;
  return c;
}

/// v' at the end of a step is that of the last evaluation, up to the error of the iteration.
bool CvodeStepper::own_acceleration(double t, double* a) {
  const LastEvaluation* last = t == t_ ? last_evaluation() : nullptr;
  if (last == nullptr || last->system == nullptr) return false;
  as_vector(a, last->a.size()) = last->a;
  return true;
}

bool CvodeStepper::interpolate(double t, int k, double* out) {
  return CVodeGetDky(memory_, t, k, wrap(out)) == 0;
}

namespace {

IntegratorEntry cvode_entry(IntegratorKind kind) {
  IntegratorEntry entry;
  entry.kind = kind;
  entry.references = "[Hindmarsh2005]";
  entry.make = make_stepper<CvodeStepper>;
  return entry;
}

}  // namespace

IntegratorEntry make_cvode_bdf() {
  return cvode_entry(IntegratorKind::bdf);
}
IntegratorEntry make_cvode_adams() {
  return cvode_entry(IntegratorKind::adams);
}

}  // namespace sunlagrange::internal
