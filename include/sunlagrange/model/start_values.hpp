// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// Start values by name, for simulate() and consistent_state():
///
///     StartValues start(system);
///     start["crank.x"] = 0.1;                       // a guess, corrected so that the constraints hold
///     start.fix("crank.phi", 1.047).fix_velocity("crank.phi", 6.0);   // not corrected
///     simulate(system, start, options);
///
/// Values that are not given are zero, Euler parameters those of the ground axes. Names:
/// MechanicalSystem::position_name, i.e. "block.x", "block[0]", or "block" where it has one coordinate. When not: for
/// vectors in the order of the coordinates, fill an InitialState. Every function throws Error listing the known names
/// if there is no such coordinate, or if the name means several.
class StartValues {
 public:
  /// @throws Error if the system is null
  explicit StartValues(std::shared_ptr<const MechanicalSystem> system, double t = 0.0);

  double& operator[](const std::string& coordinate);  ///< position
  double& velocity(const std::string& coordinate);    ///< rate of the coordinate, in its unit per second

  /// Sets a value that the consistent start keeps.
  StartValues& fix(const std::string& coordinate, double position);
  /// The same for a velocity.
  StartValues& fix_velocity(const std::string& coordinate, double velocity);

  /// Returns the start, with q and v of length n.
  const InitialState& state() const { return state_; }
  operator const InitialState&() const { return state_; }  // NOLINT(google-explicit-constructor): is one

 private:
  int index(const std::string& coordinate) const;

  std::shared_ptr<const MechanicalSystem> system_;
  InitialState state_;
};

}  // namespace sunlagrange
