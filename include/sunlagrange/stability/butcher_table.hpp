#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

/// An explicit Runge-Kutta method: c | A over b, row by row; order p; optional embedded weights of order p_hat.
struct ButcherTable {
  std::string name;
  int order = 0;
  std::vector<double> c;
  std::vector<std::vector<double>> A;
  std::vector<double> b;

  int stages() const { return static_cast<int>(b.size()); }

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
