#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/formulation/info.hpp>
#include <sunlagrange/formulation/layout.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

#include "formulation/state_layout.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/evaluation_result.hpp"
#include "model/natural_scales.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange::internal {

class SaddlePointSystem;

/// What the last evaluation of a formulation has left, for whoever looks at a point nearby.
struct NearbySolution {
  double t = 0.0;
  const double* q = nullptr;
  const double* v = nullptr;
  const Workspace* quantities = nullptr;  ///< M, f, g, (g', psi), gamma, G at (t, q, v); null: there are none

  /// The plain saddle-point system [M G^T; G 0] there, factorised with every direction kept, and v', lambda there,
  /// stabilising terms included; null: there is none. Whoever looks at a point nearby may solve with it.
  SaddlePointSystem* system = nullptr;
  const double* a = nullptr;
  const double* lambda = nullptr;
};

/// What a formulation is built from. `start` is complete (consistency/ has been there, or the user asked for none).
struct FormulationInput : FormulationOptions {
  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
};

/// A formulation turns a MechanicalSystem into first-order equations: layout of y, right-hand side or residual, and the
/// Newton systems, all reduced to blocks of the saddle-point shape. It knows no integrator.
class Formulation {
 public:
  explicit Formulation(const StateLayout& layout) : layout_(layout) {}
  virtual ~Formulation() = default;

  virtual int size() const { return layout_.size(); }

  /// q' = v: y_i' = y_(i + k) for the first k unknowns. As written here: of none is that all there is to them.
  virtual int num_integrated() const { return 0; }

  /// What users may know of y.
  virtual UnknownsLayout unknowns() const {
    return {layout_.size(), layout_.n, layout_.n_v, layout_.m, layout_.m_mu, layout_.integrated_multipliers, false};
  }

  /// Initial y (and y' for DAE forms; yp may be null for ODE forms). As written here: that of the layout.
  virtual void pack(const MotionState& state, double* y, double* yp) const { layout_.pack(state, y, yp); }

  /// What the formulation can say about v' at a point of its solution.
  enum class Acceleration {
    own,       ///< v' of the integrated equations, stabilising terms included
    ideal,     ///< take that of the saddle-point system: y' of the integrator is too rough (index 2 and 3)
    at_point,  ///< own, computed by unpack() from (t, y) alone: it needs no y'
  };
  virtual Acceleration acceleration() const { return Acceleration::own; }

  /// q and v at a point of the solution; v' too unless `a` is null (then `yp` may be null). As written here: y begins
  /// with q, v.
  virtual EvaluationResult unpack(double t, const double* y, const double* yp, double* q, double* v, double* a);

  /// Do the equations contain terms that act on the constraint error (gains, compliance)?
  virtual bool has_feedback() const { return false; }

  /// v' and lambda of the equations at (t, q, v), stabilising terms included; only where has_feedback(). Not counted
  /// as a failure.
  virtual EvaluationResult with_feedback(double /*t*/, const double* /*q*/, const double* /*v*/, double* /*a*/,
                                         double* /*lambda*/) {
    return EvaluationResult::declined;
  }

  /// A of e' = A e, e = (g, g', psi) or f, where this law of the constraint error changes along the motion. False: it
  /// is constant, there is none, or it is not defined here. Not counted as an evaluation.
  virtual bool error_matrix(double /*t*/, const double* /*q*/, const double* /*v*/, Eigen::MatrixXd& /*A*/) {
    return false;
  }

  /// What the last evaluation has left. Without a system: the formulation has none like that, or not now.
  virtual NearbySolution nearby_solution() { return {}; }

  /// y' of the last right-hand side, if that was evaluated at (t, y) but for rounding. False: it was not, or it is not
  /// kept.
  virtual bool last_rates(double /*t*/, const double* /*y*/, double* /*ydot*/) const { return false; }

  /// Has it the equations of its sensitivities s = dy/dp, the three functions below and those of its kind? Gains count
  /// as constants that no parameter changes.
  virtual bool has_sensitivities() const { return false; }

  /// Tangents at a point of the solution, and v' and lambda there, at which ParameterTerms belong.
  virtual EvaluationResult linearize_sensitivities(double /*t*/, const double* /*y*/, const double* /*yp*/,
                                                   const double*& /*a*/, const double*& /*lambda*/) {
    return EvaluationResult::declined;
  }

  /// What it made of its input: gains, and what only this formulation has.
  virtual FormulationFacts facts() const { return {}; }

  /// What is known only after the run, e.g. mean numbers of iterations.
  virtual std::vector<Fact> statistics() const { return {}; }

  /// Size (natural_size()) of what the last projection after a step took out of v; 0: there is no projection.
  virtual double velocity_taken_out() const { return 0.0; }

  /// Evaluations whose inner iteration ended at its limit.
  virtual long unconverged() const { return 0; }

