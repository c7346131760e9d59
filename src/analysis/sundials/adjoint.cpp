// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sundials/adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <sunlagrange/base/setting.hpp>

#include "analysis/shared/differentiated_run.hpp"
#include "analysis/sundials/functional_adjoint.hpp"
#include "integrators/sundials/cvode_stepper.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// Thrown by a callback to end the integration; the reason is stored before.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

int automatic_interval(int unknowns) {
  constexpr double most_bytes = 64e6;
  return static_cast<int>(std::clamp(most_bytes / (8.0 * unknowns), 10.0, 10000.0));
}

/// Computes a new Newton matrix whenever CVODE asks for one. The second pass would otherwise depend on what was
/// integrated in between.
int new_linear_system(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix, sunbooleantype, sunbooleantype* jcur,
                      sunrealtype gamma, void* user_data, N_Vector, N_Vector, N_Vector) {
  return cvode_preconditioner_setup(t, y, fy, SUNFALSE, jcur, gamma, user_data);
}

double largest_product(const VectorXd& x, const VectorXd& scale) {
  return x.size() > 0 ? x.cwiseProduct(scale).lpNorm<Eigen::Infinity>() : 0.0;
}

/// Integrates a motion with checkpoints and its adjoint equations by CVODES. On the way back CVODES integrates the
/// motion again from each checkpoint; this second pass has to take the same steps as the first.
class CvodesAdjoint final : public CvodeStepper, public AdjointRun {
 public:
  CvodesAdjoint(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                const StepperOptions& options, const SimulationOptions& simulation, const Functional& functional,
                SensitivityColumns& columns, int interval)
      : CvodeStepper(find_integrator(simulation.integrator), system, start, options, "CVODES", motion_rhs),
        attach_(options.attach),
        start_(start),
        options_(simulation),
        functional_(functional),
        columns_(columns),
        adams_(simulation.integrator == "cvode_adams"),
        size_(2 * system->num_positions()) {
    auto adjoint = make_binding(system, start, options.attach, Equations::ode, "CVODES");
    if (binding().ode().provides().adjoint == nullptr)
      throw Error("gradient: formulation " + binding().formulation_name +
                  " has no adjoint equations; use baumgarte, projected, penalty or unstabilized");
    interval_ = interval > 0 ? interval : automatic_interval(binding().ode().size());
    if (!adams_) require_success(CVodeSetLinSysFn(memory_, new_linear_system), "CVodeSetLinSysFn");
    if (functional_.running) {
      integral_ = N_VNew_Serial(1, context_);
      N_VConst(0.0, integral_);
      require_success(CVodeQuadInit(memory_, running_rate, integral_), "CVodeQuadInit");
    }
    require_success(CVodeAdjInit(memory_, interval_, CV_POLYNOMIAL), "CVodeAdjInit");
    adjoint->user_pointer = static_cast<SundialsStepper*>(this);
    adjoint->transposed = true;
    adjoint->starts_anew = [](void*) { return false; };
    if (!adams_) adjoint->make_linear_solver(context_);
    equations_ = std::make_unique<FunctionalAdjoint>(std::move(adjoint), start, functional, columns,
                                                     [this](double t) { ask_to_keep_going(t); });
  }
  CvodesAdjoint(const CvodesAdjoint&) = delete;
  CvodesAdjoint& operator=(const CvodesAdjoint&) = delete;
  ~CvodesAdjoint() override {
    CVodeFree(&memory_);  // before the parts of the backward problem
    if (backward_iteration_ != nullptr) SUNNonlinSolFree(backward_iteration_);
    for (N_Vector x : {integral_, mu_, explicit_}) {
      if (x != nullptr) N_VDestroy(x);
    }
  }

  bool advance(Status& status) override { return step(status); }
  double reached() const override { return t_; }
  long steps() const override { return counts().steps; }

  bool step(Status& status) override {
    failures().begin_step();
    sunrealtype reached = t_;
    const int flag = CVodeF(memory_, t_end_, y_, &reached, CV_ONE_STEP, &checkpoints_);
    if (flag < 0) return failed("CVodeF", flag, CVodeGetReturnFlagName(flag), status);
    t_ = reached;
    if (steps() % interval_ == 0) renew_formulation();
    return true;
  }

