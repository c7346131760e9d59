#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// What a run knows of its energy, see Report::energy_drift [J].
struct EnergyAccount {
  double start = std::numeric_limits<double>::quiet_NaN();
  double potential = 0.0;  ///< at the start
  double work = 0.0;       ///< since then
  double error = std::numeric_limits<double>::quiet_NaN();
  bool known = true;    ///< energy and work were finite so far
  bool driven = false;  ///< a constraint moved
};

/// What was seen along a run that its report does not hold, and its doubts need.
struct Observed {
  /// The most that a projection after a step took out of the velocities, in natural scales. It is in no error test:
  /// where nothing jumps, it is of the size of the error of the step.
  double taken_out = 0.0;
  double t_taken_out = 0.0;  ///< [s]
  /// Of fixed steps: what v gained and its accelerations do not explain, summed, in natural scales; 0: nobody looked.
  double steps_astray = 0.0;
  double velocity_gained = 0.0;  ///< all that v gained, likewise
  long tapered = 0;              ///< factorisations with a direction of the constraints neither lost nor kept
};

/// A run between two steps: all that another one, Stepper(system, checkpoint, options), needs to go on as this one
/// would have, to its tolerance; the integrator starts anew there, as after an event. As a file:
/// files/checkpoint_file.hpp.
struct Checkpoint {
  std::string version;        ///< of the library that made it
  SimulationOptions options;  ///< as asked, but for functions: `events` and `keep_going` are empty
  InitialState state;         ///< t, q, v
  double typical_position = 0.0;
  std::vector<std::string> positions;                      ///< names, by which the mechanism is known again
  std::vector<std::string> constraints;                    ///< names of all rows
  std::vector<std::pair<std::string, double>> parameters;  ///< system_parameters(); empty in files of older versions
  std::vector<bool> active;                                ///< for each row
  std::vector<std::pair<std::string, double>> inputs;
  std::vector<EventMemory> events;
  Report report;  ///< so far; `used` and what `start` says beyond its numbers are made anew
  EnergyAccount energy;
  Observed observed;
};

}  // namespace sunlagrange
