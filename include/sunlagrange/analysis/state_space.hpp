// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/linearise.hpp>

namespace sunlagrange {

class Figures;

/// Linear model with inputs u and outputs z for control design. With x = (y, w) of the Linearisation:
///
///     x' = A x + B du,   dz = C x + D du
struct StateSpace {
  Linearisation about;
  std::vector<std::string> inputs, outputs;
  Eigen::MatrixXd A;  ///< about.state_matrix(), p + k square
  Eigen::MatrixXd B;  ///< p + k rows, one column for each input
  Eigen::MatrixXd C;  ///< one row for each output
  Eigen::MatrixXd D;
  Eigen::VectorXd z;  ///< outputs at the state itself
  Status status;      ///< status of `about`; model_error if the model declines a point with an input changed

  void describe(Figures& f);
};

/// Returns linearise() with inputs and outputs by name.
/// @param inputs   names as Stepper::inputs() lists them, at their initial values. Default: all inputs
/// @param outputs  names as Stepper::read() knows them: coordinates, rates, accelerations and multipliers (of least
///                 norm where rows are redundant). Default: all coordinates
/// @throws Error on unknown names; on inputs that move a constraint (a prescribed rate), because their change is a jump
/// of velocities and no term of x'; as linearise()
/// When not to use it: for energies and joint forces as outputs; combine multipliers and accelerations instead.
StateSpace state_space(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                       const std::vector<std::string>& inputs = {}, const std::vector<std::string>& outputs = {},
                       const ConsistencyOptions& options = {});

}  // namespace sunlagrange
