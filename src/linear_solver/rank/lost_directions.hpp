// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/rank/ritz_directions.hpp"

namespace sunlagrange::internal {

/// Solves [M G^T; G -C] if it has lost rank, with the factors of a regular matrix K' [Keller1977]: one row for each
/// lost direction is relaxed, its multiplier gets the compliance d_i, about the diagonal of the Schur complement S = G
/// M^-1 G^T + C,
///
///     K' = [ M   G^T            ]     E = columns sqrt(d_i) e_i of the relaxed rows.
///          [ G   -(C + E E^T)   ]
///
/// The responses W = (S + E E^T)^-1 E span the lost directions: the span contains every u with S u = 0, for any E. S in
/// this span needs no further product: W^T S W = P - P^2 with P = E^T W. An orthonormal basis U of weak directions then
/// borders the matrix,
///
///     [ M   G^T  0 ] [ a      ]   [ f ]
///     [ G   -C   U ] [ lambda ] = [ b ]      c = 0 first; then, for directions that are tapered,
///     [ 0   U^T  0 ] [ s      ]   [ c ]      c = w(x) times the c for which s = 0
///
/// so that lambda has the least norm and G a - b the least Euclidean norm. This is the generalised inverse of the
/// papers, with accelerations and multipliers that are continuous where a direction is lost. A right-hand side costs
/// one solve with the factors of K', a factorisation two more for each relaxed row. The norm of lambda may have weights
/// w_i > 0, sum w_i lambda_i^2: then the last row of the matrix is U^T diag(w) for redundant rows, whose multipliers
/// are a choice. In a singular pose least norm is a part of the motion, and has no weights.
class LostDirections {
 public:
  static constexpr int most = 16;

  LostDirections(int n, int m);

  /// Sets the relaxed rows.
  /// @param d  compliances, length m; those of the relaxed rows are used
  void relax(const SignedVector<int>& rows, const double* d);
  int relaxed() const { return static_cast<int>(rows_.size()); }

  /// Returns the compliance of every row, zero in rows that are not relaxed; nullptr: no row is relaxed.
  const double* row_compliance() const { return rows_.empty() ? nullptr : row_compliance_.data(); }

  /// Computes W with the factors of K'.
  void solve_responses(Factors& factors);
  const double* responses() const { return w_.lambda.data(); }
  const double* form() const { return form_.data(); }  ///< W^T S W

  /// Returns the rows that distinguish the first `count` directions best.
  SignedVector<int> best_rows(const RitzDirections& directions, int count, const double* d);

  /// Borders K' with the first `weak` directions. Call solve_responses() before.
  /// @param limit    eigenvalue above which a direction is not weak: x = eigenvalue / limit
  /// @param largest  largest eigenvalue, which rounding is relative to
  /// @param redundant  number of directions that are lost everywhere: the norm of lambda along these has the weights
  /// @param weights    length m; null: all are 1
  /// @return false if the border is singular to rounding
  bool border(Factors& factors, const RitzDirections& directions, int weak, double limit, double largest, int redundant,
              const double* weights);

  /// Replaces the border by a projection, for null directions G^T u = 0: solve() removes them from b and from lambda.
  /// For masses far apart, where W has errors of rounding times their ratio.
  /// @param weights  as for border()
  void project(const RitzDirections& directions, const double* weights);

  /// The same without relaxed rows. `directions`: `count` directions of length m, one after the other.
  void project(int count, const double* directions, const double* weights);

  /// Solves the bordered or projected system; without border and projection the system with K'.
  void solve(Factors& factors, double* top, double* bottom);

  /// Removes the components along the weak directions from x, length m.
  void remove(double* x);

  /// w(x) = x^3 (4 - 3 x) for x < 1, else 1: continuously differentiable, and w(x) / x is quadratic at 0.
  static double taper(double x) { return x < 1.0 ? x * x * x * (4.0 - 3.0 * x) : 1.0; }

 private:
  /// Solutions of K' for several right-hand sides.
  struct Solutions {
    SignedVector<double> a, lambda;
  };

  void prepare();
  const double* basis_vector(const double* direction, int l, const double* weights);
  void find_removal(const double* weights);
  double* column(SignedVector<double>& x, int size, int k) { return x.data() + static_cast<std::ptrdiff_t>(k) * size; }

  int n_, m_;
  SignedVector<int> rows_;
  SignedVector<double> row_compliance_, root_;  // d in relaxed rows, else zero; sqrt(d) of each relaxed row
  Solutions w_, v_;                             // for E and for U
  SignedVector<double> form_, basis_;           // W^T S W; U
  SignedVector<double> weighted_;               // diag(w) U
  bool has_weights_ = false;                    // of a projection
  int weak_ = 0, free_ = 0;      // directions in the border; the first free_ are lost, the others tapered
  bool removes_ = false;         // projection instead of a border
  SignedVector<double> weight_;  // w of each
  SignedVector<double> border_, unit_, s_of_c_, x_;  // the small matrix; its solutions for unit c
  SignedVector<int> border_pivot_, s_pivot_;
};

}  // namespace sunlagrange::internal
