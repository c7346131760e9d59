// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
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

#include "formulation/capabilities.hpp"
#include "formulation/state_layout.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/linear_solver.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// The input of a formulation. `start` is a complete state (see consistency/), unless the user requested the start as
/// given.
struct FormulationInput : FormulationOptions {
  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
};

/// Work of a formulation so far.
struct FormulationCounts : LinearCounts {
  long unconverged = 0;  ///< evaluations whose inner iteration ended at its limit

  FormulationCounts(const LinearCounts& linear = {}) : LinearCounts(linear) {}  // NOLINT(google-explicit-constructor)
};

/// A formulation turns a MechanicalSystem into first-order equations in the unknowns y. It knows no integrator, and
/// does not count failures; its callers do. Its constructor fills the protected members.
class Formulation {
 public:
  explicit Formulation(const StateLayout& layout)
      : unknowns_{layout.size(), layout.n, layout.n_v, layout.m, layout.m_mu, layout.integrated_multipliers, false},
        layout_(layout) {}
  Formulation(const Formulation&) = delete;  // capabilities are pointers to parts of it
  Formulation& operator=(const Formulation&) = delete;
  virtual ~Formulation() = default;

  const FormulationCapabilities& provides() const { return provides_; }
  const UnknownsLayout& unknowns() const { return unknowns_; }
  int size() const { return unknowns_.size; }
  int num_positions() const { return layout_.n; }

  /// Number k of leading unknowns whose only equation is y_i' = y_(i + k), as q' = v. Default: 0.
  int num_integrated() const { return num_integrated_; }

  /// The source of v' at a point of the solution.
  enum class Acceleration {
    own,       ///< y' of the integrated equations, stabilising terms included
    ideal,     ///< the saddle-point system at (t, q, v): y' of the integrator is too rough (index 2 and 3)
    at_point,  ///< unpack() computes it from (t, y) alone, without y'
  };
  Acceleration acceleration() const { return acceleration_; }

  /// The gains and settings that the formulation uses, and the requested ones.
  const FormulationFacts& facts() const { return facts_; }

  /// Returns the last evaluation if its time is t but for rounding (stop times are met to rounding), else null.
  const LastEvaluation* last_evaluation(double t) const {
    const LastEvaluation* last = provides_.last;
    return last != nullptr && std::abs(last->t - t) <= 1e-13 * std::abs(t) ? last : nullptr;
  }

  /// Writes the initial y, and y' unless `yp` is null. Default: the order of the layout.
  virtual void pack(const MotionState& state, double* y, double* yp) const { layout_.pack(state, y, yp); }

  /// Reads q and v at a point of the solution, and v' unless `a` is null; `yp` may be null then. Default: y begins with
  /// q, v.
  virtual EvaluationResult unpack(double t, const double* y, const double* yp, double* q, double* v, double* a);

  /// Facts that are known only after the run, such as mean numbers of iterations.
  virtual std::vector<Fact> statistics() const { return {}; }

  virtual FormulationCounts counts() const = 0;
  virtual std::string linear_solver_description() const = 0;

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

  FormulationCapabilities provides_;
  UnknownsLayout unknowns_;
  FormulationFacts facts_;
  int num_integrated_ = 0;
  Acceleration acceleration_ = Acceleration::own;

 private:
  StateLayout layout_;
};

/// y' = f(t, y).
class OdeFormulation : public Formulation {
 public:
  explicit OdeFormulation(const StateLayout& layout);

  virtual EvaluationResult rhs(double t, const double* y, double* ydot) = 0;

  /// Called after each accepted step. Returns true if y now describes the same motion in other variables (of the same
  /// number), or the field has changed: the integrator must restart from y. Default: false.
  virtual bool change_variables(double /*t*/, double* /*y*/) { return false; }

  /// Error weights of y, 1 / tolerance.
  void weights(const ErrorTolerances& tolerances, const double* y, double* weight) const;

 protected:
  std::vector<int> coordinate_of_;  ///< for each unknown, the coordinate whose tolerance holds. Default: y = (q, v)
};

/// F(t, y, y') = 0.
class DaeFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  virtual EvaluationResult residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Announces a step from (t, y) during which the model does not change: error weights, Newton matrix and residual at
  /// this point may then share evaluations. An application that owns its integrator may change a parameter at any time
  /// and never calls this function.
  virtual void begin_step(double /*t*/, const double* /*y*/) {}

  /// Completes the solution b of a Newton system for the point of the last residual, in the iteration of IDA. Default:
  /// leaves it.
  virtual EvaluationResult complete_correction(double* /*b*/) { return EvaluationResult::ok; }

  /// Error weights for step size h [s]; h = 0 before the first step.
  virtual EvaluationResult weights(double h, const double* y, double* weight) = 0;

  /// The same for a multistep method, which turns an error of q into one of its difference quotient q'. Default:
  /// weights().
  virtual EvaluationResult multistep_weights(double h, const double* y, double* weight) {
    return weights(h, y, weight);
  }

  /// Writes 1 for unknowns in the error test, 0 for the others: multipliers and, in index 3, velocities.
  void ids(double* id) const;

 protected:
  int num_tested_ = 0;  ///< number of leading unknowns in the error test
};

/// A formulation that is a one-step method of its own.
class OneStepFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  /// Advances (y, yp) from t to t + h. After a failure y and yp are undefined: the caller keeps the old ones.
  virtual EvaluationResult step(double t, double h, double* y, double* yp) = 0;

  long residual_evaluations = 0;
  long jacobian_evaluations = 0;
};

/// A formulation of any kind; the alternatives have the order of Equations.
using AnyFormulation =
    std::variant<std::unique_ptr<OdeFormulation>, std::unique_ptr<DaeFormulation>, std::unique_ptr<OneStepFormulation>>;

/// Returns the formulation as one of a kind. @throws std::bad_variant_access if it is of another kind
template <class Kind>
std::unique_ptr<Kind> as(AnyFormulation formulation) {
  return std::get<std::unique_ptr<Kind>>(std::move(formulation));
}

/// Makes the formulations of one name, by a function that returns one by value,
///
///     entry.make = [](const FormulationInput& in) { return AccelerationForm(in, automatic_gains(in)); };
///
/// The type of its result gives the kind of the equations.
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

/// An entry of the registry of formulations (formulations.inc).
struct FormulationEntry : FormulationInfo {
  FormulationMaker make;
  bool reads_excess_energy = false;  ///< reads FormulationInput::excess

  /// Returns why it cannot be used for this system, or nothing if it can.
  std::string objection(const MechanicalSystem& system) const;

  /// Returns the name of the terms that reduce the constraint error: "the gains", for programs "K_N" or "the feedback".
  /// Empty: a program without such terms.
  std::string_view feedback_of(const MechanicalSystem& system) const;
};

const Registry<FormulationEntry>& formulation_registry();
const FormulationEntry& find_formulation(std::string_view name);

/// Returns the entry of a formulation outside simulate(): "automatic" is baumgarte if it accepts the system, else the
/// first of the registry that does.
const FormulationEntry& find_formulation(std::string_view name, const MechanicalSystem& system);

/// Makes the formulation that `input` names, of any kind.
/// @throws Error if the name is not known, the form cannot treat the system, or the start does not fit the system
std::unique_ptr<Formulation> make_formulation(const FormulationInput& input);

/// Checks the input of make_formulation(). @throws Error as make_formulation() does
void require_usable(const FormulationEntry& entry, const FormulationInput& input);

}  // namespace sunlagrange::internal
