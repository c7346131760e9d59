#pragma once

#include <string>

#include <Eigen/Core>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// What errors of q at the end of a run are measured against.
struct EndReference {
  Eigen::VectorXd q;   ///< empty: no run for a reference finished, and `source` says why
  std::string source;  ///< in the words "against ..."
  /// Largest component by which two tight runs differ; 0: a reference of the mechanism's own; NaN: there is none.
  double uncertainty = 0.0;

  bool found() const { return q.size() > 0; }
};

/// The mechanism's own, else a tight run, held against a second one with another formulation and another method.
/// @throws Error if no method fits the mechanism
EndReference end_reference(const Problem& problem);

}  // namespace sunlagrange::program
