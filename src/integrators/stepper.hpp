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

/// Functions of (t, q, v) whose zeros end a step; SUNDIALS finds them.
struct RootFunctions {
  std::vector<int> directions;  ///< one for each function: 1 rising, -1 falling, 0 both
  /// Fills one value for each function. May throw: the step then fails, and the exception is rethrown.
  std::function<void(double t, const double* q, const double* v, double* values)> evaluate;
};

/// Tolerances or step of one run.
struct StepperOptions {
  AttachOptions attach;
  double step = 0.0;                          ///< fixed-step integrators
  double max_step = 0.0;                      ///< [s] of the others; 0: no limit
  const std::vector<double>* ends = nullptr;  ///< [s] explicit pairs make these steps, whatever their error; null: own
  double t_end = 1.0;                         ///< the last step lands on it, unless stop_at() says otherwise
  const ButcherTable* table = nullptr;        ///< of the integrator "table"
  RootFunctions roots;
};

struct StepperCounts {
  long steps = 0;  ///< accepted; with a root inside it is one step, and what is left of it none
  long error_test_failures = 0;
  long nonlinear_iterations = 0;
  long nonlinear_failures = 0;  ///< steps given up because an iteration failed or a point was declined
};

/// One integrator with everything it owns, advanced step by step. simulate() sees no more of SUNDIALS than this.
/// Built on the attach functions, so that the plug-in route is exercised by every run.
class IntegratorStepper {
 public:
  virtual ~IntegratorStepper() = default;

  /// One internal step, not past t_end, or the part of it up to the first root; the next call goes on from there. True:
  /// accepted. False: `status` says why; the state stays at the last accepted.
  virtual bool step(Status& status) = 0;

  /// From now on steps land on t instead of StepperOptions::t_end. @param t  later than time()
  virtual void stop_at(double t) = 0;

  /// If the last step ended at a root: for each root function the sign of its slope, 0 for those that have none there.
  /// Empty: it did not, or the integrator finds no roots.
  virtual const std::vector<int>& roots_found() const {
    static const std::vector<int> none;
    return none;
  }

  virtual double time() const = 0;

  /// Of the method in the last step; 0: it has none that is known.
  virtual int order() const { return 0; }

  /// q, v and v' of the formulation at time(), or at a time inside the last step. `a_known` false: take the ideal v'.
  /// False: not available there.
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
  ARKodeButcherTableMem* (*embedded_pair)() = nullptr;  ///< makes the table with step control, for the caller to free
  int order = 0;                                        ///< of a one-step method; 0: another, or the user's table
};

const Registry<IntegratorEntry>& integrator_registry();
const IntegratorEntry& find_integrator(std::string_view name);

/// For IntegratorEntry::make of a stepper with this constructor.
template <class S>
std::unique_ptr<IntegratorStepper> make_stepper(const IntegratorEntry& entry,
                                                const std::shared_ptr<const MechanicalSystem>& system,
                                                const MotionState& start, const StepperOptions& options) {
  return std::make_unique<S>(entry, system, start, options);
}

/// An explicit Runge-Kutta method with fixed steps, through ARKODE. @param table  null: that of StepperOptions
IntegratorEntry fixed_step_runge_kutta(const ButcherTable* table, std::string_view references);

/// An explicit Runge-Kutta method with step control by its embedded one, through ARKODE.
/// @param pair   what ARKODE calls its table, e.g. "ARKODE_DORMAND_PRINCE_7_4_5"
/// @param order  of the method that goes on, 5 there
IntegratorEntry embedded_runge_kutta(const char* pair, int order, std::string_view references);

}  // namespace sunlagrange::internal
