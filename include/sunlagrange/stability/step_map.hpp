// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/butcher_table.hpp>

namespace sunlagrange {

/// A program y' = F(t, y) with the constraint error e(t, y), which is zero on every exact motion. FirstOrderForm
/// supplies both for mechanisms. Each function sizes and fills `result` and returns false if the point is declined.
struct ConstrainedFlow {
  /// Returns false if the point is declined.
  using Function = std::function<bool(double t, const Eigen::VectorXd& y, Eigen::VectorXd& result)>;
  Function rhs;    ///< F(t, y)
  Function error;  ///< e(t, y)
};

/// Takes one step of an explicit Runge-Kutta method. Returns false if a stage was declined.
bool runge_kutta_step(const ButcherTable& table, const ConstrainedFlow::Function& rhs, double t, double step,
                      const Eigen::VectorXd& y, Eigen::VectorXd& result);

/// One step of an explicit Runge-Kutta method, linearised by central differences at a point (t, y) of a motion.
struct StepMap {
  Eigen::MatrixXd change;      ///< Y' = d y(t + step) / d y(t), size(y) square
  Eigen::MatrixXd error;       ///< E = de/dy at (t, y), size(e) x size(y)
  Eigen::MatrixXd next_error;  ///< de/dy at the end of the step
  Eigen::VectorXd next;        ///< y at the end of the step

  /// Returns S, size(e) square, that maps a small constraint error to the one after the step: S = next_error Y' D (E
  /// D)^+. For constant dynamics e' = K e and short steps S -> R(step K), where R is the stability function of the
  /// method. Rows that depend on others restrict the errors to the range of E D, on which S acts; S is zero on the
  /// rest. When not to use it: for a run of many steps, see error_growth().
  /// @param D  size(y) x size(e): directions that leave the constraints, e.g. FirstOrderForm::leaving_directions();
  ///           only their span matters. Default: E^T, whose span depends on the units of y.
  /// @throws Error if no direction leaves the constraints
  Eigen::MatrixXd on_errors(const Eigen::MatrixXd& D = {}) const;
};

/// Computes the step map. Returns false if a point of the step, or one next to it, was declined.
/// @throws Error if the table is no method or a function is missing
bool step_map(const ButcherTable& table, const ConstrainedFlow& flow, double t, double step, const Eigen::VectorXd& y,
              StepMap& result);

/// Growth of a small constraint error over a sequence of steps, with A_k = W E_k Y'_k ... Y'_1 D (E_0 D)^+ W^-1 on the
/// range of W E_0 D, which contains all errors of redundant rows.
struct ErrorGrowth {
  /// Largest |A_k| of the second half of the steps over the largest of the first half, including |A_0| = 1. Below 1 the
  /// error decays, whatever transient there is at the start. Infinite on overflow.
  double halves = 0.0;

  double peak = 0.0;  ///< largest |A_k|, relative to 1 at the start
};

/// Computes the growth of an error in a fixed-step run along this motion with these gains. The R(step K) of [002,
/// Theorems 2 to 5] is its limit for short steps. Products of on_errors() would neglect that an error moves the motion,
/// which changes the truncation error. Where R is near +1, the eigenvalue of motions along the constraints (at the
/// boundary of methods of even order), this shifts the boundary by several per cent.
/// The truncation error of a run moves it off its constraints; it grows as 1 / (1 - R) towards the boundary. Linearise
/// along the run itself for the boundary of that run, and along the exact motion for the limit of short steps.
/// When not to use it: for a result that holds for all motions, use the conditions on K.
/// @param maps     of the steps 1 ... N in the order of time, N at least 2
/// @param D        as in StepMap::on_errors(), at the first point
/// @param weights  W: positive, one per entry of e, which make entries of different units comparable
/// @throws Error if there are fewer than 2 maps or sizes do not fit
ErrorGrowth error_growth(const std::vector<StepMap>& maps, const Eigen::VectorXd& weights,
                         const Eigen::MatrixXd& D = {});

}  // namespace sunlagrange
