#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/checkpoint.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// A run in your hands: what simulate() does from its start to its end, one step at a time. For controllers, real-time
/// loops, co-simulation, and whatever else wants to look and to act on the way.
///
///     Stepper stepper(system, start, options);       // options.t_end: the latest that it may be asked for
///     while (stepper.time() < 2.0) {
///       stepper.set("motor", controller(stepper.read("arm.phi"), stepper.read("arm.phi'")));
///       if (!stepper.advance_to(stepper.time() + 0.01)) break;
///     }
///     const Simulation run = stepper.finish();
///
/// Inputs (Input, laws.hpp) are constant between two calls of set(). Where one changes, forces and accelerations jump:
/// a consistent state is sought (with options.start, as after an event), contacts and limits are looked at again, and
/// the integrator starts anew there, for one history does not fit both sides. That costs what an event costs; values
/// that do not change cost nothing.
///
/// Numerical outcomes never throw: step() and advance_to() return false, status() says why. A copy of the system's
/// inputs belongs to each Stepper, so that several may share one system, in several threads.
class Stepper {
 public:
  /// Starts as simulate() does. @throws Error as simulate(), and on estimate_error, which compares whole runs
  Stepper(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
          const SimulationOptions& options = {});

  /// Goes on where a run was saved; its trajectory begins there, its report goes on.
  /// @param options  those of the run, `checkpoint.options`, with the functions that it had: `events` by the same
  /// names, `keep_going`; another t_end, Record or formulation are welcome
  /// @throws Error naming what differs: coordinates, constraints, inputs, events
  Stepper(const std::shared_ptr<const MechanicalSystem>& system, const Checkpoint& checkpoint,
          const SimulationOptions& options);

  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  double time() const;           ///< [s] of the newest state
  const Status& status() const;  ///< finished, as long as nothing else is known
  bool over() const;             ///< options.t_end is reached, an event has stopped the run, or it has failed

  /// One accepted step of the integrator, as long as it likes. False: the run is over, and status() says why.
  /// @throws Error if an input that was set moves a position
  bool step();

  /// Steps that land on t; none if it is there already. True: arrived. With AtSingularity::project a crossing may lead
  /// beyond t.
  /// @param t  [s], not before time() nor beyond options.t_end
  /// @param observer  called after every accepted step; false: stay there, the run is not over
  /// @throws Error on such t, and as step()
  bool advance_to(double t, const std::function<bool(Stepper&)>& observer = {});

  std::vector<std::string> inputs() const;

  /// From time() on. @throws Error if there is no such input, or the value is not finite
  void set(const std::string& input, double value);

  /// What read() knows: coordinates "arm.phi", their rates "arm.phi'" and accelerations "arm.phi''", multipliers
  /// "lambda:pin.x" (sign: notation.hpp), "energy" [J] of a model that tells it, inputs, and of joints between blocks
  /// of a kind force and torque on each body, in ground axes, "force:pin:arm.x", "torque:pin:arm.z" (JointForce).
  std::vector<std::string> outputs();

  /// The value of an output at time(), with the inputs that are set now. @throws Error if there is none of this name
  double read(const std::string& output);

  /// All coordinates, rates, accelerations and multipliers at time(), multipliers of all rows, 0 where switched off.
  MotionState state();

  /// Everything that is needed to go on from here later, elsewhere or once more.
  Checkpoint save();

  /// Back (or forward) to a state of this run: of its trajectory what lies later is dropped, and what lies before is
  /// not copied. A state that no configuration allows ends the run, as a start does: finish() says so.
  /// @throws Error as the constructor; then nothing has happened
  void restore(const Checkpoint& checkpoint);

  /// Trajectory and report up to now; what the integrators counted but steps is known at the end.
  const Simulation& so_far() const;

  /// Ends the run and hands it out, with its doubts: of one that has not come to options.t_end the message says so.
  /// Nothing can be asked of the stepper afterwards.
  Simulation finish();

 private:
  struct Parts;
  Parts& parts() const;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sunlagrange
