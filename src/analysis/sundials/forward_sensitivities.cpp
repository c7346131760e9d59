#include "analysis/sundials/forward_sensitivities.hpp"

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "integrators/sundials/sundials_stepper.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Base of the runs with CVODES and IDAS: vectors and equations of the columns, and their values at any time.
class SensitivityStepper : public SundialsStepper, public SensitivityRun {
 public:
  ~SensitivityStepper() override {
    for (N_Vector* list : {s_, sp_, out_}) {
      if (list != nullptr) N_VDestroyVectorArray(list, columns_.size());
    }
  }
  SensitivityStepper(const SensitivityStepper&) = delete;
  SensitivityStepper& operator=(const SensitivityStepper&) = delete;

  bool advance(Status& status) override { return step(status); }
  double reached() const override { return t_; }
  IntegratorStepper& stepper() override { return *this; }

  bool at(double t, MotionState& state, Eigen::MatrixXd& q, Eigen::MatrixXd& v) override {
    if (!interpolate(t, 0, values_.data()) || !interpolate_columns(t)) return false;
    double* y = values_.data();
    Formulation& formulation = binding().formulation();
    Projection* projection = formulation.provides().projection;
    FailureCounts& failed_evaluations = failures();
    if (projection != nullptr) {
      rates_.assign(rates_.size(), 0.0);
      const EvaluationResult projected = projection->project(t, y, rates_.data(), nullptr);
      if (failed_evaluations.count(projected) != EvaluationResult::ok) return false;
      for (std::size_t i = 0; i < values_.size(); ++i) y[i] += rates_[i];
      if (!evaluate_columns(t, y, nullptr)) return false;
    }
    state.t = t;
    bool good = formulation.unpack(t, y, nullptr, state.q.data(), state.v.data(), nullptr) == EvaluationResult::ok;
    for (int i = 0; i < columns_.size(); ++i) {
      double* s = N_VGetArrayPointer(out_[i]);
      if (good && projection != nullptr)
        good = failed_evaluations.count(projection->project_sensitivity(s, columns_.terms(i))) == EvaluationResult::ok;
      q.col(i) = as_vector(s, q.rows());
      v.col(i) = as_vector(s + q.rows(), v.rows());
    }
    return good;
  }

  SensitivityCounts work() const override {
    return {counts().steps, binding().rhs_evaluations, sensitivity_evaluations_};
  }

 protected:
  SensitivityStepper(double t_start, const StepperOptions& options, SensitivityColumns& columns)
      : SundialsStepper(t_start, options), columns_(columns) {}

  /// Makes the columns with their start values. @throws Error if the formulation has no sensitivity equations
  void make_columns(const Binding& binding, bool with_derivative) {
    const Formulation& formulation = binding.formulation();
    const bool redundancy_forbids =
        binding.formulation_name == "ggl" || binding.formulation_name == "stabilized_index1";
    if (formulation.provides().sensitivities == nullptr)
      throw Error("sensitivities: formulation " + binding.formulation_name +
                  (redundancy_forbids ? " has none with redundant rows; use baumgarte, projected or penalty"
                                      : " has no equations for them; use baumgarte, projected, penalty, ggl or "
                                        "stabilized_index1"));
    s_ = N_VCloneVectorArray(columns_.size(), y_);
    out_ = N_VCloneVectorArray(columns_.size(), y_);
    if (with_derivative) sp_ = N_VCloneVectorArray(columns_.size(), y_);
    for (int i = 0; i < columns_.size(); ++i)
      formulation.pack(columns_.column(i).start, N_VGetArrayPointer(s_[i]),
                       with_derivative ? N_VGetArrayPointer(sp_[i]) : nullptr);
  }

  /// Evaluates the tangents of the formulation and the explicit derivatives of the columns.
  bool evaluate_columns(double t, const double* y, const double* yp) {
    const double *a = nullptr, *lambda = nullptr;
    SensitivityEquations& equations = *binding().formulation().provides().sensitivities;
    if (failures().count(equations.linearize_sensitivities(t, y, yp, a, lambda)) != EvaluationResult::ok) return false;
    const int n = binding().system->num_positions();
    return columns_.evaluate({t, y, y + n, a, lambda});
  }

