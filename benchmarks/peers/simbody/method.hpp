// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/parts/processor_time.hpp"

/// Description of a program in a comparison.
namespace sunlagrange::peers {

using program::cpu_seconds;

/// The end of one run.
struct Ending {
  std::vector<double> values;  ///< compared with the reference: x and y of points [m], or angles [rad]
  long steps = 0;              ///< accepted
  long evaluations = 0;        ///< evaluations of the right-hand side, or of accelerations
  std::string failure;         ///< why it does not count; empty: it does
  bool doubted = false;        ///< the failure is a doubt about an end that was reached: tighter tolerances may do
};

/// One way to run a mechanism; a run is timed with everything that it sets up.
struct Method {
  std::string program;  ///< "Simbody", "by hand", "sunlagrange": the fastest method of each is compared
  std::string name;
  std::vector<double> tolerances;  ///< that are tried, from loose to tight
  std::function<Ending(double tolerance)> run;
};

}  // namespace sunlagrange::peers
