// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sundials/forward_sensitivities.hpp"

#include <cmath>

#include "base/words.hpp"
#include "integrators/sundials/cvode_stepper.hpp"
#include "integrators/sundials/ida_stepper.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Base of the runs with CVODES and IDAS: vectors and equations of the columns, and their values at any time.
/// @tparam Stepper  CvodeStepper or IdaStepper
template <class Stepper>
class SensitivityStepper : public Stepper, public SensitivityRun {
 public:
  /// @param solver  name of the integrator in messages
  /// @throws Error if the formulation has no sensitivity equations
  SensitivityStepper(const SimulationOptions& options, const std::shared_ptr<const MechanicalSystem>& system,
                     const MotionState& start, const StepperOptions& stepper, const char* solver,
                     SensitivityColumns& columns)
      : Stepper(find_integrator(options.integrator), system, start, stepper, solver), columns_(columns) {
    make_columns();
  }
  ~SensitivityStepper() override {
    for (N_Vector* list : {s_, sp_, out_}) {
      if (list != nullptr) N_VDestroyVectorArray(list, columns_.size());
    }
  }
  SensitivityStepper(const SensitivityStepper&) = delete;
  SensitivityStepper& operator=(const SensitivityStepper&) = delete;

  bool advance(Status& status) override { return this->step(status); }
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
    return {this->counts().steps, binding().rhs_evaluations, sensitivity_evaluations_};
  }

 protected:
  using Stepper::binding;
  using Stepper::failures;
  using Stepper::interpolate;
  using Stepper::memory_;
  using Stepper::rates_;
  using Stepper::t_;
  using Stepper::values_;
  using Stepper::y_;

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

  /// The motion is interpolated: its last evaluation may belong to the columns.
  bool own_acceleration(double, double*) override { return false; }

  SensitivityColumns& columns_;
  N_Vector* s_ = nullptr;
  N_Vector* sp_ = nullptr;
  N_Vector* out_ = nullptr;
  long sensitivity_evaluations_ = 0;

 private:
  void make_columns() {
    const Formulation& formulation = binding().formulation();
    const std::string& name = binding().formulation_name;
    const bool redundancy_forbids = name == "ggl" || name == "stabilized_index1";
    if (formulation.provides().sensitivities == nullptr)
      throw Error("sensitivities: formulation " + name +
                  (redundancy_forbids ? " has none with redundant rows; use baumgarte, projected or penalty"
                                      : " has no equations for them; use baumgarte, projected, penalty, ggl or "
                                        "stabilized_index1"));
    const bool dae = this->yp_ != nullptr;
    s_ = N_VCloneVectorArray(columns_.size(), y_);
    out_ = N_VCloneVectorArray(columns_.size(), y_);
    if (dae) sp_ = N_VCloneVectorArray(columns_.size(), y_);
    for (int i = 0; i < columns_.size(); ++i)
      formulation.pack(columns_.column(i).start, N_VGetArrayPointer(s_[i]), dae ? N_VGetArrayPointer(sp_[i]) : nullptr);
  }
};

