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

/// The columns of what is differentiated, their tangents at a state with the rows that are active there, and how the
/// consistent start changes with them.
class StartDerivative {
 public:
  /// @param options  validated; must outlive this
  /// @param wanted  must outlive this, for its event parameters
  /// @param who  "sensitivities", for messages
  /// @param parameters  of the columns, start values as given; must outlive this
  /// @throws Error on unknown names, and on those that stand there twice
  StartDerivative(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const SimulationOptions& options, const SensitivityOptions& wanted, const std::string& who,
                  std::vector<SystemParameter>& parameters);

  SensitivityColumns& columns() { return columns_; }
  AccelerationForm& equations() { return *equations_; }

  /// From now on `active` has the rows, those of the whole system of these numbers; linearises at the state.
  bool enter(const std::shared_ptr<const MechanicalSystem>& active, const std::vector<int>& rows, MotionState& state);
  /// The same with all rows.
  bool enter(MotionState& state);

  /// q and v of SensitivityColumn::start of every column, at a linearised start, whose values become those of the
  /// parameters that are start values. False: `status` says why.
  bool differentiate(const MotionState& start, Status& status);

  /// Tangents at the state, whose a and lambda follow; explicit derivatives of the columns. False: declined.
  bool linearise(MotionState& state);

  /// Of the rows of g over the sizes of their terms, at the state linearised last.
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

  // Of the active rows.
  std::shared_ptr<const MechanicalSystem> active_;
  int m_ = 0, m_g_ = 0;
  std::unique_ptr<AccelerationForm> equations_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace sunlagrange::internal
