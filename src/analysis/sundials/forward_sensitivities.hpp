#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "events/runner.hpp"
#include "integrators/stepper.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange::internal {

/// One column of the sensitivities.
struct SensitivityColumn {
  std::unique_ptr<ParameterDerivative> parameter;  ///< null: a start value, on which no equation depends
  const EventParameter* of_events = nullptr;       ///< not null: only events depend on it
  double size = 1.0;                               ///< of the parameter or start value: scale of the error test
  MotionState start;                               ///< derivative of the start, on the active rows
};

/// The columns, and what their equations need of them at a point.
class SensitivityColumns {
 public:
  SensitivityColumns(const MechanicalSystem& system, std::vector<SensitivityColumn> columns);

  int size() const { return static_cast<int>(columns_.size()); }
  SensitivityColumn& column(int i) { return columns_[static_cast<std::size_t>(i)]; }
  /// Of the rows that are active.
  const ParameterTerms& terms(int i) const { return terms_[static_cast<std::size_t>(i)]; }

  /// From now on these rows of the system are active. @param system  with them alone
  void activate(const MechanicalSystem& system, const std::vector<int>& rows);

  /// Explicit derivatives at a point with a and lambda of the active rows. False: declined.
  bool evaluate(const Point& at);

 private:
  void take_active(ParameterTerms& terms) const;

  std::vector<SensitivityColumn> columns_;
  std::vector<ParameterTerms> terms_;
  std::vector<int> rows_;   // that are active
  Eigen::VectorXd lambda_;  // of all rows
  ParameterTerms all_;      // the same
};

struct SensitivityCounts {
  long steps = 0;
  long rhs_evaluations = 0;
  long sensitivity_evaluations = 0;
};

/// A run of CVODES or IDAS with sensitivities.
class SensitivityRun {
 public:
  virtual ~SensitivityRun() = default;
  virtual bool advance(Status& status) = 0;  ///< one step; false: it failed, and `status` says why
  virtual double reached() const = 0;
  virtual IntegratorStepper& stepper() = 0;  ///< of the motion

  /// q and v of the state, and of the columns, at a time in the last step. False: the model declined the point.
  virtual bool at(double t, MotionState& state, Eigen::MatrixXd& q, Eigen::MatrixXd& v) = 0;
  virtual SensitivityCounts work() const = 0;
};

/// From the state and with the active rows of the events.
/// @param options  validated; the integrator is cvode_bdf or ida
/// @param span     of the whole motion [s]
/// @param columns  must outlive the run, as must the events
/// @throws Error if the formulation has no equations for them
std::unique_ptr<SensitivityRun> make_sensitivity_run(EventRunner& events, double span, const SimulationOptions& options,
                                                     const SensitivityOptions& wanted, SensitivityColumns& columns);

}  // namespace sunlagrange::internal
