// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_algebra/symmetric_eigen.hpp"

namespace sunlagrange::internal {

/// The directions u in the span of a few given ones at which u^T A u / u^T diag(w) u is stationary (Rayleigh-Ritz
/// method). They are eigendirections if the span contains these; their quotients have errors of second order.
class RitzDirections {
 public:
  /// @param m     length of a direction
  /// @param most  largest number of given directions
  RitzDirections(int m, int most);

  /// Computes a basis of the span of k directions, orthonormal in diag(weight).
  void span(int k, const double* given, const double* weight);
  int size() const { return k_; }
  const double* basis(int l) const { return basis_.data() + l * m_; }

  /// Finds the directions.
  /// @param form  k x k, lower triangle: A between the vectors of the basis
  void find(const double* form);

  /// The same with A between the given directions.
  void find_from_given(const double* form);

  double quotient(int l) const;  ///< the l-th smallest quotient, not negative
  int count_below(double value) const;
  const double* direction(int l) const { return directions_.data() + l * m_; }

  /// Returns the row with the largest share |u_i| sqrt(w_i) in direction l.
  int row(int l) const;

 private:
  int m_, k_ = 0;
  SymmetricEigen eigen_;
  SignedVector<double> basis_, directions_, root_;
  SignedVector<double> from_given_, scratch_, form_;  // basis = given x from_given_
};

}  // namespace sunlagrange::internal
