#pragma once

#include <type_traits>

#include "linear_algebra/vector_map.hpp"

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

/// Returns the one of the type of the last argument.
template <class Scalar>
RightHandSides<Scalar>& right_hand_sides(RightHandSides<double>& real, RightHandSides<Complex>& complex, Scalar) {
  if constexpr (std::is_same_v<Scalar, double>)
    return real;
  else
    return complex;
}

}  // namespace sunlagrange::internal
