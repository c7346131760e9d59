// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "method.hpp"

namespace sunlagrange::peers {

/// At most `limit` [ms] and at least so many times faster than the other programs; 0: not asked.
struct Goals {
  double milliseconds = 0.0;
  double times_simbody = 0.0, times_klu = 0.0;
};

/// One mechanism, one span of time, one error.
struct Case {
  std::string name;
  double error;  ///< largest of all values at the end that counts
  Goals goals;
  std::function<std::vector<double>()> reference;
  std::string reference_source;
  std::vector<Method> methods;
};

/// @param limit  [s] of processor time after which a run of Simbody is given up
std::vector<Case> cases(double limit);

}  // namespace sunlagrange::peers