  virtual LinearCounts counts() const = 0;
  virtual std::string linear_solver_description() const = 0;

  int num_positions() const { return layout_.n; }

  FailureCounts failures;

 protected:
  const StateLayout& layout() const { return layout_; }

  /// The parts of y and of vectors like it.
  template <class Scalar>
  auto q(Scalar* y) const {
    return layout_.q(y);
  }
  template <class Scalar>
  auto v(Scalar* y) const {
    return layout_.v(y);
  }
  template <class Scalar>
  auto lambda(Scalar* y) const {
    return layout_.lambda(y);
  }
  template <class Scalar>
  auto mu(Scalar* y) const {
    return layout_.mu(y);
  }

 private:
  StateLayout layout_;
};

/// y' = f(t, y).
class OdeFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  virtual EvaluationResult rhs(double t, const double* y, double* ydot) = 0;

  /// Factorises I - gamma J. `reuse`: keep the Jacobian blocks of the last call, only gamma changed.
  virtual EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) = 0;

  /// In: b, out: (I - gamma J)^-1 b.
  virtual EvaluationResult solve_newton(double* b) = 0;

  /// The same for complex gamma, with the Jacobian blocks of the last call above; the factors of both stay side by
  /// side. For pairs of stages of an implicit Runge-Kutta method.
  virtual EvaluationResult factorize_newton(Complex gamma) = 0;
  virtual EvaluationResult solve_newton(Complex* b) = 0;

  /// Tangents for jacobian_times() at a point. The Newton systems above stay; another evaluation spoils the tangents.
  virtual EvaluationResult linearize_product(double t, const double* y) = 0;

  /// J x there, with the J of the Newton systems: gains that change along the motion count as constants.
  virtual EvaluationResult jacobian_times(const double* x, double* Jx) = 0;

  /// True: every step ends with project().
  virtual bool has_projection() const { return false; }

  /// correction = P(y) - y onto the constraints; projects the error estimate in place unless `error` is null.
  virtual EvaluationResult project(double t, const double* y, double* correction, double* error);

  /// s' at the point of the last linearize_sensitivities().
  virtual EvaluationResult sensitivity_rhs(const double* /*s*/, const ParameterTerms& /*p*/, double* /*sdot*/) {
    return EvaluationResult::declined;
  }

  /// s of the point that project() returns, linearised there; without a projection s is left alone.
  virtual EvaluationResult project_sensitivity(double* /*s*/, const ParameterTerms& /*p*/) {
    return EvaluationResult::ok;
  }

  /// The transpose of sensitivity_rhs(), there: the covector `rate` on s' gives that on s, and that on the terms of a
  /// parameter. With `lambda`, not null, a covector on dlambda/dp is added to what is transposed.
  virtual EvaluationResult adjoint_rhs(const double* /*rate*/, const double* /*lambda*/, double* /*s*/,
                                       ParameterTerms& /*p*/) {
    return EvaluationResult::declined;
  }

  /// The transpose of project_sensitivity(), there. In: a covector on what that returns, out: on what it is given; adds
  /// that on the terms of a parameter.
  virtual EvaluationResult project_adjoint(double* /*s*/, ParameterTerms& /*p*/) { return EvaluationResult::ok; }

  /// Factorises (I - gamma J)^T there, beside the factors above; in: b, out: (I - gamma J)^-T b.
  virtual EvaluationResult factorize_adjoint(double /*gamma*/) { return EvaluationResult::declined; }
  virtual EvaluationResult solve_adjoint(double* /*b*/) { return EvaluationResult::declined; }

  /// Called after each accepted step. True: y now describes the same motion in other variables (same size), and the
  /// integrator must start anew from it.
  virtual bool change_variables(double /*t*/, double* /*y*/) { return false; }

  /// Error weights of y, 1 / tolerance. As written here: y is q, v.
  virtual void weights(const ErrorTolerances& tolerances, const double* y, double* weight) const;
};

