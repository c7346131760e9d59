// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

constexpr double tightest_tolerance = 1e-14;  ///< smallest rtol of a companion

/// A second run, several times as accurate as the run whose error is estimated: its settings, and what is known of its
/// error.
struct Companion {
  SimulationOptions options;
  std::vector<double> ends;     ///< prescribed ends of its steps [s]; empty: its own step control
  bool other_family = false;    ///< another family of integrators: its error is independent of that of the run
  bool one_step = false;        ///< the same one-step method: its order gives `share`
  double share = 0.0;           ///< part of the error of the run that is left in the companion
  std::size_t meets_every = 1;  ///< one of its steps ends together with every so many steps of the run
  std::string name;
};

/// Returns true if most steps of a run with step control were as long as allowed.
bool longest_step_decides(const Report& run);

/// Returns the companions in the order in which they are tried; the first that reaches the end is compared.
/// @param o     validated options of the run
/// @param run   its formulation and integrator are known, also if they were automatic
/// @param ends  of the steps of the run [s]
std::vector<Companion> companions_of(const MechanicalSystem& system, const SimulationOptions& o, const Simulation& run,
                                     const std::vector<double>& ends);

/// Runs a companion. The trajectory has the states at the start and at the given times, as far as the run came.
/// @param times  [s] increasing, the last is the end of the run. @throws Error as simulate()
Simulation run_companion(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                         const Companion& companion, const std::vector<double>& times);

}  // namespace sunlagrange::internal
