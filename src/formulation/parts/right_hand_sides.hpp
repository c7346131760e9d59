#pragma once

#include <type_traits>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

/// Scratch for the two halves of a block system.
template <class Scalar>
struct RightHandSides {
  RightHandSides(Eigen::Index n, Eigen::Index m) : top(n), bottom(m) {}
  VectorOf<Scalar> top, bottom;
};

/// Nothing but zeros: an integrator that knows q' = v leaves b_q = 0.
template <class Vector>
bool vanishes(const Vector& x) {
  return (x.array() == typename Vector::Scalar(0.0)).all();
}

/// Of the two, the one of this type.
template <class Scalar>
RightHandSides<Scalar>& right_hand_sides(RightHandSides<double>& real, RightHandSides<Complex>& complex, Scalar) {
  if constexpr (std::is_same_v<Scalar, double>)
    return real;
  else
    return complex;
}

}  // namespace sunlagrange::internal
