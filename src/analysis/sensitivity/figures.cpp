// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/base/figures.hpp>

/// The descriptions of sensitivities and gradients.
namespace sunlagrange {

void SensitivityPoint::describe(Figures& f) {
  state.describe(f);
  f("dq", q, "unit of q over unit of p", "dq/dp, n x p");
  f("dv", v, "unit of v over unit of p", "dv/dp, n x p");
  f("da", a, "unit of v / s over unit of p", "dv'/dp, n x p");
  f("dlambda", lambda, "unit of lambda over unit of p", "dlambda/dp, m x p");
}

void EventSensitivity::describe(Figures& f) {
  f("t", t, "s", "time of the event");
  f("name", name, "name of the event");
  f("dt", dt, "s over unit of p", "dt/dp; none where the root is grazed");
}

void Sensitivities::describe(Figures& f) {
  status.describe(f);
  f("parameters", parameters, "parameters of the columns; start values are called q(x), v(x)");
  f.table("points", points, "states and their derivatives at the times that were reached");
  f("events", events, "events and the derivatives of their times");
  f("constraint_error", constraint_error, "1", "largest entry of G dq/dp + dg/dp relative to its terms");
  f("rtol", rtol, "1", "relative tolerance of the motion");
  f("atol", atol, "unit of q and v", "absolute tolerance of the motion");
  f("steps", steps, "accepted steps");
  f("rhs_evaluations", rhs_evaluations, "evaluations of the right-hand side");
  f("sensitivity_evaluations", sensitivity_evaluations, "evaluations of the sensitivity equations");
  f("wall_seconds", wall_seconds, "s", "wall time");
}

void Gradient::describe(Figures& f) {
  status.describe(f);
  f("value", value, "unit of J", "value of the functional J");
  f("parameters", parameters, "parameters of the entries; start values are called q(x), v(x)");
  f("gradient", gradient, "unit of J over unit of p", "dJ/dp");
  f("end", end, "state at the end of the motion");
  f("steps", steps, "accepted steps of the motion");
  f("rhs_evaluations", rhs_evaluations, "evaluations of the right-hand side");
  f("checkpoints", checkpoints, "segments that were integrated twice");
  f("backward_steps", backward_steps, "accepted steps of the adjoint");
  f("adjoint_evaluations", adjoint_evaluations, "evaluations of the adjoint equations");
  f("linearisations", linearisations, "points at which tangents were evaluated");
  f("parameter_evaluations", parameter_evaluations, "evaluations of the derivatives by the parameters");
  f("wall_seconds", wall_seconds, "s", "wall time");
}

}  // namespace sunlagrange
