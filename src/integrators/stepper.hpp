// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/integrators/info.hpp>
#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"

struct ARKodeButcherTableMem;  // of ARKODE

namespace sunlagrange::internal {

/// Functions of (t, q, v) whose changes of sign end a step. The signs are -1, 0 and 1: a function that is zero over a
/// while changes its sign where it becomes zero and where it leaves zero. A function that is zero at the start has the
/// sign that follows.
struct RootFunctions {
  std::vector<int> directions;  ///< for each function: 1 changes to a larger sign count, -1 to a smaller one, 0 both
  /// Writes one value for each function; NaN: it is disregarded there, and its next sign is its first one. May throw:
  /// the step then fails, and the exception is rethrown.
  std::function<void(double t, const double* q, const double* v, double* values)> evaluate;
};

/// Options of an integrator for one segment of a run.
struct StepperOptions {
  AttachOptions attach;
  double step = 0.0;                          ///< [s] of fixed-step integrators
  double max_step = 0.0;                      ///< [s] of adaptive ones; 0: no limit
  const std::vector<double>* ends = nullptr;  ///< [s] ends of steps that explicit pairs take whatever their error;
                                              ///< null: the error test decides
  double t_end = 1.0;                         ///< [s] the last step ends there, unless stop_at() changes it
  const ButcherTable* table = nullptr;        ///< for the integrator "table"
  RootFunctions roots;
};

struct StepperCounts {
  long steps = 0;  ///< accepted; a step with a root inside counts once, and its rest does not count
  long error_test_failures = 0;
  long nonlinear_iterations = 0;
  long nonlinear_failures = 0;  ///< attempts that ended because an iteration failed or a point was declined
};

/// An integrator with everything that it owns, advanced step by step; the only interface between a run and its
/// integrator. The steppers of SUNDIALS are built on the attach functions, as applications are.
class IntegratorStepper {
 public:
  virtual ~IntegratorStepper() = default;

  /// Takes one step, not past t_end, or the part of it up to the first root; the next call continues from there.
  /// @return  true if the step was accepted; false: `status` says why not, and the state stays at the last accepted one
  virtual bool step(Status& status) = 0;

  /// Sets the time that steps do not pass, in place of StepperOptions::t_end. @param t  later than time()
  virtual void stop_at(double t) = 0;

  /// Sets the longest step of an adaptive integrator [s] in place of StepperOptions::max_step; 0: no limit.
  virtual void limit_steps(double /*longest*/) {}

  /// Returns, if the last step ended at a root, for each root function 1 if its sign has grown, -1 if it has fallen, 0
  /// if it has not changed. Empty if the step did not end at a root.
  virtual const std::vector<int>& roots_found() const {
    static const std::vector<int> none;
    return none;
  }

  virtual double time() const = 0;

  /// Returns the order of the method in the last step; 0 if it is not known.
  virtual int order() const { return 0; }

  /// Computes q, v and v' of the formulation at time(), or at a time inside the last step.
  /// @param a_known  output; false: `a` was not written, and the ideal v' of the saddle-point system has to serve
  /// @return  false if they are not available there
  virtual bool motion(double t, double* q, double* v, double* a, bool& a_known) = 0;

  virtual StepperCounts counts() const = 0;
  virtual Attachment& attachment() = 0;

  /// Returns the formulation that is integrated.
  Formulation& formulation();

  /// Returns the last evaluation of the formulation if it was at time(), else null.
  const LastEvaluation* last_evaluation() { return formulation().last_evaluation(time()); }

  /// Returns Projection::last_velocity_correction() of the last step, or 0 without a projection.
  double last_velocity_correction();

  /// Computes ErrorLaw::error_matrix() at time(). Returns false without such a law.
  bool error_matrix(const double* q, const double* v, Eigen::MatrixXd& A);
};

/// Entry of the integrator registry (integrators.inc).
struct IntegratorEntry : IntegratorInfo {
  std::unique_ptr<IntegratorStepper> (*make)(const IntegratorEntry&, const std::shared_ptr<const MechanicalSystem>&,
                                             const MotionState&, const StepperOptions&) = nullptr;
  ARKodeButcherTableMem* (*embedded_pair)() = nullptr;  ///< makes a table with an error estimate; the caller frees it
  int order = 0;  ///< order of an explicit method or the trapezoidal rule; 0: others
};

const Registry<IntegratorEntry>& integrator_registry();
const IntegratorEntry& find_integrator(std::string_view name);

/// The value of IntegratorEntry::make for a stepper S with this constructor.
template <class S>
std::unique_ptr<IntegratorStepper> make_stepper(const IntegratorEntry& entry,
                                                const std::shared_ptr<const MechanicalSystem>& system,
                                                const MotionState& start, const StepperOptions& options) {
  return std::make_unique<S>(entry, system, start, options);
}

/// Returns the entry of an explicit Runge-Kutta method with fixed steps, which ARKODE runs.
/// @param table  null: StepperOptions::table
IntegratorEntry fixed_step_runge_kutta(const ButcherTable* table, std::string_view references);

}  // namespace sunlagrange::internal
