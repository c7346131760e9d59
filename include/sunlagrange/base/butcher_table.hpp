// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

class Figures;

/// One order condition of an explicit Runge-Kutta method: the required value and the value of a table.
/// Orders 1 and 2: [002, (23)]; 3: [002, (28)]; 4: the eight conditions for R = 4, with the b_43 that the printed last
/// one lacks.
struct OrderCondition {
  int order = 0;          ///< 1 to 4
  std::string formula;    ///< e.g. "sum b_i a_ij c_j"
  double required = 0.0;  ///< right-hand side, e.g. 1/6
  double found = 0.0;     ///< left-hand side with the nodes or the row sums of A as c, whichever is further off

  /// 0 if the condition holds exactly.
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
  bool free_nodes = false;  ///< c differs from the row sums of A on purpose; this matters only if f depends on t

  /// Number of stages s, the length of b.
  int stages() const { return static_cast<int>(b.size()); }

  /// Returns the reasons why the table is no explicit Runge-Kutta method of its order, one sentence each; empty if
  /// there are none. Checked are sizes, finite entries, A strictly lower triangular, c_i = sum_j a_ij (unless
  /// free_nodes), and the order conditions up to order 4 [002, (23) and (28)] to 1e-10; beyond order 2 only if c are
  /// the row sums. Conditions beyond order 4 are not checked.
  std::vector<std::string> problems() const;

  /// Returns the length of the real stability interval: the largest z with |R(-x)| <= 1 for all 0 <= x <= z, where R is
  /// the stability function. Accurate to 1e-9, by bisection.
  double real_stability_limit() const;

  /// Returns the conditions up to order 4, in ascending order. A, b and c must have the right sizes, see problems().
  std::vector<OrderCondition> order_conditions() const;

  /// Returns the order of the table for y' = F(t, y) by its conditions, 0 to 4, whatever `order` states. A table of
  /// order 5 or more returns 4.
  int order_found() const;

  /// Returns R(z) = 1 + z b^T (I - z A)^-1 1, evaluated stage by stage.
  double stability_function(double z) const;

  /// Returns R(Z) for a square matrix Z = tau K: one step on e' = K e with constant K is e <- R(tau K) e.
  Eigen::MatrixXd stability_function(const Eigen::MatrixXd& Z) const;

  /// Returns the coefficients r_0 = 1, r_1, ..., r_s of R(z) = sum r_i z^i.
  std::vector<double> stability_coefficients() const;

  /// Returns the matrix of one step of the method on e' = K(t) e from t to t + tau: e <- growth e. [002, Theorems 3 to
  /// 5] have truncated series with K-dot instead. K is evaluated at t + c_i tau.
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
