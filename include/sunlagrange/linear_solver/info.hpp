#pragma once

#include <string_view>

namespace sunlagrange {

/// What is known of a linear solver without making one.
struct LinearSolverInfo {
  std::string_view name;     ///< filled by the registry
  std::string_view summary;  ///< filled by the registry
  bool available = false;    ///< built in; filled by the registry
  bool sparse = false;       ///< wants sparse patterns (else full ones)
  std::string_view missing;  ///< what a build without it lacks, and how to get that
};

}  // namespace sunlagrange
