// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "events/runner.hpp"
#include "integrators/stepper.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange::internal {

/// One column of a sensitivity analysis.
struct SensitivityColumn {
  std::unique_ptr<ParameterDerivative> parameter;  ///< null for a start value, which no equation contains
  const EventParameter* of_events = nullptr;       ///< set if only events depend on the parameter
  double size = 1.0;                               ///< size of the parameter or start value; scale of the error test
  MotionState start;                               ///< derivative of the start, for the active rows
};

/// All columns, and their explicit derivatives at a point.
class SensitivityColumns {
 public:
  SensitivityColumns(const MechanicalSystem& system, std::vector<SensitivityColumn> columns);

  int size() const { return static_cast<int>(columns_.size()); }
  SensitivityColumn& column(int i) { return columns_[static_cast<std::size_t>(i)]; }
  /// Returns the explicit derivatives of a column, for the active rows.
  const ParameterTerms& terms(int i) const { return terms_[static_cast<std::size_t>(i)]; }

  /// Sets the rows that are active from now on. @param system  the system with these rows alone
  void activate(const MechanicalSystem& system, const std::vector<int>& rows);

  /// Evaluates the explicit derivatives at a point with a and lambda of the active rows. Returns false if the model
  /// declines.
  bool evaluate(const Point& at);

 private:
  void copy_active_rows(ParameterTerms& terms) const;

  std::vector<SensitivityColumn> columns_;
  std::vector<ParameterTerms> terms_;
  std::vector<int> rows_;   // indices of the active rows
  Eigen::VectorXd lambda_;  // of all rows
  ParameterTerms all_;      // terms of all rows
};

struct SensitivityCounts {
  long steps = 0;
  long rhs_evaluations = 0;
  long sensitivity_evaluations = 0;
};

/// An integration by CVODES or IDAS with sensitivities.
class SensitivityRun {
 public:
  virtual ~SensitivityRun() = default;
  virtual bool advance(Status& status) = 0;  ///< takes one step; false: it failed, see `status`
  virtual double reached() const = 0;
  virtual IntegratorStepper& stepper() = 0;  ///< stepper of the motion

  /// Returns q and v of the state and of the columns at a time within the last step; false if the model declines the
  /// point.
  virtual bool at(double t, MotionState& state, Eigen::MatrixXd& q, Eigen::MatrixXd& v) = 0;
  virtual SensitivityCounts work() const = 0;
};

/// Starts an integration from the state of the events, with their active rows.
/// @param options  validated; the integrator is cvode_bdf or ida
/// @param span     duration of the whole motion [s]
/// @param columns  must outlive the run, as must the events
/// @throws Error if the formulation has no sensitivity equations
std::unique_ptr<SensitivityRun> make_sensitivity_run(EventRunner& events, double span, const SimulationOptions& options,
                                                     const SensitivityOptions& wanted, SensitivityColumns& columns);

}  // namespace sunlagrange::internal