  bool finish_forward(Gradient& result) override {
    result.steps = counts().steps;
    result.rhs_evaluations = binding().rhs_evaluations;
    if (!equations_->linearise(t_, N_VGetArrayPointer(y_))) return declined_end(result.status);
    result.end = equations_->state();
    if (integral_ != nullptr) {
      sunrealtype t = t_;
      require_success(CVodeGetQuad(memory_, &t, integral_), "CVodeGetQuad");
      result.value = N_VGetArrayPointer(integral_)[0];
    }
    if (functional_.terminal) result.value += functional_.terminal(result.end, nullptr);
    return true;
  }

  bool integrate_back(Gradient& result, AdjointStart& at_start) override {
    if (!finish_forward(result)) return false;
    result.checkpoints = checkpoints_;
    at_start.parameters.setZero(columns_.size());
    checkpoint_step_ = last_step_ = result.steps;
    backward_ = true;
    mu_ = N_VClone(y_);
    N_VConst(0.0, mu_);
    VectorXd running;
    if (!equations_->add_terminal(N_VGetArrayPointer(mu_), at_start.parameters) ||
        (functional_.running && !equations_->running_derivative(running)))
      return declined_end(result.status);
    sunrealtype t_last = t_;
    CVodeGetCurrentTime(memory_, &t_last);
    if (t_last > start_.t) {
      install(t_last, result.value, running);
      const int flag = CVodeB(memory_, start_.t, CV_NORMAL);
      CVodeGetNumSteps(backward_memory_, &result.backward_steps);
      result.adjoint_evaluations = equations_->counts().products;
      result.linearisations = equations_->counts().linearisations;
      result.parameter_evaluations = equations_->counts().parameters;
      if (flag < 0) return explain(flag, result.status);
      sunrealtype t = start_.t;
      require_success(CVodeGetB(memory_, which_, &t, mu_), "CVodeGetB");
      if (explicit_ != nullptr) {
        require_success(CVodeGetQuadB(memory_, which_, &t, explicit_), "CVodeGetQuadB");
        at_start.parameters += as_vector(N_VGetArrayPointer(explicit_), columns_.size());
      }
    }
    at_start.covector = as_vector(N_VGetArrayPointer(mu_), size_);
    return true;
  }

 private:
  static CvodesAdjoint& of(Binding& binding) {
    return static_cast<CvodesAdjoint&>(*static_cast<SundialsStepper*>(binding.user_pointer));
  }
  int method() const { return adams_ ? CV_ADAMS : CV_BDF; }

  bool declined_end(Status& status) const {
    status = {Outcome::model_error, "the model declined the end at t = " + text(t_) +
                                        ", or one with a parameter nearby; see check_derivatives"};
    return false;
  }

  /// Largest change of the functional that an error of the size of the tolerances makes; 1 if there is none.
  double functional_scale(double value, const VectorXd& scales, const VectorXd& running) const {
    double largest = largest_product(as_vector(N_VGetArrayPointer(mu_), size_), scales);
    if (running.size() > 0)
      largest = std::max({largest, (t_ - start_.t) * largest_product(running, scales), std::abs(value)});
    return largest > 0.0 ? largest : 1.0;
  }

