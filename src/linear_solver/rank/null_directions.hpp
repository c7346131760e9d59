// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/factors.hpp"

namespace sunlagrange::internal {

/// Finds the directions u with G^T u = 0 to rounding, with the factors of a matrix in which every row has a compliance
/// d_i > 0. In the metric of d they are eigendirections of (S + diag(d))^-1 with eigenvalue one, and all other
/// eigenvalues are smaller. Inverse iteration finds one direction after the other.
class NullDirections {
 public:
  /// @param most  largest useful number of directions; the search ends with one more
  NullDirections(int n, int m, int most) : n_(n), m_(m), most_(most) {}

  /// Finds the directions. Those of the last call are tried first.
  /// @param weakness  returns |G^T u|^2 relative to the largest
  /// @return number of directions, at most most + 1
  int find(Factors& factors, const double* row_compliance, const std::function<double(const double* u)>& weakness);

  /// The directions one after the other, each of length m.
  const double* directions() const { return found_.data(); }

 private:
  double* direction(int l) { return found_.data() + static_cast<std::ptrdiff_t>(l) * m_; }
  bool iterate(int l, Factors& factors, const double* row_compliance,
               const std::function<double(const double* u)>& weakness);

  int n_, m_, most_;
  SignedVector<double> found_, u_, top_;
};

}  // namespace sunlagrange::internal