  /// Right-hand sides or residuals of the columns, at the point of evaluate_columns().
  EvaluationResult evaluate_equations(int count, N_Vector* s, N_Vector* sp, N_Vector* out) {
    SensitivityEquations& equations = *binding().formulation().provides().sensitivities;
    EvaluationResult result = EvaluationResult::ok;
    for (int i = 0; i < count && result == EvaluationResult::ok; ++i)
      result =
          equations.sensitivity_equations(N_VGetArrayPointer(s[i]), sp != nullptr ? N_VGetArrayPointer(sp[i]) : nullptr,
                                          columns_.terms(i), N_VGetArrayPointer(out[i]));
    return failures().count(result);
  }

  virtual bool interpolate_columns(double t) = 0;

  /// Returns the stepper that prepare_roots() registered.
  static SundialsStepper& stepper_of(Binding& binding) { return *static_cast<SundialsStepper*>(binding.user_pointer); }

  SensitivityColumns& columns_;
  N_Vector* s_ = nullptr;
  N_Vector* sp_ = nullptr;
  N_Vector* out_ = nullptr;
  long sensitivity_evaluations_ = 0;
};

class CvodesRun final : public SensitivityStepper {
 public:
  CvodesRun(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
            const StepperOptions& options, const SensitivityOptions& wanted, SensitivityColumns& columns)
      : SensitivityStepper(start.t, options, columns) {
    auto binding = make_binding(system, start, options.attach, Equations::ode, "CVODES");
    make_vectors(binding->ode(), start, false);
    make_columns(*binding, false);
    memory_ = CVodeCreate(CV_BDF, context_);
    messages_.install_on_cvode(memory_);
    require_success(CVodeInit(memory_, cvode_rhs, t_, y_), "CVodeInit");
    attachment_ = std::make_unique<Attachment>(install_cvode(memory_, context_, y_, std::move(binding), true));
    prepare_roots(system);
    require_success(CVodeWFtolerances(memory_, error_weights), "CVodeWFtolerances");
    require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
    require_success(CVodeSetMaxStep(memory_, options.max_step), "CVodeSetMaxStep");
    require_success(CVodeSetMaxNumSteps(memory_, -1), "CVodeSetMaxNumSteps");
    CVodeSetMaxHnilWarns(memory_, -1);
    const int method = wanted.method == SensitivityMethod::staggered ? CV_STAGGERED : CV_SIMULTANEOUS;
    require_success(CVodeSensInit(memory_, columns_.size(), method, right_hand_sides, s_), "CVodeSensInit");
    for (int i = 0; i < columns_.size(); ++i) sizes_.push_back(columns_.column(i).size);
    require_success(CVodeSetSensParams(memory_, nullptr, sizes_.data(), nullptr), "CVodeSetSensParams");
    require_success(CVodeSensEEtolerances(memory_), "CVodeSensEEtolerances");
    require_success(CVodeSetSensErrCon(memory_, wanted.error_control ? SUNTRUE : SUNFALSE), "CVodeSetSensErrCon");
    if (num_roots() == 0) return;
    require_success(CVodeRootInit(memory_, num_roots(), evaluate_roots), "CVodeRootInit");
    require_success(CVodeSetRootDirection(memory_, roots_.directions.data()), "CVodeSetRootDirection");
    CVodeSetNoInactiveRootWarn(memory_);
  }
  ~CvodesRun() override { CVodeFree(&memory_); }

  void stop_at(double t) override {
    t_end_ = t;
    require_success(CVodeSetStopTime(memory_, t), "CVodeSetStopTime");
  }

  bool step(Status& status) override {
    failures().begin_step();
    sunrealtype reached = t_;
    const int flag = CVode(memory_, t_end_, y_, &reached, CV_ONE_STEP);
    if (flag < 0) return failed("CVode", flag, CVodeGetReturnFlagName(flag), status);
    t_ = reached;
    record_roots(flag == CV_ROOT_RETURN, [this](int* found) { CVodeGetRootInfo(memory_, found); });
    return true;
  }

  StepperCounts counts() const override {
    StepperCounts c;
    CVodeGetNumSteps(memory_, &c.steps);
    return c;
  }

