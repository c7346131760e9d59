#pragma once

#include <string>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// An output that is an entry of q, v, v' or lambda, by the name that Stepper::read() knows.
struct MotionOutput {
  enum class Part { position, rate, acceleration, multiplier };
  Part part = Part::position;
  int index = 0;

  /// The row of it, of matrices or vectors that belong to q, v, v' and lambda.
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

/// Empty: unknown.
std::string unit_of(const MotionOutput& output, const MechanicalSystem& system);

/// @throws Error if there is none of this name, with the nearest one
MotionOutput motion_output(const MechanicalSystem& system, const std::string& name);

}  // namespace sunlagrange::internal