  /// Sets up the backward integration from t_last. @param running  derivative of the rate of the functional, or empty
  void install(double t_last, double value, const VectorXd& running) {
    // With the tolerances of the motion, the backward integration would take half as many steps and lose two digits
    // (measured for a chain of 20 rods).
    constexpr double tighter = 0.03;
    const double rtol = tighter * options_.rtol;
    Binding& adjoint = equations_->binding();
    VectorXd scales(size_);  // of y
    adjoint.ode().weights(*adjoint.tolerances, N_VGetArrayPointer(y_), scales.data());
    scales = (options_.rtol * scales).cwiseInverse();
    const double scale = functional_scale(value, scales, running);
    require_success(CVodeCreateB(memory_, method(), &which_), "CVodeCreateB");
    require_success(CVodeInitB(memory_, which_, adjoint_rhs, t_last, mu_), "CVodeInitB");
    backward_memory_ = CVodeGetAdjCVodeBmem(memory_, which_);
    require_success(CVodeSetUserDataB(memory_, which_, &adjoint), "CVodeSetUserDataB");
    const auto set_absolute = [&](N_Vector like, const VectorXd& sizes, const auto& set, const char* name) {
      N_Vector tolerance = N_VClone(like);
      as_vector(N_VGetArrayPointer(tolerance), sizes.size()) = rtol * scale * sizes.cwiseInverse();
      const int flag = set(tolerance);
      N_VDestroy(tolerance);
      require_success(flag, name);
    };
    set_absolute(
        mu_, scales, [&](N_Vector x) { return CVodeSVtolerancesB(memory_, which_, rtol, x); }, "CVodeSVtolerancesB");
    if (adams_) {
      backward_iteration_ = SUNNonlinSol_FixedPoint(mu_, 0, context_);
      require_success(CVodeSetNonlinearSolverB(memory_, which_, backward_iteration_), "CVodeSetNonlinearSolverB");
    } else {
      require_success(CVodeSetLinearSolverB(memory_, which_, adjoint.linear_solver, adjoint.matrix),
                      "CVodeSetLinearSolverB");
      require_success(CVodeSetLinSysFnB(memory_, which_, adjoint_linear_system), "CVodeSetLinSysFnB");
    }
    // CVODES counts these steps from checkpoint to checkpoint; adjoint_rhs() counts them all.
    require_success(CVodeSetMaxNumStepsB(memory_, which_, -1), "CVodeSetMaxNumStepsB");
    VectorXd sizes(columns_.size());
    bool any = false;
    for (int i = 0; i < columns_.size(); ++i) {
      sizes[i] = columns_.column(i).size;
      any = any || columns_.column(i).parameter != nullptr;
    }
    if (!any) return;
    explicit_ = N_VNew_Serial(columns_.size(), context_);
    N_VConst(0.0, explicit_);
    require_success(CVodeQuadInitB(memory_, which_, explicit_rates, explicit_), "CVodeQuadInitB");
    set_absolute(
        explicit_, sizes, [&](N_Vector x) { return CVodeQuadSVtolerancesB(memory_, which_, rtol, x); },
        "CVodeQuadSVtolerancesB");
    require_success(CVodeSetQuadErrConB(memory_, which_, SUNTRUE), "CVodeSetQuadErrConB");
  }

  bool explain(int flag, Status& status) {
    if (!stop_reason_.message.empty()) {
      status = stop_reason_;
      return false;
    }
    Attachment& adjoint = equations_->attachment();
    adjoint.rethrow();
    char* name = CVodeGetReturnFlagName(flag);
    if (flag == CV_FWD_FAIL || flag == CV_REIFWD_FAIL) return failed("CVodeB", flag, name, status);
    status = adjoint.explain("CVodeB", flag, name, equations_->t());
    std::free(name);
    if (!messages_.last().empty()) status.message += " [" + messages_.last() + "]";
    return false;
  }

  [[noreturn]] void stop(Status reason) {
    stop_reason_ = std::move(reason);
    throw Stopped();
  }

  void ask_to_keep_going(double t) {
    if (backward_ && options_.keep_going && t < t_ && t != equations_->t() && !options_.keep_going(t))
      stop({Outcome::interrupted, "the application ended the backward integration at t = " + text(t)});
  }