class CvodesRun final : public SensitivityStepper<CvodeStepper> {
 public:
  CvodesRun(const SimulationOptions& options, const std::shared_ptr<const MechanicalSystem>& system,
            const MotionState& start, const StepperOptions& stepper, const SensitivityOptions& wanted,
            SensitivityColumns& columns)
      : SensitivityStepper(options, system, start, stepper, "CVODES", columns) {
    const int method = wanted.method == SensitivityMethod::staggered ? CV_STAGGERED : CV_SIMULTANEOUS;
    require_success(CVodeSensInit(memory_, columns_.size(), method, right_hand_sides, s_), "CVodeSensInit");
    for (int i = 0; i < columns_.size(); ++i) sizes_.push_back(columns_.column(i).size);
    require_success(CVodeSetSensParams(memory_, nullptr, sizes_.data(), nullptr), "CVodeSetSensParams");
    require_success(CVodeSensEEtolerances(memory_), "CVodeSensEEtolerances");
    require_success(CVodeSetSensErrCon(memory_, wanted.error_control ? SUNTRUE : SUNFALSE), "CVodeSetSensErrCon");
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
  bool interpolate_columns(double t) override { return CVodeGetSensDky(memory_, t, 0, out_) == 0; }

  std::vector<double> sizes_;
};

class IdasRun final : public SensitivityStepper<IdaStepper> {
 public:
  IdasRun(const SimulationOptions& options, const std::shared_ptr<const MechanicalSystem>& system,
          const MotionState& start, const StepperOptions& stepper, const SensitivityOptions& wanted,
          SensitivityColumns& columns)
      : SensitivityStepper(options, system, start, stepper, "IDAS", columns),
        controlled_(wanted.error_control),
        longest_(stepper.max_step > 0.0 ? stepper.max_step : INFINITY) {
    const int method = wanted.method == SensitivityMethod::staggered ? IDA_STAGGERED : IDA_SIMULTANEOUS;
    if (method == IDA_SIMULTANEOUS && wanted.error_control)
      throw Error(
          "sensitivities: method simultaneous with formulation " + binding().formulation_name +
          ": IDAS tests the errors of the motion alone then; use staggered, or leave the errors without control");
    require_success(IDASensInit(memory_, columns_.size(), method, residuals, s_, sp_), "IDASensInit");
    set_tolerances(stepper.attach.rtol);
    const int most = binding().facts.dae->settings.max_nonlinear_iterations;
    if (method == IDA_STAGGERED)
      require_success(IDASetSensMaxNonlinIters(memory_, most), "IDASetSensMaxNonlinIters");
    else  // the simultaneous method has its own iteration
      require_success(IDASetMaxNonlinIters(memory_, most), "IDASetMaxNonlinIters");
    require_success(IDASetSensErrCon(memory_, wanted.error_control ? SUNTRUE : SUNFALSE), "IDASetSensErrCon");
  }

  bool advance(Status& status) override {
    if (!step(status)) return false;
    low_order_ = controlled_ && order_follows_rounding() ? low_order_ + 1 : 0;
    if (low_order_ < most_at_low_order) return true;
    status = {Outcome::integrator_failure,
              "sensitivities: IDAS stays at order " + std::to_string(order()) + " before t = " + text(t_) +
                  ": it lowers its order wherever the motion has no error, as at rest and in steady motion, and the "
                  "errors of the sensitivities are not held then; use formulation baumgarte, projected or penalty"};
    return false;
  }

 private:
  /// Steps at a low order in a row by which the order is taken to stay there. A start takes less than ten.
  static constexpr int most_at_low_order = 30;

  /// True if the last step was short and of order 1 or 2, with an error of the motion that is rounding. Steps of the
  /// largest length are not short: nothing limits them.
  bool order_follows_rounding() {
    sunrealtype h = 0.0;
    IDAGetLastStep(memory_, &h);
    if (order() > 2 || std::abs(h) > 0.5 * longest_) return false;
    N_Vector error = N_VClone(y_);
    N_Vector weight = N_VClone(y_);
    IDAGetEstLocalErrors(memory_, error);
    IDAGetErrWeights(memory_, weight);
    const double size = N_VWrmsNorm(error, weight), rounding = roundings * SUN_UNIT_ROUNDOFF * N_VWrmsNorm(y_, weight);
    N_VDestroy(error);
    N_VDestroy(weight);
    return size <= rounding;
  }
  static constexpr double roundings = 100.0;  // of the error of a step at rest

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

  static int residuals(int count, sunrealtype t, N_Vector y, N_Vector yp, N_Vector, N_Vector* s, N_Vector* sp,
                       N_Vector* r, void* user_data, N_Vector, N_Vector, N_Vector) {
    return callback<EquationReturn>("equations of the sensitivities", user_data, {y, yp}, [&](Binding& binding) {
      auto& self = static_cast<IdasRun&>(stepper_of(binding));
      ++self.sensitivity_evaluations_;
      if (!self.evaluate_columns(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp))) return EvaluationResult::declined;
      return self.evaluate_equations(count, s, sp, r);
    });
  }
  bool interpolate_columns(double t) override { return IDAGetSensDky(memory_, t, 0, out_) == 0; }

  bool controlled_;
  double longest_;  // step [s]
  int low_order_ = 0;
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

void SensitivityColumns::copy_active_rows(ParameterTerms& terms) const {
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
    if (some) copy_active_rows(terms_[i]);
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
  if (!options.events.empty()) stepper.roots = events.roots(EventRunner::Searched::all);
  const MotionState& start = events.restart_state();
  if (find_formulation(options.formulation).equations == Equations::ode)
    return std::make_unique<CvodesRun>(options, events.system(), start, stepper, wanted, columns);
  return std::make_unique<IdasRun>(options, events.system(), start, stepper, wanted, columns);
}

}  // namespace sunlagrange::internal
