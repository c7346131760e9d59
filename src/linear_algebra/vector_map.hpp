// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Memory of SUNDIALS or of a caller as a vector.
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

using Complex = std::complex<double>;
template <class Scalar>
using VectorOf = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// Complex numbers are pairs of real ones in memory.
inline const Complex* as_complex(const double* pairs) {
  return reinterpret_cast<const Complex*>(pairs);
}
inline Complex* as_complex(double* pairs) {
  return reinterpret_cast<Complex*>(pairs);
}

inline VectorMap as_vector(double* x, Eigen::Index size) {
  return {x, size};
}
inline ConstVectorMap as_vector(const double* x, Eigen::Index size) {
  return {x, size};
}
inline Eigen::Map<VectorOf<Complex>> as_vector(Complex* x, Eigen::Index size) {
  return {x, size};
}

}  // namespace sunlagrange::internal
