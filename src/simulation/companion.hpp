#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

constexpr double tightest_tolerance = 1e-14;  // no integrator takes less

/// The run beside a run, several times as accurate: how it is made, and what is known of its error.
struct Companion {
  SimulationOptions options;
  std::vector<double> ends;     ///< [s] of its steps, whatever their error; empty: its own
  bool other_family = false;    ///< of integrators; its error has nothing to do with that of the run
  bool one_step = false;        ///< the order of the method, the same as that of the run, tells the share
  double share = 0.0;           ///< of the error of the run that is left in it
  std::size_t meets_every = 1;  ///< a step of its ends with so many of the run
  std::string name;
};

/// Of a run with step control: most steps were as long as allowed.
bool longest_step_decides(const Report& run);

/// In the order in which they are tried: the first that gets to the end is compared. @param o  of the run, validated
/// @param run   whose formulation and integrator they take after, also where they were automatic
/// @param ends  [s] of the steps of the run
std::vector<Companion> companions_of(const MechanicalSystem& system, const SimulationOptions& o, const Simulation& run,
                                     const std::vector<double>& ends);

/// States are kept at the start and at the given times, as far as it came.
/// @param times  [s] increasing, the last is the end of the run. @throws Error as simulate()
Simulation run_companion(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                         const Companion& companion, const std::vector<double>& times);

}  // namespace sunlagrange::internal
