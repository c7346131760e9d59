// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/motion_state.hpp>

#include <sunlagrange/base/figures.hpp>

namespace sunlagrange {

void MotionState::describe(Figures& f) {
  f("t", t, "s", "time");
  f("q", q, "unit of q", "positions");
  f("v", v, "unit of v", "velocities");
  f("a", a, "unit of v / s", "accelerations v'");
  f("lambda", lambda, "unit of lambda", "multipliers; the force of the constraints is -G^T lambda");
}

}  // namespace sunlagrange
