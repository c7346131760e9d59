// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/parts/real_and_complex.hpp"

namespace sunlagrange::internal {

/// The two parts of the right-hand side of a block system.
template <class Scalar>
struct RightHandSides {
  RightHandSides(Eigen::Index n, Eigen::Index m) : top(n), bottom(m) {}
  VectorOf<Scalar> top, bottom;
};

/// True if all entries are zero, as b_q of an integrator that knows q' = v.
template <class Vector>
bool vanishes(const Vector& x) {
  return (x.array() == typename Vector::Scalar(0.0)).all();
}

}  // namespace sunlagrange::internal
