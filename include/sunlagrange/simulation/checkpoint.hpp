// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// The state of one check of a run besides the figures of the report: values by name. A number is a vector of
/// length 1; true is 1.
using CheckState = std::map<std::string, Eigen::VectorXd>;

/// A run between two steps: all that Stepper(system, checkpoint, options) needs to continue it. The integrator restarts
/// there, as after an event, so the continued run agrees with the uninterrupted one to its tolerance. As a file:
/// files/checkpoint_file.hpp.
struct Checkpoint {
  std::string version;                   ///< version of the library that made it
  SimulationOptions options;             ///< options as given, without functions: `events` and `keep_going` are empty
  InitialState state;                    ///< t, q, v
  double typical_position = 0.0;         ///< largest position, as MotionState::typical_position
  std::vector<std::string> positions;    ///< names, which must be those of the mechanism
  std::vector<std::string> constraints;  ///< names of all rows
  /// The elements with the coordinates that they act on, "spring (bob.x, bob.y)", which must be those of the mechanism;
  /// empty in files of older versions.
  std::vector<std::string> elements;
  std::vector<std::pair<std::string, double>> parameters;  ///< system_parameters(); empty in files of older versions
  std::vector<bool> active;                                ///< for each row
  /// Names and values of the inputs as they are set.
  std::vector<std::pair<std::string, double>> inputs;
  std::vector<EventMemory> events;           ///< one for each event of the run
  Report report;                             ///< up to now; `used` and the texts of `start` are made again
  std::map<std::string, CheckState> checks;  ///< states of the checks by name, src/simulation/checks/checks.inc
};

}  // namespace sunlagrange
