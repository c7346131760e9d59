// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linear_solver/rank/power_iteration.hpp"

namespace sunlagrange::internal {

/// Lanczos method for the largest eigenvalue of a symmetric positive operator, without reorthogonalisation: lost
/// orthogonality repeats eigenvalues and changes none. It needs about the square root of the steps of power iteration,
/// and serves where a value must not jump from one matrix to the next.
class Lanczos {
 public:
  /// @param size  order of the operator
  explicit Lanczos(int size);

  /// Returns the eigenvalue, from below. The first vector is that of fill_start_vector(). No allocation.
  /// @param apply  called with u of length `size`: u <- A u
  /// @return not-a-number or infinite if A u is
  template <class Apply>
  double largest_eigenvalue(Apply&& apply) {
    start();
    double value = 0.0;
    while (steps_ < most_steps) {
      next_ = vector_;
      apply(next_.data());
      const bool last = !add_step();
      if (!last && steps_ % steps_per_check != 0) continue;
      const double before = value;
      value = largest_of_tridiagonal(before);
      if (last || !(value - before > tolerance * value)) break;
    }
    return value;
  }

 private:
  static constexpr int most_steps = 200, steps_per_check = 8;
  static constexpr double tolerance = 1e-12;

  void start();
  bool add_step();  ///< Returns false if the vectors span an invariant space, or are not finite.
  bool has_eigenvalue_above(double x) const;
  double largest_of_tridiagonal(double at_least) const;

  int steps_ = 0;
  SignedVector<double> vector_, previous_, next_;  // next_ becomes A vector_ less its parts along the other two
  SignedVector<double> diagonal_, beside_;         // of the tridiagonal matrix T
};

}  // namespace sunlagrange::internal
