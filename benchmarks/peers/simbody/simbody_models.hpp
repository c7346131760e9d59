// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "method.hpp"

namespace sunlagrange::peers {

/// Mechanisms as someone who knows Simbody sets them up, in relative coordinates, loops closed by as few rows as there
/// are: n_four_bar (pins on the ground and at the tips; two rows a loop), closed_chain (pins from link to link; two
/// rows), andrews (three loops, two rows each), pendulum (one pin, no row).
struct SimbodyRun {
  std::string mechanism;
  int size;
  std::string integrator;  ///< runge_kutta_merson, runge_kutta_feldberg, cpodes_bdf
  double accuracy, t_end;  ///< t_end in s
  double cpu_limit;        ///< [s] of processor time, after which it is given up
};

/// @return the same values in the same order as `values_of` reads off a run of the library
Ending run_simbody(const SimbodyRun& run);

/// Simbody stands in a module of its own: its CPodes has vectors of an old SUNDIALS under the names of the new ones,
/// and in one program either would get the other's. The function of the module:
extern "C" void sunlagrange_run_simbody(const SimbodyRun* run, Ending* ending);

}  // namespace sunlagrange::peers
