#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "model/parameter_derivative.hpp"

namespace sunlagrange::internal {

/// One column of the sensitivities.
struct SensitivityColumn {
  std::unique_ptr<ParameterDerivative> parameter;  ///< null: a start value, on which no equation depends
  double size = 1.0;                               ///< of the parameter or start value: scale of the error test
  MotionState start;                               ///< derivative of the start
};

/// The columns, and what their equations need of them at a point.
class SensitivityColumns {
 public:
  SensitivityColumns(const MechanicalSystem& system, std::vector<SensitivityColumn> columns);

  int size() const { return static_cast<int>(columns_.size()); }
  SensitivityColumn& column(int i) { return columns_[static_cast<std::size_t>(i)]; }
  const ParameterTerms& terms(int i) const { return terms_[static_cast<std::size_t>(i)]; }

  /// Explicit derivatives at a point with a and lambda. False: declined.
  bool evaluate(const Point& at);

 private:
  std::vector<SensitivityColumn> columns_;
  std::vector<ParameterTerms> terms_;
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

  /// q and v of the state, and of the columns, at a time in the last step. False: the model declined the point.
  virtual bool at(double t, MotionState& state, Eigen::MatrixXd& q, Eigen::MatrixXd& v) = 0;
  virtual SensitivityCounts work() const = 0;
};

/// @param options  validated; the integrator is cvode_bdf or ida
/// @param columns  must outlive the run
/// @throws Error if the formulation has no equations for them
std::unique_ptr<SensitivityRun> make_sensitivity_run(const std::shared_ptr<const MechanicalSystem>& system,
                                                     const MotionState& start, const SimulationOptions& options,
                                                     const SensitivityOptions& wanted, SensitivityColumns& columns);

}  // namespace sunlagrange::internal
