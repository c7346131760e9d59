#include "analysis/sundials/adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>

#include "analysis/shared/differentiated_run.hpp"
#include "integrators/sundials/sundials_stepper.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Ends a way back from within.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

int automatic_interval(int unknowns) {
  constexpr double most_bytes = 64e6;
  return static_cast<int>(std::clamp(most_bytes / (8.0 * unknowns), 10.0, 10000.0));
}

/// Newton's matrices are new whenever CVODE asks for one: what is integrated twice must not depend on what came
/// between.
int new_linear_system(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix, sunbooleantype, sunbooleantype* jcur,
                      sunrealtype gamma, void* user_data, N_Vector, N_Vector, N_Vector) {
  return cvode_preconditioner_setup(t, y, fy, SUNFALSE, jcur, gamma, user_data);
}

double largest_product(const VectorXd& x, const VectorXd& scale) {
  return x.size() > 0 ? x.cwiseProduct(scale).lpNorm<Eigen::Infinity>() : 0.0;
}

/// The motion by CVODES, with checkpoints, and its adjoint back to the start. A second formulation serves everything
/// beyond the motion itself, whose own must not notice.
class CvodesAdjoint final : public SundialsStepper, public AdjointRun {
 public:
  CvodesAdjoint(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                const StepperOptions& options, const SimulationOptions& asked, const Functional& functional,
                SensitivityColumns& columns, int interval)
      : SundialsStepper(start.t, options),
        attach_(options.attach),
        start_(start),
        options_(asked),
        functional_(functional),
        columns_(columns),
        t_start_(start.t),
        adams_(asked.integrator == "cvode_adams"),
        n_(system->num_positions()),
        m_(system->num_constraints()) {
    auto binding = make_binding(system, start, options.attach, Equations::ode, "CVODES");
    auto beyond = make_binding(system, start, options.attach, Equations::ode, "CVODES");
    if (binding->ode().provides().adjoint == nullptr)
      throw Error("gradient: formulation " + binding->formulation_name +
                  " has no adjoint equations; use baumgarte, projected, penalty or unstabilized");
    make_vectors(binding->ode(), start, false);
    interval_ = interval > 0 ? interval : automatic_interval(binding->ode().size());
    memory_ = CVodeCreate(method(), context_);
    messages_.install_on_cvode(memory_);
    require_success(CVodeInit(memory_, motion_rhs, t_, y_), "CVodeInit");
    attachment_ = std::make_unique<Attachment>(install_cvode(memory_, context_, y_, std::move(binding), !adams_));
    attachment_->set_user_pointer(this);
    if (adams_) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      require_success(CVodeSetNonlinearSolver(memory_, iteration_), "CVodeSetNonlinearSolver");
    } else {
      require_success(CVodeSetLinSysFn(memory_, new_linear_system), "CVodeSetLinSysFn");
    }
    require_success(CVodeWFtolerances(memory_, error_weights), "CVodeWFtolerances");
    require_success(CVodeSetStopTime(memory_, t_end_), "CVodeSetStopTime");
    require_success(CVodeSetMaxStep(memory_, options.max_step), "CVodeSetMaxStep");
    require_success(CVodeSetMaxNumSteps(memory_, -1), "CVodeSetMaxNumSteps");
    CVodeSetMaxHnilWarns(memory_, -1);
    if (functional_.running) {
      integral_ = N_VNew_Serial(1, context_);
      N_VConst(0.0, integral_);
      require_success(CVodeQuadInit(memory_, running_value, integral_), "CVodeQuadInit");
    }
    require_success(CVodeAdjInit(memory_, interval_, CV_POLYNOMIAL), "CVodeAdjInit");
    beyond->user_pointer = this;
    beyond->transposed = true;
    beyond->starts_anew = [](void*) { return false; };
    if (!adams_) beyond->make_linear_solver(context_);
    adjoint_ = std::make_unique<Attachment>(AttachmentAccess::make(std::move(beyond)));
    state_ = start;
    tangent_at_.setConstant(2 * n_, NAN);
    covector_.resize(2 * n_);
    part_.resize(2 * n_);
    terms_.set_zero(*system);
  }
  CvodesAdjoint(const CvodesAdjoint&) = delete;
  CvodesAdjoint& operator=(const CvodesAdjoint&) = delete;
  ~CvodesAdjoint() override {
    CVodeFree(&memory_);
    for (SUNNonlinearSolver iteration : {iteration_, back_iteration_}) {
      if (iteration != nullptr) SUNNonlinSolFree(iteration);
    }
    for (N_Vector x : {integral_, mu_, explicit_}) {
      if (x != nullptr) N_VDestroy(x);
    }
  }

  bool advance(Status& status) override { return step(status); }
  double reached() const override { return t_; }
  long steps() const override { return counts().steps; }

  void stop_at(double t) override {
    t_end_ = t;
    require_success(CVodeSetStopTime(memory_, t), "CVodeSetStopTime");
  }

  bool step(Status& status) override {
    failures().begin_step();
    sunrealtype reached = t_;
    const int flag = CVodeF(memory_, t_end_, y_, &reached, CV_ONE_STEP, &checkpoints_);
    if (flag < 0) return failed("CVodeF", flag, CVodeGetReturnFlagName(flag), status);
    t_ = reached;
    if (steps() % interval_ == 0) renew_formulation();
    return true;
  }

  StepperCounts counts() const override {
    StepperCounts c;
    CVodeGetNumSteps(memory_, &c.steps);
    return c;
  }

  bool arrive(Gradient& result) override {
    result.steps = counts().steps;
    result.rhs_evaluations = binding().rhs_evaluations;
    if (!linearise(t_, N_VGetArrayPointer(y_))) return declined_end(result.status);
    result.end = state_;
    if (integral_ != nullptr) {
      sunrealtype t = t_;
      require_success(CVodeGetQuad(memory_, &t, integral_), "CVodeGetQuad");
      result.value = N_VGetArrayPointer(integral_)[0];
    }
    if (functional_.terminal) result.value += functional_.terminal(state_, nullptr);
    return true;
  }

  bool go_back(Gradient& result, AdjointStart& at_start) override {
    if (!arrive(result)) return false;
    result.checkpoints = checkpoints_;
    at_start.parameters.setZero(columns_.size());
    begin_of_stretch_ = last_step_ = result.steps;
    way_back_ = true;
    if (!terminal(result.value, at_start)) return declined_end(result.status);
    sunrealtype t_last = t_;
    CVodeGetCurrentTime(memory_, &t_last);
    if (t_last > t_start_) {
      install(t_last);
      const int flag = CVodeB(memory_, t_start_, CV_NORMAL);
      note_counts(result);
      if (flag < 0) return explain(flag, result.status);
      sunrealtype t = t_start_;
      require_success(CVodeGetB(memory_, which_, &t, mu_), "CVodeGetB");
      if (explicit_ != nullptr) {
        require_success(CVodeGetQuadB(memory_, which_, &t, explicit_), "CVodeGetQuadB");
        at_start.parameters += as_vector(N_VGetArrayPointer(explicit_), columns_.size());
      }
    }
    at_start.covector = as_vector(N_VGetArrayPointer(mu_), 2 * n_);
    return true;
  }

 private:
  int method() const { return adams_ ? CV_ADAMS : CV_BDF; }
  Binding& beyond() const { return AttachmentAccess::binding(*adjoint_); }
  OdeFormulation& equations() const { return beyond().ode(); }
  const FormulationCapabilities& provides() const { return equations().provides(); }
  EvaluationResult counted(EvaluationResult result) const { return beyond().failures.count(result); }

  bool declined_end(Status& status) const {
    status = {Outcome::model_error, "the model declined the end at t = " + text(t_) +
                                        ", or one with a parameter nearby; see check_derivatives"};
    return false;
  }

  /// The motion at the end, where linearise() has been: mu there, and what the parameters do there explicitly.
  bool terminal(double value, AdjointStart& at_start) {
    mu_ = N_VClone(y_);
    double* mu = N_VGetArrayPointer(mu_);
    as_vector(mu, 2 * n_).setZero();
    terms_.set_zero(*beyond().system);
    if (functional_.terminal) {
      derivative_of(functional_.terminal);
      if (!transpose(nullptr, mu)) return false;
      if (!explicit_derivatives()) return false;
      for (int i = 0; i < columns_.size(); ++i) at_start.parameters[i] += change_by(i);
    }
    scales_.resize(2 * n_);
    equations().weights(*beyond().tolerances, N_VGetArrayPointer(y_), scales_.data());
    scales_ = (options_.rtol * scales_).cwiseInverse();  // of y
    size_ = largest_product(as_vector(mu, 2 * n_), scales_);
    if (functional_.running) {
      derivative_of(functional_.running);
      part_.setZero();
      if (!transpose(nullptr, part_.data())) return false;
      size_ = std::max({size_, (t_ - t_start_) * largest_product(part_, scales_), std::abs(value)});
    }
    return true;
  }

  void install(double t_last) {
    // With the tolerances of the motion the way back takes half its steps and loses two digits (a chain of 20 rods).
    constexpr double tighter = 0.03;
    const double rtol = tighter * options_.rtol;
    require_success(CVodeCreateB(memory_, method(), &which_), "CVodeCreateB");
    require_success(CVodeInitB(memory_, which_, adjoint_rhs, t_last, mu_), "CVodeInitB");
    back_ = CVodeGetAdjCVodeBmem(memory_, which_);
    require_success(CVodeSetUserDataB(memory_, which_, &beyond()), "CVodeSetUserDataB");
    const double size = size_ > 0.0 ? size_ : 1.0;
    const auto absolute = [&](N_Vector like, const VectorXd& scales, const auto& set) {
      N_Vector tolerance = N_VClone(like);
      as_vector(N_VGetArrayPointer(tolerance), scales.size()) = rtol * size * scales.cwiseInverse();
      const int flag = set(tolerance);
      N_VDestroy(tolerance);
      return flag;
    };
    const auto of_mu = [&](N_Vector x) { return CVodeSVtolerancesB(memory_, which_, rtol, x); };
    require_success(absolute(mu_, scales_, of_mu), "CVodeSVtolerancesB");
    if (adams_) {
      back_iteration_ = SUNNonlinSol_FixedPoint(mu_, 0, context_);
      require_success(CVodeSetNonlinearSolverB(memory_, which_, back_iteration_), "CVodeSetNonlinearSolverB");
    } else {
      require_success(CVodeSetLinearSolverB(memory_, which_, beyond().linear_solver, beyond().matrix),
                      "CVodeSetLinearSolverB");
      require_success(CVodeSetLinSysFnB(memory_, which_, adjoint_linear_system), "CVodeSetLinSysFnB");
    }
    require_success(CVodeSetMaxNumStepsB(memory_, which_, -1), "CVodeSetMaxNumStepsB");  // CVODES: between checkpoints
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
    const auto of_explicit = [&](N_Vector x) { return CVodeQuadSVtolerancesB(memory_, which_, rtol, x); };
    require_success(absolute(explicit_, sizes, of_explicit), "CVodeQuadSVtolerancesB");
    require_success(CVodeSetQuadErrConB(memory_, which_, SUNTRUE), "CVodeSetQuadErrConB");
  }

  void note_counts(Gradient& result) const {
    CVodeGetNumSteps(back_, &result.backward_steps);
    result.adjoint_evaluations = adjoint_evaluations_;
    result.linearisations = linearisations_;
    result.parameter_evaluations = parameter_evaluations_;
  }

  bool explain(int flag, Status& status) {
    if (!why_stopped_.message.empty()) {
      status = why_stopped_;
      return false;
    }
    adjoint_->rethrow();
    char* name = CVodeGetReturnFlagName(flag);
    if (flag == CV_FWD_FAIL || flag == CV_REIFWD_FAIL) return failed("CVodeB", flag, name, status);
    status = adjoint_->explain("CVodeB", flag, name, at_);
    std::free(name);
    if (!messages_.last().empty()) status.message += " [" + messages_.last() + "]";
    return false;
  }

  /// Leaves SUNDIALS with a reason.
  [[noreturn]] void stop(Status why) {
    why_stopped_ = std::move(why);
    throw Stopped();
  }

  /// state_ with v' and lambda, tangents of the formulation. Whoever asks again for the same point gets it for nothing.
  bool linearise(double t, const double* y) {
    const auto here = as_vector(y, 2 * n_);
    if (t == at_ && here == tangent_at_) return true;
    if (way_back_ && options_.keep_going && t < t_ && t != at_ && !options_.keep_going(t))
      stop({Outcome::interrupted, "the application ended the way back at t = " + text(t)});
    ++linearisations_;
    at_ = NAN;
    const double *a = nullptr, *lambda = nullptr;
    if (counted(provides().sensitivities->linearize_sensitivities(t, y, nullptr, a, lambda)) != EvaluationResult::ok)
      return false;
    at_ = t;
    tangent_at_ = here;
    state_.t = t;
    state_.q = here.head(n_);
    state_.v = here.tail(n_);
    state_.a = as_vector(a, n_);
    state_.lambda = as_vector(lambda, m_);
    return true;
  }

  /// Value and derivatives of a part of the functional at state_.
  double derivative_of(const Functional::Function& part) {
    derivative_.q.setZero(n_);
    derivative_.v.setZero(n_);
    derivative_.a.setZero(functional_.reads_forces ? n_ : 0);
    derivative_.lambda.setZero(functional_.reads_forces ? m_ : 0);
    return part(state_, &derivative_);
  }

  /// Adds F_y^T mu (without a mu: zero) and the derivative_ by the state to `sum`; terms_ are those on a parameter.
  bool transpose(const double* mu, double* sum) {
    const bool forces = derivative_.a.size() > 0 || derivative_.lambda.size() > 0;
    bool good = true;
    if (mu != nullptr || forces) {
      covector_.setZero();
      if (mu != nullptr) covector_ = as_vector(mu, 2 * n_);
      if (derivative_.a.size() > 0) covector_.tail(n_) += derivative_.a;
      rates_.resize(static_cast<std::size_t>(2 * n_));
      const double* on_lambda = derivative_.lambda.size() > 0 ? derivative_.lambda.data() : nullptr;
      good = counted(provides().adjoint->adjoint_rhs(covector_.data(), on_lambda, rates_.data(), terms_)) ==
             EvaluationResult::ok;
      as_vector(sum, 2 * n_) += as_vector(rates_.data(), 2 * n_);
      ++adjoint_evaluations_;
    } else {
      terms_.set_zero(*beyond().system);
    }
    if (derivative_.q.size() > 0) {
      covector_ << derivative_.q, derivative_.v;
      if (good && provides().projection != nullptr)
        good = counted(provides().projection->project_adjoint(covector_.data(), terms_)) == EvaluationResult::ok;
      as_vector(sum, 2 * n_) += covector_;
    }
    return good;
  }

  bool explicit_derivatives() {
    ++parameter_evaluations_;
    return columns_.evaluate({state_.t, state_.q.data(), state_.v.data(), state_.a.data(), state_.lambda.data()});
  }

  /// terms_ on what parameter i changes.
  double change_by(int i) const {
    if (columns_.column(i).parameter == nullptr) return 0.0;
    const ParameterTerms& p = columns_.terms(i);
    return terms_.r.dot(p.r) + terms_.g.dot(p.g) + terms_.g_rate.dot(p.g_rate) + terms_.A.dot(p.A);
  }

  /// F_y^T mu + psi_y into `sum`, terms_ with it, at a point between the ends.
  bool evaluate_adjoint(double t, const double* y, const double* mu, double* sum) {
    if (!linearise(t, y)) return false;
    if (functional_.running)
      derivative_of(functional_.running);
    else
      derivative_ = StateDerivative();
    as_vector(sum, 2 * n_).setZero();
    return transpose(mu, sum);
  }

  template <class Body>
  static int back(const char* what, void* user_data, std::initializer_list<N_Vector> vectors, Body&& body) {
    return callback(what, user_data, vectors, [&](Binding& binding) {
      auto& self = *static_cast<CvodesAdjoint*>(binding.user_pointer);
      return body(self) ? EvaluationResult::ok : EvaluationResult::declined;
    });
  }

  /// CVODES writes what it integrates twice behind the end of its memory should that take more steps than before.
  static int motion_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
    const int watched = callback("motion with checkpoints", user_data, {}, [&](Binding& binding) {
      auto& self = *static_cast<CvodesAdjoint*>(binding.user_pointer);
      const long step = self.steps();
      const bool first_step_sought = step == 0 && !binding.factorised;  // by CVODE, in the first pass alone
      if (first_step_sought || (self.way_back_ && step < self.last_step_)) self.renew_formulation();
      if (!self.way_back_) return EvaluationResult::ok;
      if (step < self.last_step_) self.begin_of_stretch_ = step;
      self.last_step_ = step;
      if (step - self.begin_of_stretch_ >= self.interval_)
        self.stop({Outcome::integrator_failure,
                   "the motion did not repeat itself between two checkpoints, before t = " + text(t) +
                       "; raise checkpoint_interval above " + std::to_string(self.interval_)});
      return EvaluationResult::ok;
    });
    return watched != 0 ? watched : cvode_rhs(t, y, ydot, user_data);
  }

  /// Factors and decisions about rank remember what came before; from a checkpoint on, nothing must.
  void renew_formulation() {
    Binding& b = binding();
    b.made = find_formulation(b.formulation_name).make(FormulationInput{attach_, b.system, start_});
    b.factorised = false;
  }

  static int running_value(sunrealtype t, N_Vector y, N_Vector rate, void* user_data) {
    return callback("integral of the functional", user_data, {y}, [&](Binding& binding) {
      auto& self = *static_cast<CvodesAdjoint*>(binding.user_pointer);
      const double* values = N_VGetArrayPointer(y);
      MotionState& state = self.state_;
      if (self.functional_.reads_forces) {
        if (!self.linearise(t, values)) return EvaluationResult::declined;
      } else {
        self.at_ = NAN;
        state.t = t;
        state.q = as_vector(values, self.n_);
        state.v = as_vector(values + self.n_, self.n_);
      }
      N_VGetArrayPointer(rate)[0] = self.functional_.running(state, nullptr);
      return EvaluationResult::ok;
    });
  }

  static int adjoint_rhs(sunrealtype t, N_Vector y, N_Vector mu, N_Vector mudot, void* user_data) {
    return back("adjoint equations", user_data, {y, mu, mudot}, [&](CvodesAdjoint& self) {
      long steps = 0;
      CVodeGetNumSteps(self.back_, &steps);
      if (steps >= self.options_.max_steps)
        self.stop(too_many_steps(self.options_, " on the way back at t = " + text(t)));
      double* rate = N_VGetArrayPointer(mudot);
      const bool good = self.evaluate_adjoint(t, N_VGetArrayPointer(y), N_VGetArrayPointer(mu), rate);
      as_vector(rate, 2 * self.n_) *= -1.0;
      return good;
    });
  }

  static int explicit_rates(sunrealtype t, N_Vector y, N_Vector mu, N_Vector rates, void* user_data) {
    return back("explicit derivatives of the adjoint", user_data, {y, mu}, [&](CvodesAdjoint& self) {
      if (!self.evaluate_adjoint(t, N_VGetArrayPointer(y), N_VGetArrayPointer(mu), self.part_.data()) ||
          !self.explicit_derivatives())
        return false;
      for (int i = 0; i < self.columns_.size(); ++i) N_VGetArrayPointer(rates)[i] = -self.change_by(i);
      return true;
    });
  }

  /// I - gamma d(mu')/dmu = (I + gamma F_y)^T, gamma < 0.
  static int adjoint_linear_system(sunrealtype t, N_Vector y, N_Vector, N_Vector, SUNMatrix, sunbooleantype,
                                   sunbooleantype* jcur, sunrealtype gamma, void* user_data, N_Vector, N_Vector,
                                   N_Vector) {
    *jcur = SUNTRUE;
    return back("linear system of the adjoint", user_data, {y}, [&](CvodesAdjoint& self) {
      const bool good = self.linearise(t, N_VGetArrayPointer(y)) &&
                        self.counted(self.provides().adjoint_newton->factorize_adjoint(-gamma)) == EvaluationResult::ok;
      self.beyond().factorised = good;
      return good;
    });
  }

  bool interpolate(double t, int k, double* out) override { return CVodeGetDky(memory_, t, k, wrap(out)) == 0; }

  AttachOptions attach_;
  MotionState start_;
  const SimulationOptions& options_;
  const Functional& functional_;
  SensitivityColumns& columns_;
  double t_start_;
  bool adams_;
  int n_, m_;
  int interval_ = 0, checkpoints_ = 0, which_ = 0;
  void* memory_ = nullptr;
  void* back_ = nullptr;  // of the adjoint; belongs to memory_
  SUNNonlinearSolver iteration_ = nullptr;
  SUNNonlinearSolver back_iteration_ = nullptr;
  N_Vector integral_ = nullptr;
  N_Vector mu_ = nullptr;
  N_Vector explicit_ = nullptr;
  std::unique_ptr<Attachment> adjoint_;  // the formulation beyond the motion

  bool way_back_ = false;
  long begin_of_stretch_ = 0, last_step_ = 0;
  Status why_stopped_;

  double at_ = NAN;      // where the tangents are
  VectorXd tangent_at_;  // y there
  MotionState state_;    // there
  StateDerivative derivative_;
  ParameterTerms terms_;
  VectorXd covector_, part_;
  VectorXd scales_;    // of y
  double size_ = 0.0;  // of what the functional may change by
  long adjoint_evaluations_ = 0, linearisations_ = 0, parameter_evaluations_ = 0;
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
