// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

/// Two objects, Of<double> and Of<Complex>, for the two types of shifts of Newton systems.
template <template <class> class Of>
class RealAndComplex {
 public:
  /// Makes both with the same arguments.
  template <class... Arguments>
  explicit RealAndComplex(const Arguments&... arguments) : real_(arguments...), complex_(arguments...) {}

  template <class Scalar>
  Of<Scalar>& of() {
    if constexpr (std::is_same_v<Scalar, double>)
      return real_;
    else
      return complex_;
  }
  template <class Scalar>
  const Of<Scalar>& of() const {
    return const_cast<RealAndComplex*>(this)->template of<Scalar>();
  }

 private:
  Of<double> real_;
  Of<Complex> complex_;
};

}  // namespace sunlagrange::internal
