// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// An output that is an entry of q, v, v' or lambda. Stepper::read() knows it by name.
struct MotionOutput {
  enum class Part { position, rate, acceleration, multiplier };
  Part part = Part::position;
  int index = 0;

  /// Returns the row of this output in matrices or vectors that belong to q, v, v' and lambda.
  template <class Quantities>
  auto row(const Quantities& of) const {
    switch (part) {
      case Part::position:
        return of.q.row(index);
      case Part::rate:
        return of.v.row(index);
      case Part::acceleration:
        return of.a.row(index);
      default:
        return of.lambda.row(index);
    }
  }
};

/// Returns the unit of the output, or an empty string if it is unknown.
std::string unit_of(const MotionOutput& output, const MechanicalSystem& system);

/// @throws Error on an unknown name, with the nearest known one
MotionOutput motion_output(const MechanicalSystem& system, const std::string& name);

}  // namespace sunlagrange::internal
