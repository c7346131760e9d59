#include <cstdlib>

#include <sunlagrange/sundials/attach_ida.hpp>

#include "integrators/sundials/sundials_stepper.hpp"

namespace sunlagrange::internal {
namespace {

class IdaStepper final : public SundialsStepper {
 public:
  IdaStepper(const IntegratorEntry&, const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
             const StepperOptions& options)
      : SundialsStepper(start.t, options) {
    auto binding = make_binding(system, start, options.attach, Equations::dae, "IDA");
    make_vectors(binding->dae(), start, true);
    memory_ = IDACreate(context_);
    messages_.install_on_ida(memory_);
    require_success(IDAInit(memory_, ida_residual, t_, y_, yp_), "IDAInit");
    attachment_ = std::make_unique<Attachment>(install_ida(memory_, context_, y_, std::move(binding), true, true));
    require_success(IDASetStopTime(memory_, t_end_), "IDASetStopTime");
    require_success(IDASetMaxStep(memory_, options.max_step), "IDASetMaxStep");
    require_success(IDASetMaxNumSteps(memory_, -1), "IDASetMaxNumSteps");
    if (num_roots() == 0) return;
    prepare_roots(system);
    require_success(IDARootInit(memory_, num_roots(), ida_roots), "IDARootInit");
    require_success(IDASetRootDirection(memory_, roots_.directions.data()), "IDASetRootDirection");
    IDASetNoInactiveRootWarn(memory_);
  }
  ~IdaStepper() override { IDAFree(&memory_); }

  bool step(Status& status) override {
    failures().begin_step();
    sunrealtype reached = t_;
    const int flag = IDASolve(memory_, t_end_, &reached, y_, yp_, IDA_ONE_STEP);
    if (flag < 0) return failed("IDASolve", flag, IDAGetReturnFlagName(flag), status);
    t_ = reached;
    record_roots(flag == IDA_ROOT_RETURN, [this](int* found) { IDAGetRootInfo(memory_, found); });
    return true;
  }

  void stop_at(double t) override {
    t_end_ = t;
    require_success(IDASetStopTime(memory_, t_end_), "IDASetStopTime");
  }

  int order() const override {
    int last = 0;
    IDAGetLastOrder(memory_, &last);
    return last;
  }

  StepperCounts counts() const override {
    StepperCounts c;
    IDAGetNumSteps(memory_, &c.steps);
    IDAGetNumErrTestFails(memory_, &c.error_test_failures);
    IDAGetNumNonlinSolvConvFails(memory_, &c.nonlinear_failures);
    IDAGetNumNonlinSolvIters(memory_, &c.nonlinear_iterations);
    return c;
  }

 private:
  static int ida_roots(double t, N_Vector y, N_Vector, double* values, void* user_data) {
    return evaluate_roots(t, y, values, user_data);
  }
  bool interpolate(double t, int k, double* out) override { return IDAGetDky(memory_, t, k, wrap(out)) == 0; }

  void* memory_ = nullptr;
};

}  // namespace

IntegratorEntry make_ida() {
  IntegratorEntry entry;
  entry.equations = Equations::dae;
  entry.kind = IntegratorKind::bdf;
  entry.references = "[Hindmarsh2005]";
  entry.make = make_stepper<IdaStepper>;
  return entry;
}

}  // namespace sunlagrange::internal
