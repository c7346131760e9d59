#pragma once

#include <string>

#include <Eigen/Core>

#include "shared/problem.hpp"

namespace sunlagrange::bench {

/// What errors of q at the end of a run are measured against.
struct EndReference {
  Eigen::VectorXd q;
  std::string source;
  double uncertainty =
      0.0;  ///< largest component by which two tight runs differ; 0: a reference of the mechanism's own
};

/// The mechanism's own, else a tight run, held against a second one with another formulation and another method.
/// @throws Error if there is none
EndReference end_reference(const Problem& problem);

}  // namespace sunlagrange::bench
