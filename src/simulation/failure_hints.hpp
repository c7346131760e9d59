// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/simulation/simulate.hpp>

#include "integrators/stepper.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

// Likely reasons of a failure, as parts of its message. Each function returns an empty text if its reason is unlikely.

/// A singular pose shortly before makes steps tiny.
std::string near_singular_pose(const SimulationOptions& options, const Report& report);

/// Inertias far apart: multipliers that move the heavy parts round off what Newton's iteration looks for in the light
/// ones.
std::string inertias_far_apart(const SimulationOptions& options, const SampledPath& path);

/// More redundant directions than the linear solver treats one by one: Newton's iteration of forms with multipliers of
/// two kinds may fail.
std::string many_redundant_directions(const SimulationOptions& options, const SampledPath& path);

/// The start violates constraints: forms with multipliers that ask for g = 0 or g' = 0 have no solution beside it.
std::string violated_start(const SimulationOptions& options, const Report& report);

/// The end lies so far ahead that the first step, which integrators derive from the length of the run, is too long.
std::string end_far_away(const SimulationOptions& options, const Report& report);

/// Entries of the model that are not finite shortly behind the last state, if the last failure was that.
std::string entries_not_finite_ahead(IntegratorStepper& stepper, const SampledPath& path, double t_end);

/// The energy has come or gone without work, as much as there is: the run diverges, and longer steps make it worse.
std::string diverges(const Report& report);

/// The status of a run that has made all its steps.
Status too_many_steps(const SimulationOptions& options, IntegratorStepper& stepper, double last_step,
                      const MechanicalSystem& system, const Report& report);

/// The status of a step that ended beyond the largest number, though every evaluation on the way was finite.
Status beyond_numbers(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

}  // namespace sunlagrange::internal