  /// Right-hand side of the motion. If the second pass took more steps between two checkpoints than the first, CVODES
  /// would write beyond the end of its memory, so it is stopped before.
  static int motion_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
    const int watched = callback<EquationReturn>("motion with checkpoints", user_data, {}, [&](Binding& binding) {
      auto& self = of(binding);
      const long step = self.steps();
      const bool seeks_first_step = step == 0 && !binding.factorised;  // CVODE does so in the first pass only
      if (seeks_first_step || (self.backward_ && step < self.last_step_)) self.renew_formulation();
      if (!self.backward_) return EvaluationResult::ok;
      if (step < self.last_step_) self.checkpoint_step_ = step;
      self.last_step_ = step;
      if (step - self.checkpoint_step_ >= self.interval_)
        self.stop({Outcome::integrator_failure,
                   "the motion did not repeat itself between two checkpoints, before t = " + text(t) +
                       "; raise checkpoint_interval above " + std::to_string(self.interval_)});
      return EvaluationResult::ok;
    });
    return watched != 0 ? watched : cvode_rhs(t, y, ydot, user_data);
  }

  /// Makes the formulation of the motion anew. Its factors and its decisions about rank depend on earlier points;
  /// behind a checkpoint they must not.
  void renew_formulation() {
    Binding& b = binding();
    b.made = find_formulation(b.formulation_name).make(FormulationInput{attach_, b.system, start_});
    b.factorised = false;
  }

  template <class Body>
  static int with_equations(const char* what, void* user_data, std::initializer_list<N_Vector> vectors, Body&& body) {
    return callback<EquationReturn>(what, user_data, vectors, [&](Binding& binding) {
      auto& self = of(binding);
      return body(self, *self.equations_) ? EvaluationResult::ok : EvaluationResult::declined;
    });
  }

  static int running_rate(sunrealtype t, N_Vector y, N_Vector rate, void* user_data) {
    return with_equations("integral of the functional", user_data, {y}, [&](CvodesAdjoint&, FunctionalAdjoint& f) {
      return f.running_rate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate)[0]);
    });
  }

  static int adjoint_rhs(sunrealtype t, N_Vector y, N_Vector mu, N_Vector mudot, void* user_data) {
    const auto body = [&](CvodesAdjoint& self, FunctionalAdjoint& f) {
      long steps = 0;
      CVodeGetNumSteps(self.backward_memory_, &steps);
      if (steps >= self.options_.max_steps)
        self.stop(too_many_steps(self.options_, " in the backward integration at t = " + text(t)));
      double* rate = N_VGetArrayPointer(mudot);
      const bool good = f.evaluate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(mu), rate);
      as_vector(rate, self.size_) *= -1.0;
      return good;
    };
    return with_equations("adjoint equations", user_data, {y, mu, mudot}, body);
  }

  static int explicit_rates(sunrealtype t, N_Vector y, N_Vector mu, N_Vector rates, void* user_data) {
    const auto body = [&](CvodesAdjoint& self, FunctionalAdjoint& f) {
      VectorXd& rate = self.scratch_rate_;
      rate.resize(self.size_);
      double* by_parameters = N_VGetArrayPointer(rates);
      if (!f.evaluate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(mu), rate.data()) ||
          !f.explicit_derivatives(by_parameters))
        return false;
      as_vector(by_parameters, self.columns_.size()) *= -1.0;
      return true;
    };
    return with_equations("explicit derivatives of the adjoint", user_data, {y, mu}, body);
  }

  /// The matrix I - gamma d(mu')/dmu = (I + gamma F_y)^T with gamma < 0.
  static int adjoint_linear_system(sunrealtype t, N_Vector y, N_Vector, N_Vector, SUNMatrix, sunbooleantype,
                                   sunbooleantype* jcur, sunrealtype gamma, void* user_data, N_Vector, N_Vector,
                                   N_Vector) {
    *jcur = SUNTRUE;
    return with_equations("linear system of the adjoint", user_data, {y}, [&](CvodesAdjoint&, FunctionalAdjoint& f) {
      return f.factorize(t, N_VGetArrayPointer(y), -gamma);
    });
  }

  AttachOptions attach_;
  MotionState start_;
  const SimulationOptions& options_;
  const Functional& functional_;
  SensitivityColumns& columns_;
  bool adams_;
  int size_;  // of y
  int interval_ = 0, checkpoints_ = 0, which_ = 0;
  void* backward_memory_ = nullptr;  // belongs to memory_
  SUNNonlinearSolver backward_iteration_ = nullptr;
  N_Vector integral_ = nullptr;  // of the rate of the functional
  N_Vector mu_ = nullptr;        // adjoint variables
  N_Vector explicit_ = nullptr;  // derivatives by the parameters through their explicit terms
  std::unique_ptr<FunctionalAdjoint> equations_;
  bool backward_ = false;
  long checkpoint_step_ = 0, last_step_ = 0;  // of the second pass
  Status stop_reason_;
  VectorXd scratch_rate_;
};

}  // namespace

std::unique_ptr<AdjointRun> make_adjoint_run(const std::shared_ptr<const MechanicalSystem>& system,
                                             const MotionState& start, const SimulationOptions& options,
                                             const Functional& functional, SensitivityColumns& columns, int interval) {
  StepperOptions stepper;
  const IntegratorKind kind = options.integrator == "cvode_adams" ? IntegratorKind::adams : IntegratorKind::bdf;
  stepper.attach = {{options, {{kind, 0.0, {}}, options.t_end - start.t}}, true, options.ida};
  stepper.t_end = options.t_end;
  stepper.max_step = longest_step(options, start.t);
  return std::make_unique<CvodesAdjoint>(system, start, stepper, options, functional, columns, interval);
}

}  // namespace sunlagrange::internal
