#pragma once

#include <cstddef>
#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/rank/ritz_directions.hpp"

namespace sunlagrange::internal {

/// Solves [M G^T; G -C] where it has lost rank, with the factors of a matrix that has not: in one row for each lost
/// direction the multiplier gets the compliance d_i, about the diagonal of the Schur complement S = G M^-1 G^T + C,
///
///     K' = [ M   G^T            ]     E = columns sqrt(d_i) e_i of the relaxed rows.
///          [ G   -(C + E E^T)   ]
///
/// W = (S + E E^T)^-1 E spans the lost directions: it holds every u with S u = 0, whatever E is. Within it S is known
/// without another product, W^T S W = P - P^2 with P = E^T W. Weak directions, an orthonormal basis U, then border the
/// matrix,
///
///     [ M   G^T  0 ] [ a      ]   [ f ]
///     [ G   -C   U ] [ lambda ] = [ b ]      c = 0 first; then, for directions that are not lost altogether,
///     [ 0   U^T  0 ] [ s      ]   [ c ]      c = w(x) times the c for which s = 0
///
/// so that lambda is the smallest and a leaves the smallest Euclidean norm of G a - b: the papers' generalised inverse,
/// with accelerations and multipliers that do not jump where a direction is lost. One solve with the factors of K' for
/// a right-hand side; two for each relaxed row with every factorisation.
class LostDirections {
 public:
  static constexpr int most = 16;

  LostDirections(int n, int m);

  /// @param d  length m, of which the entries of the relaxed rows are taken
  void relax(const SignedVector<int>& rows, const double* d);
  int relaxed() const { return static_cast<int>(rows_.size()); }

  /// Compliance lent to the rows; nullptr: none.
  const double* row_compliance() const { return rows_.empty() ? nullptr : row_compliance_.data(); }

  /// W with the factors of K'.
  void solve_responses(Factors& factors);
  const double* responses() const { return w_.lambda.data(); }
  const double* form() const { return form_.data(); }  ///< W^T S W

  /// Rows in which the first `count` of the directions are told apart best.
  SignedVector<int> best_rows(const RitzDirections& directions, int count, const double* d);

  /// Borders K' with the first `weak` of the directions. Call solve_responses() before.
  /// @param limit    eigenvalue from which on a direction is not weak: x = eigenvalue / limit
  /// @param largest  eigenvalue, that of rounding is relative to
  /// @return false if the border is singular to rounding
  bool border(Factors& factors, const RitzDirections& directions, int weak, double limit, double largest);

  /// Instead of a border: the relaxed rows hold exactly lost directions, G^T u = 0. What b asks of them is left out,
  /// and lambda has no share in them. Where masses lie far apart W is known only to rounding times their ratio.
  void project(const RitzDirections& directions);

  /// The same with no row relaxed: `count` directions, one after the other, each of length m.
  void project(int count, const double* directions);

  /// The bordered or projected solution. Without either that of K'.
  void solve(Factors& factors, double* top, double* bottom);

  /// w(x) = x^3 (4 - 3 x) for x < 1, else 1: continuously differentiable, and w(x) / x is quadratic at 0.
  static double taper(double x) { return x < 1.0 ? x * x * x * (4.0 - 3.0 * x) : 1.0; }

 private:
  /// Solutions of K' for several right-hand sides.
  struct Solutions {
    SignedVector<double> a, lambda;
  };

  void prepare();
  const double* basis_vector(const double* direction, int l);
  double* column(SignedVector<double>& x, int size, int k) { return x.data() + static_cast<std::ptrdiff_t>(k) * size; }

  int n_, m_;
  SignedVector<int> rows_;
  SignedVector<double> row_compliance_, root_;  // d of the relaxed rows, zero elsewhere; sqrt(d) of each relaxed row
  Solutions w_, v_;                             // for E and for U
  SignedVector<double> form_, basis_;           // W^T S W; U
  int weak_ = 0, free_ = 0;      // directions in the border; the first `free_` of them are lost altogether
  bool removes_ = false;         // no border
  SignedVector<double> weight_;  // w of each
  SignedVector<double> border_, unit_, s_of_c_, x_;  // the small matrix; its solutions for unit c
  SignedVector<int> border_pivot_, s_pivot_;
};

}  // namespace sunlagrange::internal
