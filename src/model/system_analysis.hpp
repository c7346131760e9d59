// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>

#include <sunlagrange/internal/quantities.hpp>

namespace sunlagrange::internal {

class RowForces;

/// Properties of the structure of a system, found at the first use and shared by all threads.
struct SystemAnalysis {
  std::once_flag patterns_found;
  std::shared_ptr<const SystemPatterns> patterns;  ///< sparse

  std::once_flag panels_found;
  std::shared_ptr<const void> panels;  ///< panels of the linear solver: linear_solver/factors/panels.hpp, a room below

  std::once_flag row_forces_found;
  std::shared_ptr<const RowForces> row_forces;
};

}  // namespace sunlagrange::internal