/// F(t, y, y') = 0.
class DaeFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  virtual EvaluationResult residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Here a step of an integrator begins that lets nobody change the model before it calls this again: error weights,
  /// Newton matrix and residual at this point may share what they evaluate. (Applications that ask for them may change
  /// a parameter meanwhile, and never call this.)
  virtual void begin_step(double /*t*/, const double* /*y*/) {}

  /// Evaluates dF/dy and dF/dy' at a point.
  virtual EvaluationResult linearize_newton(double t, const double* y, const double* yp) = 0;

  /// Factorises dF/dy + c dF/dy' as linearised last. Real and complex factors stay side by side: complex c belong to
  /// pairs of stages of an implicit Runge-Kutta method.
  virtual EvaluationResult factorize_newton(double c) = 0;
  virtual EvaluationResult factorize_newton(Complex c) = 0;

  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) {
    const EvaluationResult result = linearize_newton(t, y, yp);
    return result == EvaluationResult::ok ? factorize_newton(c) : result;
  }

  /// In: b, out: (dF/dy + c dF/dy')^-1 b. `c` is the present one, `factorize_newton` may have seen another: the blocks
  /// of the saddle-point shape hardly depend on c, the powers of c around them are known and applied exactly.
  virtual EvaluationResult solve_linear(double c, double* b) = 0;
  virtual EvaluationResult solve_linear(Complex c, Complex* b) = 0;

  /// solve_linear() for Newton's correction of the point of the last residual; what is to be done beside the linear
  /// system is done to it.
  virtual EvaluationResult solve_newton(double c, double* b) { return solve_linear(c, b); }

  /// What solve_newton() does about redundant multipliers: those of y + correction get the least norm. As written here:
  /// there are none.
  virtual EvaluationResult keep_least_norm(const double* /*y*/, double* /*correction*/) { return EvaluationResult::ok; }

  /// Tangents for jacobian_times() at a point. The Newton systems above stay; another evaluation spoils the tangents.
  virtual EvaluationResult linearize_product(double t, const double* y, const double* yp) = 0;

  /// (F_y + c F_y') x there.
  virtual EvaluationResult jacobian_times(double c, const double* x, double* Jx) = 0;

  /// F_y s + F_y' s' + F_p at the point of the last linearize_sensitivities().
  virtual EvaluationResult sensitivity_residual(const double* /*s*/, const double* /*sp*/, const ParameterTerms& /*p*/,
                                                double* /*r*/) {
    return EvaluationResult::declined;
  }

  /// 1 differential, 0 algebraic (masked in the error test).
  virtual void ids(double* id) const = 0;

  /// Error weights for step size h (the initial step while IDA has none).
  virtual EvaluationResult weights(double h, const double* y, double* weight) = 0;

  /// Masks, weights, and the settings IDA needs.
  virtual DaeFacts dae_facts() const = 0;
};

/// A formulation that is a one-step method of its own.
class OneStepFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  /// Advances (y, yp) from t to t + h. If it fails, y and yp are spoiled: the caller keeps the old ones.
  virtual EvaluationResult step(double t, double h, double* y, double* yp) = 0;

  long residual_evaluations = 0;
  long jacobian_evaluations = 0;
};

/// A formulation of any kind; its alternatives stand in the order of Equations.
using AnyFormulation =
    std::variant<std::unique_ptr<OdeFormulation>, std::unique_ptr<DaeFormulation>, std::unique_ptr<OneStepFormulation>>;

/// The formulation as one of the kind known beforehand. @throws std::bad_variant_access if it is of another
template <class Kind>
std::unique_ptr<Kind> as(AnyFormulation formulation) {
  return std::get<std::unique_ptr<Kind>>(std::move(formulation));
}

/// How formulations of one name are made: by a function that returns one by value,
///
///     entry.make = [](const FormulationInput& in) { return AccelerationForm(in, automatic_gains(in)); };
///
/// whose type says of which kind the equations are.
class FormulationMaker {
 public:
  FormulationMaker() = default;

  template <class Make, class Form = std::invoke_result_t<Make, const FormulationInput&>>
  FormulationMaker(Make make)  // NOLINT(google-explicit-constructor): entries read like their equation
      : equations_(std::is_base_of_v<OdeFormulation, Form>   ? Equations::ode
                   : std::is_base_of_v<DaeFormulation, Form> ? Equations::dae
                                                             : Equations::one_step),
        make_([make](const FormulationInput& in) -> AnyFormulation {
          return std::unique_ptr<Form>(new Form(make(in)));  // in place: formulations need not be movable
        }) {}

  AnyFormulation operator()(const FormulationInput& input) const { return make_(input); }
  Equations equations() const { return equations_; }

 private:
  Equations equations_ = Equations::ode;
  std::function<AnyFormulation(const FormulationInput&)> make_;
};

/// Entry of the formulation registry (formulations.inc).
struct FormulationEntry : FormulationInfo {
  FormulationMaker make;
  bool reads_excess_energy = false;  ///< FormulationInput::excess

  /// Why it cannot be used for this system; empty: it can.
  std::string objection(const MechanicalSystem& system) const;

  /// What draws an error of the constraints back, in words: "the gains", of programs "K_N" or "the feedback"; empty:
  /// a program of which nothing does.
  std::string_view feedback_of(const MechanicalSystem& system) const;
};

const Registry<FormulationEntry>& formulation_registry();
const FormulationEntry& find_formulation(std::string_view name);

/// The registered formulation that `input` names, whatever its kind.
/// @throws Error if it is not known, cannot treat the system, or the start does not fit the system
std::unique_ptr<Formulation> make_formulation(const FormulationInput& input);

/// What make_formulation checks. @throws Error as it does
void require_usable(const FormulationEntry& entry, const FormulationInput& input);

}  // namespace sunlagrange::internal
