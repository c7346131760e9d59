// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/expected_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>

#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

double allowed_violation(const Accuracy& promised, ConstraintAccuracy held, double tolerance) {
  const AccuracyThresholds& c = accuracy_threshold;
  const double most = held == ConstraintAccuracy::drifts        ? c.drift
                      : held == ConstraintAccuracy::to_rounding ? c.rounding
                                                                : c.tolerances * tolerance;
  return std::clamp(most, c.rounding, c.drift) + c.alterations * promised.altered_motion;
}

ExpectedAccuracy::ExpectedAccuracy(const MechanicalSystem& of_system, const Report& of_run,
                                   const SimulationOptions& resolved)
    : system(of_system),
      report(of_run),
      used(resolved),
      promised(find_formulation(used.formulation).accuracy),
      fixed_step(find_integrator(used.integrator).fixed_step) {
  const AccuracyThresholds& c = accuracy_threshold;
  const double tolerance = used.atol + used.rtol * report.max_position;
  const double at_rest =
      std::clamp(c.rest_of_size * std::max(report.max_position, 1.0) / tolerance, c.rest_noise, c.tolerances);
  rest_displacement = at_rest * tolerance;
  moves = report.max_displacement_in_tolerances > at_rest;
}

double ExpectedAccuracy::violation(ConstraintAccuracy held, double size) const {
  return allowed_violation(
      promised, held, fixed_step ? std::numeric_limits<double>::infinity() : std::max(used.rtol, used.atol / size));
}

double ExpectedAccuracy::velocity_violation(ConstraintAccuracy held) const {
  return std::max(violation(held, report.max_velocity),
                  accuracy_threshold.tolerances * used.atol / report.max_velocity);
}

bool ExpectedAccuracy::law_varies() const {
  return !std::isnan(report.error_growth);
}

std::string ExpectedAccuracy::gains() const {
  return std::string(find_formulation(used.formulation).feedback_of(system));
}

std::string ExpectedAccuracy::remedy(ConstraintAccuracy held) const {
  if (fixed_step) {
    if (!has_gains()) return "shorten the step";
    return "shorten the step, or change " + gains() + ": step x " + (gains() == "K_N" ? "" : "rate of ") + gains() +
           " must stay inside the stability region";
  }
  if (promised.altered_motion > 0.0) {
    const char* of_start = used.gains.Lambda.automatic() ? ", which is chosen for the loads of the start," : "";
    return std::string("Lambda") + of_start + " may be too soft for those of the motion: raise it, or take baumgarte";
  }
  if (!system.motion_law().has_forces) return "tighten the tolerances" + (has_gains() ? ", or raise " + gains() : "");
  if (held == ConstraintAccuracy::drifts)
    return "take a formulation that does not let them drift: baumgarte, ggl, projected";
  return std::string("tighten the tolerances, ") + (has_gains() ? "raise its gains, " : "") +
         "or take another formulation";
}

void Doubts::add_if_above(DoubtKind kind, double value, double bound, std::string found) {
  if (value <= bound) return;
  found += " (" + text(value) + ", at most " + text(bound) + " expected)";
  list.push_back({kind, value, bound, std::move(found)});
}

}  // namespace sunlagrange::internal

namespace sunlagrange {

double fixed_step_violation_bound(std::string_view formulation) {
  const Accuracy promised = internal::find_formulation(formulation).accuracy;
  return internal::allowed_violation(promised, promised.positions, std::numeric_limits<double>::infinity());
}

}  // namespace sunlagrange
