#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Memory of somebody else as a vector: what SUNDIALS and the interfaces with pointers hand in.
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

inline VectorMap as_vector(double* x, Eigen::Index size) {
  return {x, size};
}
inline ConstVectorMap as_vector(const double* x, Eigen::Index size) {
  return {x, size};
}

}  // namespace sunlagrange::internal
