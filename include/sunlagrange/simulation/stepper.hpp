// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/checkpoint.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// A run that advances step by step, for controllers, real-time loops and co-simulation. It does what simulate() does,
/// and between the steps the application reads outputs and sets inputs:
///
/// @code
/// Stepper stepper(system, start, options);
/// while (!stepper.over()) {
///   stepper.set("motor", -0.2 * stepper.read("arm.phi'"));
///   if (!stepper.advance_to(std::min(stepper.time() + 0.01, options.t_end))) break;
/// }
/// const Simulation controlled = stepper.finish();
/// @endcode
///
/// Inputs u (Input, laws.hpp) are constant between two calls of set(). If one changes, f(t, q, v, u) and v' jump in
/// M v' + G^T lambda = f: the run seeks a consistent state (with options.start, as after an event), handles contacts
/// and limits, and restarts the integrator there, because its history does not fit both sides. That costs as much as an
/// event; unchanged values cost nothing.
///
/// Numerical failures do not throw: step() and advance_to() return false, and status() has the reason. Each Stepper has
/// its own copy of the inputs, so several may share one system, in several threads.
class Stepper {
 public:
  /// Starts as simulate() does. @throws Error as simulate(), and on estimate_error, which compares whole runs
  Stepper(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
          const SimulationOptions& options = {});

  /// Continues a saved run. The trajectory begins there, the report is continued.
  /// @param options  those of the run, `checkpoint.options`, with its functions: `events` of the same names,
  /// `keep_going`; t_end, Record and formulation may differ
  /// @throws Error naming what differs: coordinates, constraints, inputs, events
  Stepper(const std::shared_ptr<const MechanicalSystem>& system, const Checkpoint& checkpoint,
          const SimulationOptions& options);

  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  double time() const;           ///< time of the newest state [s]
  const Status& status() const;  ///< finished, unless the run has failed
  bool over() const;             ///< true at options.t_end, after an event that stops the run, and after a failure

  /// Makes one accepted step, whose length the integrator chooses. Returns false if the run is over; status() says why.
  /// @throws Error if an input that was set moves a position
  bool step();

  /// Makes steps up to t; none if time() is t. Returns true if t is reached. With AtSingularity::project a crossing may
  /// lead beyond t.
  /// @param t  [s], not before time() nor beyond options.t_end
  /// @param observer  called after every accepted step; if it returns false, the run stays there and is not over
  /// @throws Error if t is outside that range, and as step()
  bool advance_to(double t, const std::function<bool(Stepper&)>& observer = {});

  /// Returns the names that set() accepts: of elements that are an Input or whose law is one, "motor", "load.x".
  std::vector<std::string> inputs() const;

  /// Sets an input from time() on. @throws Error if there is no such input, or the value is not finite
  void set(const std::string& input, double value);

  /// Returns the names that read() accepts: coordinates "arm.phi", their rates "arm.phi'" and accelerations
  /// "arm.phi''", multipliers "lambda:pin.x" (sign: notation.hpp), "energy" [J] if the model gives it, inputs, and for
  /// joints between blocks of one kind the force and torque on each body in ground axes, "force:pin:arm.x",
  /// "torque:pin:arm.z" (JointForce).
  std::vector<std::string> outputs();

  /// Returns an output at time(), with the inputs as they are set. @throws Error if there is none of this name
  double read(const std::string& output);

  /// Returns q, v, v' and the multipliers of all rows at time(); multipliers are 0 where a row is switched off.
  MotionState state();

  /// Returns everything that is needed to continue from here.
  Checkpoint save();

  /// Goes back (or forward) to a saved state of this run. Later states of the trajectory are dropped. A state that
  /// cannot be made consistent ends the run, as at a start; finish() has the reason.
  /// @throws Error as the constructor; the run is unchanged then
  void restore(const Checkpoint& checkpoint);

  /// Returns trajectory and report up to now. Of the counts of the integrator only `steps` is known before the end.
  const Simulation& so_far() const;

  /// Ends the run, judges it and returns it. The message says so if options.t_end was not reached. The stepper cannot
  /// be used afterwards.
  Simulation finish();

 private:
  struct Parts;
  Parts& parts() const;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sunlagrange