 private:
  static int right_hand_sides(int count, sunrealtype t, N_Vector y, N_Vector, N_Vector* s, N_Vector* sdot,
                              void* user_data, N_Vector, N_Vector) {
    return callback<EquationReturn>("equations of the sensitivities", user_data, {y}, [&](Binding& binding) {
      auto& self = static_cast<CvodesRun&>(stepper_of(binding));
      ++self.sensitivity_evaluations_;
      if (!self.evaluate_columns(t, N_VGetArrayPointer(y), nullptr)) return EvaluationResult::declined;
      return self.evaluate_equations(count, s, nullptr, sdot);
    });
  }
  bool interpolate(double t, int k, double* out) override { return CVodeGetDky(memory_, t, k, wrap(out)) == 0; }
  bool interpolate_columns(double t) override { return CVodeGetSensDky(memory_, t, 0, out_) == 0; }

  void* memory_ = nullptr;
  std::vector<double> sizes_;
};

class IdasRun final : public SensitivityStepper {
 public:
  IdasRun(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
          const StepperOptions& options, const SensitivityOptions& wanted, SensitivityColumns& columns)
      : SensitivityStepper(start.t, options, columns) {
    auto binding = make_binding(system, start, options.attach, Equations::dae, "IDAS");
    make_vectors(binding->dae(), start, true);
    make_columns(*binding, true);
    memory_ = IDACreate(context_);
    messages_.install_on_ida(memory_);
    require_success(IDAInit(memory_, ida_residual, t_, y_, yp_), "IDAInit");
    attachment_ = std::make_unique<Attachment>(install_ida(memory_, context_, y_, std::move(binding), true, true));
    prepare_roots(system);
    require_success(IDASetStopTime(memory_, t_end_), "IDASetStopTime");
    require_success(IDASetMaxStep(memory_, options.max_step), "IDASetMaxStep");
    require_success(IDASetMaxNumSteps(memory_, -1), "IDASetMaxNumSteps");
    const int method = wanted.method == SensitivityMethod::staggered ? IDA_STAGGERED : IDA_SIMULTANEOUS;
    require_success(IDASensInit(memory_, columns_.size(), method, residuals, s_, sp_), "IDASensInit");
    set_tolerances(options.attach.rtol);
    const int most = this->binding().facts.dae->settings.max_nonlinear_iterations;
    if (method == IDA_STAGGERED)
      require_success(IDASetSensMaxNonlinIters(memory_, most), "IDASetSensMaxNonlinIters");
    else  // the simultaneous method has its own iteration
      require_success(IDASetMaxNonlinIters(memory_, most), "IDASetMaxNonlinIters");
    require_success(IDASetSensErrCon(memory_, wanted.error_control ? SUNTRUE : SUNFALSE), "IDASetSensErrCon");
    if (num_roots() == 0) return;
    require_success(IDARootInit(memory_, num_roots(), ida_roots), "IDARootInit");
    require_success(IDASetRootDirection(memory_, roots_.directions.data()), "IDASetRootDirection");
    IDASetNoInactiveRootWarn(memory_);
  }
  ~IdasRun() override { IDAFree(&memory_); }

  void stop_at(double t) override {
    t_end_ = t;
    require_success(IDASetStopTime(memory_, t), "IDASetStopTime");
  }

  bool step(Status& status) override {
    failures().begin_step();
    sunrealtype reached = t_;
    const int flag = IDASolve(memory_, t_end_, &reached, y_, yp_, IDA_ONE_STEP);
    if (flag < 0) return failed("IDASolve", flag, IDAGetReturnFlagName(flag), status);
    t_ = reached;
    record_roots(flag == IDA_ROOT_RETURN, [this](int* found) { IDAGetRootInfo(memory_, found); });
    return true;
  }

  StepperCounts counts() const override {
    StepperCounts c;
    IDAGetNumSteps(memory_, &c.steps);
    return c;
  }

