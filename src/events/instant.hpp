// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/consistency/velocity_jump.hpp>

#include "base/words.hpp"
#include "events/state.hpp"

namespace sunlagrange::internal {

/// Contacts of a run and the tolerances with which they are resolved.
struct Contacts {
  VelocityJumpOptions jump;
  Tolerances tolerances;
  double step = 0.0;              ///< step of integrators with fixed steps [s]
  double typical_position = 0.0;  ///< largest natural_size(q) at the start and at events
  double way_ahead = 0.0;         ///< size of q that the run will reach, if it starts near q = 0
  std::vector<int> rows;          ///< rows of the full system: contacts, which can only push

  /// Returns the tolerance of the gap of a row at the state: sum_j |G_ij| s_j (atol + rtol natural_size(q)).
  double gap_tolerance(EventState& state, int row) const {
    return state.gradient_sum(row) * (tolerances.atol + tolerances.rtol * state.size());
  }
};

/// Outcome of the handlers of one instant.
struct Instant {
  explicit Instant(const Contacts& all) : contacts(&all) {}

  const Contacts* contacts;
  bool changed = false;      ///< the state or the active constraints have changed: the run restarts
  std::string done;          ///< actions of the present handler, in words
  std::vector<int> pressed;  ///< rows that the present handler left open although a force presses them shut
  bool stopped = false;
  Status status;            ///< if stopped
  std::vector<bool> fired;  ///< the events that took part
  double work = 0.0;        ///< energy that changes of velocity brought in [J]
  double drift = 0.0;       ///< violation of the velocities before
  bool settled = false;     ///< a new consistent state was found
  bool input_set = false;   ///< an action has set an input: positions must not move

  void begin_handler() {
    changed = false;
    done.clear();
    pressed.clear();
  }
  void add(const std::string& words) { append_word(done, words); }
  /// Ends the run. The first reason counts.
  void stop(Outcome outcome, const std::string& message) {
    if (!stopped) status = {outcome, message};
    stopped = true;
  }
  bool failed() const { return stopped && !status.finished(); }
};

/// Projects the velocities onto the active constraints, as in a plastic impact. Returns false, and stops the instant,
/// if that is not possible.
bool project_velocities(EventState& state, Instant& instant);

}  // namespace sunlagrange::internal
