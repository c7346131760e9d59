#include <cstdlib>

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <sunlagrange/sundials/attach_cvode.hpp>

#include "sundials/sundials_stepper.hpp"

namespace sunlagrange {
namespace {

class CvodeStepper final : public SundialsStepper {
 public:
  CvodeStepper(bool adams, const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
               const StepperOptions& options)
      : SundialsStepper(start.t, options.t_end) {
    make_vectors(2L * system->num_positions(), false);
    memory_ = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_);
    messages_.install_on_cvode(memory_);
    for (int i = 0; i < system->num_positions(); ++i) {
      N_VGetArrayPointer(y_)[i] = start.q[i];
      N_VGetArrayPointer(y_)[system->num_positions() + i] = start.v[i];
    }
    require_success(CVodeInit(memory_, cvode_rhs, t_, y_), "CVodeInit");
    require_success(CVodeSStolerances(memory_, options.attach.rtol, options.attach.atol), "CVodeSStolerances");
    AttachOptions attach = options.attach;
    attach.install_linear_solver = !adams;
    attachment_ = std::make_unique<Attachment>(attach_cvode(memory_, context_, y_, system, start, attach));
    if (adams) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      require_success(CVodeSetNonlinearSolver(memory_, iteration_), "CVodeSetNonlinearSolver");
    }
    require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
    require_success(CVodeSetMaxNumSteps(memory_, -1), "CVodeSetMaxNumSteps");
    CVodeSetMaxHnilWarns(memory_, -1);
  }
  ~CvodeStepper() override {
    CVodeFree(&memory_);
    if (iteration_ != nullptr) SUNNonlinSolFree(iteration_);
  }

  bool step(Status& status) override {
    failures().last = EvaluationResult::ok;
    sunrealtype reached = t_;
    const int flag = CVode(memory_, t_end_, y_, &reached, CV_ONE_STEP);
    if (flag < 0) return failed("CVode", flag, CVodeGetReturnFlagName(flag), status);
    t_ = reached;
    return true;
  }

  bool interpolate(double t, int k, double* out) override { return CVodeGetDky(memory_, t, k, wrap(out)) == 0; }

  StepperCounts counts() const override {
    StepperCounts c;
    CVodeGetNumSteps(memory_, &c.steps);
    CVodeGetNumErrTestFails(memory_, &c.error_test_failures);
    CVodeGetNumNonlinSolvConvFails(memory_, &c.nonlinear_failures);
    return c;
  }

 private:
  void* memory_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};

}  // namespace

std::unique_ptr<Stepper> make_cvode_stepper(const IntegratorEntry& entry,
                                            const std::shared_ptr<const MechanicalSystem>& system,
                                            const MotionState& start, const StepperOptions& options) {
  return std::make_unique<CvodeStepper>(entry.name == "cvode_adams", system, start, options);
}

}  // namespace sunlagrange
