// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>

#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A function of the application in the place of a law of a model file, where it stands as
/// {"type": "Function", "name": "pull"}: for bindings to other languages, plug-ins and callbacks. Applications in C++
/// that build their model in C++ give lambdas to the elements instead, whose derivatives are exact.
///
/// x has the time first, then what the element gives to its laws: nothing where a motion or a source is a function of
/// time; angle and rate (AppliedTorque), coordinates and rates (AppliedForce), position and velocity of the point
/// (SpatialAppliedForce). Functions may throw; the exception ends the run. Derivatives that are missing are central
/// differences: first ones to about 1e-9, second ones to 1e-7.
struct LawFunction {
  using In = View<const double>;  ///< time, then the arguments of the law

  std::function<void(In x, View<double> value)> value;                        ///< required
  std::function<void(In x, MatrixView<double> derivative)> first_derivative;  ///< dvalue/dx, all columns
  std::function<void(In x, View<double> derivative)> second_derivative;       ///< d2value/dt2, of a law of time alone
};

/// Functions by the names that a model file has for them.
using LawFunctions = std::map<std::string, LawFunction>;

/// Reads a model file whose laws may be functions of the application; mechanism_text() writes their names.
/// @throws Error as parse_mechanism, and if the file names a function that is not among them
MechanismFile parse_mechanism(const std::string& text, const std::string& source, const LawFunctions& functions);

}  // namespace sunlagrange
