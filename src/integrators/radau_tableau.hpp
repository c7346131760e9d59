// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

/// Radau IIA of order 5 [HairerWanner1996, IV.5, table 5.6]: collocation at three nodes, the last of them at the end of
/// the step. With the increments Z_i = Y_i - y_0 the stages are h Y'_i = sum_j (A^-1)_ij Z_j.
struct RadauTableau {
  static constexpr int stages = 3;
  template <class Scalar>
  using Numbers = std::array<Scalar, stages>;

  Numbers<double> c;               ///< nodes
  Numbers<double> top;             ///< 1 / (c_i (c_i - c_j) (c_i - c_k)), of L_i below
  Numbers<Numbers<double>> A;      ///< a_ij
  Numbers<Numbers<double>> A_inv;  ///< A^-1

  /// A^-1 has the eigenvalues gamma, mu, conj(mu). With the left and right eigenvectors l_ and u_, scaled to l u = 1,
  ///     A^-1 = u gamma l + 2 Re(u_mu mu l_mu),
  /// so that the Newton system of the three stages falls into a real and a complex one [HairerWanner1996, IV.8].
  double gamma;
  Complex mu;
  Numbers<double> left, right;
  Numbers<Complex> left_mu, right_mu;

  /// y_0 + h (f(y_0) / gamma + sum_i b_i f(Y_i)) is of order 3; its difference to y_1 is sum_i e_i Z_i + h f(y_0) /
  /// gamma [HairerWanner1996, IV (8.17), (8.18)]; error[i] = gamma e_i.
  Numbers<double> error;

  /// L_i(s): the cubic that is 1 at node i, 0 at the others and at s = 0; the collocation polynomial is
  /// y_0 + sum_i L_i(s) Z_i at time t_0 + s h.
  Numbers<double> interpolation(double s) const;
  Numbers<double> interpolation_slope(double s) const;  ///< dL_i/ds
};

const RadauTableau& radau_tableau();

}  // namespace sunlagrange::internal
