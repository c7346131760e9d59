// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// Template of an integrator: an explicit Runge-Kutta method with fixed steps, here the strong-stability-preserving one
/// of order 3. Automatic gains, stability maps and order tests read its table.
///
/// Another kind of integrator is a class derived from IntegratorStepper, named by `entry.make =
/// make_stepper<MyStepper>`; one_step_stepper.cpp is the shortest. State when to use the integrator and when not.
IntegratorEntry make_recipe_integrator() {
  static const ButcherTable table{
      "SSP3", 3, {0.0, 1.0, 0.5}, {{}, {1.0}, {0.25, 0.25}}, {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0}};
  return fixed_step_runge_kutta(&table, "");
}

}  // namespace sunlagrange::internal
