#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/linearise.hpp>

namespace sunlagrange {

/// Small motions with inputs u and outputs z, for control design: with x = (y, w) of the Linearisation
///
///     x' = A x + B du,   dz = C x + D du
struct StateSpace {
  Linearisation about;
  std::vector<std::string> inputs, outputs;
  Eigen::MatrixXd A;  ///< of about.state_matrix(), p + k square
  Eigen::MatrixXd B;  ///< p + k rows, a column for each input
  Eigen::MatrixXd C;  ///< a row for each output
  Eigen::MatrixXd D;
  Eigen::VectorXd z;  ///< the outputs at the state itself
  Status status;      ///< that of `about`; model_error if the model declines a point with an input nearby
};

/// linearise() with inputs and outputs by name.
/// @param inputs   as Stepper::inputs() lists them, at the values that they start with; none: all of them
/// @param outputs  as Stepper::read() knows them: coordinates, rates, accelerations and multipliers (of least norm
///                 where rows are redundant); none: all coordinates
/// @throws Error on unknown names; on inputs that move a constraint (a prescribed rate): their change is a jump of
/// velocities, not a term of x'; as linearise()
/// When not: energy and joint forces as outputs (combine multipliers and accelerations instead).
StateSpace state_space(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                       const std::vector<std::string>& inputs = {}, const std::vector<std::string>& outputs = {},
                       const ConsistencyOptions& options = {});

}  // namespace sunlagrange
