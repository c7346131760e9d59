#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/gains.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/options.hpp>
#include <sunlagrange/setting.hpp>

#include "linear_solver/evaluation_result.hpp"

namespace sunlagrange {

/// What a formulation is built from. `start` is complete (consistency/ has been there, or the user asked for none).
struct FormulationInput {
  std::shared_ptr<const MechanicalSystem> system;
  LinearSolverOptions linear_solver;
  Gains gains;
  MotionState start;
  double rtol = 1e-6;
  double atol = 1e-8;
  double t_span = 1.0;  ///< length of the time interval [s], a last resort for time scales
};

/// A formulation turns a MechanicalSystem into first-order equations: layout of y, right-hand side or residual, and the
/// Newton systems, all reduced to blocks of the saddle-point shape. It knows no integrator.
/// In every formulation y begins with q (n), then v (n).
class Formulation {
 public:
  virtual ~Formulation() = default;

  virtual int size() const = 0;

  /// Initial y (and y' for DAE forms; yp may be null for ODE forms).
  virtual void pack(const MotionState& state, double* y, double* yp) const = 0;

  /// Gains, masks, tolerances chosen here: shown as asked/used in the report.
  virtual Settings settings() const = 0;

  virtual LinearCounts counts() const = 0;
  virtual std::string linear_solver_description() const = 0;

  FailureCounts failures;
};

/// y' = f(t, y).
class OdeFormulation : public Formulation {
 public:
  virtual EvaluationResult rhs(double t, const double* y, double* ydot) = 0;

  /// Factorises I - gamma J. `reuse`: keep the Jacobian blocks of the last call, only gamma changed.
  virtual EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) = 0;

  /// In: b, out: (I - gamma J)^-1 b.
  virtual EvaluationResult solve_newton(double* b) = 0;
};

/// Newton and error-control settings a DAE form needs to work with IDA; none of them is an IDA default.
struct DaeSettings {
  bool suppress_algebraic = false;
  double nonlinear_coefficient = 0.33;
  int max_nonlinear_iterations = 4;
  double initial_step = 0.0;
};

/// F(t, y, y') = 0.
class DaeFormulation : public Formulation {
 public:
  virtual EvaluationResult residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Factorises dF/dy + c dF/dy'.
  virtual EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) = 0;
  virtual EvaluationResult solve_newton(double* b) = 0;

  /// 1 differential, 0 algebraic (masked in the error test).
  virtual void ids(double* id) const = 0;

  /// Error weights for step size h (the initial step while IDA has none).
  virtual EvaluationResult weights(double h, const double* y, double* weight) = 0;

  virtual DaeSettings dae_settings() const = 0;
};

/// Entry of the formulation registry (formulations.inc). Exactly one of make_ode, make_dae is set.
struct FormulationEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<OdeFormulation> (*make_ode)(const FormulationInput&) = nullptr;
  std::unique_ptr<DaeFormulation> (*make_dae)(const FormulationInput&) = nullptr;
  std::string_view references;  ///< keys of literature.hpp
};

const std::vector<FormulationEntry>& formulation_registry();

/// Throws Error listing the known names.
const FormulationEntry& find_formulation(const std::string& name);

}  // namespace sunlagrange
