#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class Figures;

/// One order condition of an explicit Runge-Kutta method: what it demands and what a table has.
/// Orders 1 and 2: [002, (23)]; 3: [002, (28)]; 4: the eight conditions for R = 4, with the b_43 that the printed last
/// one lacks.
struct OrderCondition {
  int order = 0;
  std::string formula;  ///< e.g. "sum b_i a_ij c_j"
  double required = 0.0;
  double found = 0.0;  ///< c are the nodes or the row sums of A, whichever is further off

  double residual() const { return found - required; }
  bool holds() const;  ///< to 1e-10
};

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

  /// The conditions up to order 4, in ascending order. A, b and c must have their sizes (no shape complaint in
  /// problems()).
  std::vector<OrderCondition> order_conditions() const;

  /// The order the table really has for y' = F(t, y), as far as it is checked: 0 to 4, whatever `order` says. A table
  /// of order 5 or more is reported as 4.
  int order_found() const;

  /// R(z) = 1 + z b^T (I - z A)^-1 1, evaluated stage by stage.
  double stability_function(double z) const;

  /// R(Z) for a square matrix Z = tau K: one step on e' = K e with constant K is e <- R(tau K) e.
  Eigen::MatrixXd stability_function(const Eigen::MatrixXd& Z) const;

  /// Coefficients r_0 = 1, r_1, ..., r_s of R(z) = sum r_i z^i.
  std::vector<double> stability_coefficients() const;

  /// One step of the method from t to t + tau on e' = K(t) e is e <- growth e: what the method really does where
  /// [002, Theorems 3 to 5] have truncated series with K-dot. K is evaluated at t + c_i tau.
  Eigen::MatrixXd growth(const std::function<Eigen::MatrixXd(double)>& K, double t, double tau) const;

  /// The same with K given stage by stage, e.g. along the stages of a nonlinear step.
  Eigen::MatrixXd growth(const std::vector<Eigen::MatrixXd>& K, double tau) const;

  void describe(Figures& f);
};

/// Forward Euler, Heun's method, Kutta's third-order method, the classical fourth-order method: the fixed-step methods
/// of [002, Theorems 2 to 5].
const ButcherTable& rk1();
const ButcherTable& rk2();
const ButcherTable& rk3();
const ButcherTable& rk4();

}  // namespace sunlagrange
