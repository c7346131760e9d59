#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

/// An explicit Runge-Kutta method: c | A over b, row by row; order p. Rows of A may end before the diagonal.
struct ButcherTable {
  std::string name;
  int order = 0;
  std::vector<double> c;
  std::vector<std::vector<double>> A;
  std::vector<double> b;
  bool free_nodes = false;  ///< c is meant to differ from the row sums of A; for f without t it makes no difference

  int stages() const { return static_cast<int>(b.size()); }

  /// What keeps the table from being an explicit Runge-Kutta method of its order, one complaint each; empty: nothing.
  /// Sizes, finite entries, A strictly lower triangular, c_i = sum_j a_ij (unless free_nodes), and the order conditions
  /// up to order 4 [002, (23) and (28)] to 1e-10; beyond order 2 only if c are the row sums. Conditions beyond order 4
  /// are not checked.
  std::vector<std::string> problems() const;

  /// Real stability interval: the largest z with |R(-x)| <= 1 for all 0 <= x <= z, R the method's own stability
  /// function. Found by evaluation and bisection, accurate to 1e-9.
  double real_stability_limit() const;

  /// R(z) = 1 + z b^T (I - z A)^-1 1, evaluated stage by stage.
  double stability_function(double z) const;
};

/// Forward Euler, Heun's method, Kutta's third-order method, the classical fourth-order method: the fixed-step methods
/// of [002, Theorems 2 to 5].
const ButcherTable& rk1();
const ButcherTable& rk2();
const ButcherTable& rk3();
const ButcherTable& rk4();

}  // namespace sunlagrange
