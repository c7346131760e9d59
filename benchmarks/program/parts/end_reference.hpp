// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// The reference for errors of q at the end of a run.
struct EndReference {
  Eigen::VectorXd q;   ///< empty if no run for a reference finished; `source` then has the reason
  std::string source;  ///< words behind "against"
  /// Largest component of the difference of two tight runs; 0 for a reference of the mechanism; NaN if there is none.
  double uncertainty = 0.0;

  bool found() const { return q.size() > 0; }
};

/// Returns the reference of the mechanism, or else a tight run, which is compared with a second one of another
/// formulation and another method.
/// @throws Error if no method fits the mechanism
EndReference end_reference(const Problem& problem);

}  // namespace sunlagrange::program