 private:
  /// Sets absolute tolerances of the sensitivities: the weights of y at the start over the size of the parameter. The
  /// tolerances that IDAS would set itself scale y by the sizes of the parameters, which is no point of the motion. The
  /// multipliers are unlimited: their rounding grows as the step falls, so an error test that includes them would end
  /// in steps of length zero. They are not needed, because dlambda/dp follows from q, v and their derivatives.
  void set_tolerances(double rtol) {
    binding().dae().weights(0.0, N_VGetArrayPointer(y_), values_.data());
    constexpr double unlimited = 1e20;
    const auto first_multiplier = static_cast<std::size_t>(2 * binding().system->num_positions());
    N_Vector* absolute = N_VCloneVectorArray(columns_.size(), y_);
    for (int i = 0; i < columns_.size(); ++i) {
      double* tolerance = N_VGetArrayPointer(absolute[i]);
      for (std::size_t k = 0; k < values_.size(); ++k)
        tolerance[k] = k < first_multiplier ? 1.0 / (values_[k] * columns_.column(i).size) : unlimited;
    }
    const int flag = IDASensSVtolerances(memory_, rtol, absolute);
    N_VDestroyVectorArray(absolute, columns_.size());
    require_success(flag, "IDASensSVtolerances");
  }

  static int ida_roots(double t, N_Vector y, N_Vector, double* values, void* user_data) {
    return evaluate_roots(t, y, values, user_data);
  }

  static int residuals(int count, sunrealtype t, N_Vector y, N_Vector yp, N_Vector, N_Vector* s, N_Vector* sp,
                       N_Vector* r, void* user_data, N_Vector, N_Vector, N_Vector) {
    return callback<EquationReturn>("equations of the sensitivities", user_data, {y, yp}, [&](Binding& binding) {
      auto& self = static_cast<IdasRun&>(stepper_of(binding));
      ++self.sensitivity_evaluations_;
      if (!self.evaluate_columns(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp))) return EvaluationResult::declined;
      return self.evaluate_equations(count, s, sp, r);
    });
  }
  bool interpolate(double t, int k, double* out) override { return IDAGetDky(memory_, t, k, wrap(out)) == 0; }
  bool interpolate_columns(double t) override { return IDAGetSensDky(memory_, t, 0, out_) == 0; }

  void* memory_ = nullptr;
};

}  // namespace

SensitivityColumns::SensitivityColumns(const MechanicalSystem& system, std::vector<SensitivityColumn> columns)
    : columns_(std::move(columns)), terms_(columns_.size()), lambda_(system.num_constraints()) {
  all_.set_zero(system);
}

void SensitivityColumns::activate(const MechanicalSystem& system, const std::vector<int>& rows) {
  rows_ = rows;
  for (ParameterTerms& terms : terms_) terms.set_zero(system);
}

void SensitivityColumns::take_active(ParameterTerms& terms) const {
  terms.r = all_.r;
  for (Eigen::Index k = 0; k < terms.A.size(); ++k) {
    const int row = rows_[static_cast<std::size_t>(k)];
    if (k < terms.g.size()) terms.g[k] = all_.g[row];
    terms.g_rate[k] = all_.g_rate[row];
    terms.A[k] = all_.A[row];
  }
}

bool SensitivityColumns::evaluate(const Point& at) {
  Point whole = at;
  const bool some = static_cast<Eigen::Index>(rows_.size()) < lambda_.size();
  if (some) {
    lambda_.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k) lambda_[rows_[k]] = at.lambda[k];
    whole.lambda = lambda_.data();
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].parameter == nullptr) continue;
    if (!columns_[i].parameter->evaluate(whole, some ? all_ : terms_[i])) return false;
    if (some) take_active(terms_[i]);
  }
  return true;
}

std::unique_ptr<SensitivityRun> make_sensitivity_run(EventRunner& events, double span, const SimulationOptions& options,
                                                     const SensitivityOptions& wanted, SensitivityColumns& columns) {
  StepperOptions stepper;
  stepper.attach = {{options, {{IntegratorKind::bdf, 0.0, {}}, span}}, true, options.ida};
  events.restrict_to_active_rows(stepper.attach);
  stepper.t_end = options.t_end;
  stepper.max_step = longest_step(options, options.t_end - span);
  if (!options.events.empty()) stepper.roots = events.roots();
  const MotionState& start = events.restart_state();
  if (find_formulation(options.formulation).equations == Equations::ode)
    return std::make_unique<CvodesRun>(events.system(), start, stepper, wanted, columns);
  return std::make_unique<IdasRun>(events.system(), start, stepper, wanted, columns);
}

}  // namespace sunlagrange::internal
