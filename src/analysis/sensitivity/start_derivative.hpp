// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "analysis/sundials/forward_sensitivities.hpp"
#include "consistency/metric_step.hpp"
#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange::internal {

/// The columns of a sensitivity analysis, their tangents at a state with the active rows, and the derivative of the
/// consistent start.
class StartDerivative {
 public:
  /// @param options  validated; must outlive this object
  /// @param wanted  must outlive this object, which uses its event parameters
  /// @param who  name of the analysis for messages
  /// @param parameters  filled with the parameters of the columns, start values as given; must outlive this object
  /// @throws Error on unknown names and on names given twice
  StartDerivative(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const SimulationOptions& options, const SensitivityOptions& wanted, const std::string& who,
                  std::vector<SystemParameter>& parameters);

  SensitivityColumns& columns() { return columns_; }
  AccelerationForm& equations() { return *equations_; }

  /// Makes `active`, with these rows of the whole system, the system that is used. Linearises at the state.
  bool enter(const std::shared_ptr<const MechanicalSystem>& active, const std::vector<int>& rows, MotionState& state);
  /// The same with all rows active.
  bool enter(MotionState& state);

  /// Computes q and v of SensitivityColumn::start for every column at a linearised start, and sets the values of
  /// parameters that are start values. Returns false, with `status` set, if there is no derivative.
  bool differentiate(const MotionState& start, Status& status);

  /// Evaluates the tangents, the explicit derivatives of the columns, and a and lambda of the state. Returns false if
  /// the model declines the point.
  bool linearise(MotionState& state);

  /// Returns the largest residual of the rows of g relative to the sizes of their terms, at the state linearised last.
  double position_error(const Eigen::Ref<const Eigen::VectorXd>& dq, const MotionState& at, int column);

 private:
  struct StartValue {
    std::size_t parameter;
    int coordinate;
    Eigen::VectorXd MotionState::*part;
  };

  std::vector<SensitivityColumn> named(const InitialState& given, const SensitivityOptions& wanted,
                                       const std::string& who);
  bool make_consistent(const MotionState& at, int column, MetricStep& positions, MetricStep& velocities);
  double velocity_error(const MotionState& s, const MotionState& at, int column);
  Eigen::VectorXd sizes_of(const Eigen::VectorXd& x, const Eigen::Ref<const Eigen::VectorXd>& change, int column);

  std::shared_ptr<const MechanicalSystem> system_;
  const SimulationOptions& options_;
  int n_;
  std::vector<int> fixed_positions_, fixed_velocities_;
  std::vector<SystemParameter>& parameters_;
  std::vector<StartValue> starts_;
  SensitivityColumns columns_;
  Eigen::VectorXd tangent_;

  // These belong to the active rows.
  std::shared_ptr<const MechanicalSystem> active_;
  int m_ = 0, m_g_ = 0;
  std::unique_ptr<AccelerationForm> equations_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace sunlagrange::internal
