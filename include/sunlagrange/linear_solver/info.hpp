// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace sunlagrange {

/// Properties of a linear solver.
struct LinearSolverInfo {
  std::string_view name;     ///< filled by the registry
  std::string_view summary;  ///< filled by the registry
  bool available = false;    ///< built in; filled by the registry
  bool sparse = false;       ///< reads sparse patterns; false: full ones
  std::string_view missing;  ///< the library that a build without it lacks, and how to install it
};

}  // namespace sunlagrange
