#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/butcher_table.hpp>

namespace sunlagrange {

/// y' = F(t, y) with the error e(t, y) of its constraints, e = 0 on every exact motion. FirstOrderForm supplies both
/// for the mechanisms of this library; any other functions will do. Each sizes and fills `result`; false: the point is
/// declined.
struct ConstrainedFlow {
  using Function = std::function<bool(double t, const Eigen::VectorXd& y, Eigen::VectorXd& result)>;
  Function rhs;
  Function error;
};

/// One step of an explicit Runge-Kutta method. False: a stage was declined.
bool runge_kutta_step(const ButcherTable& table, const ConstrainedFlow::Function& rhs, double t, double step,
                      const Eigen::VectorXd& y, Eigen::VectorXd& result);

/// One step of an explicit Runge-Kutta method, linearised at a point (t, y) of a motion by central differences.
struct StepMap {
  Eigen::MatrixXd change;      ///< Y' = d y(t + step) / d y(t), size(y) square
  Eigen::MatrixXd error;       ///< E = de/dy at (t, y), size(e) x size(y)
  Eigen::MatrixXd next_error;  ///< the same where the step ends
  Eigen::VectorXd next;        ///< where the step ends

  /// What the step makes of a small constraint error, e(t + step) = S e(t), S = next_error Y' D (E D)^-1; size(e)
  /// square. For constant dynamics e' = K e and short steps S -> R(step K), R the stability function of the method.
  /// When not: for a run of many steps, see error_growth().
  /// @param D  size(y) x size(e): directions that leave the constraints, e.g. FirstOrderForm::leaving_directions; only
  /// their span
  ///           matters. Empty: E^T, whose span depends on the units of y.
  /// @throws Error if the directions do not leave the constraints independently
  Eigen::MatrixXd on_errors(const Eigen::MatrixXd& D = {}) const;
};

/// False: a point of the step, or one next to it, was declined.
/// @throws Error if the table is no method or a function is missing
bool step_map(const ButcherTable& table, const ConstrainedFlow& flow, double t, double step, const Eigen::VectorXd& y,
              StepMap& result);

/// Growth of a small constraint error over a sequence of steps: of A_k = W E_k Y'_k ... Y'_1 D (E_0 D)^-1 W^-1.
struct ErrorGrowth {
  /// Largest |A_k| of the second half of the steps over the largest of the first half, |A_0| = 1 included. Below 1: the
  /// error dies out; a transient at the start does not matter. Infinite: beyond all numbers.
  double halves = 0.0;

  double peak = 0.0;  ///< largest |A_k|; 1 is the start
};

/// Decides about a fixed-step run along this motion with these gains, in place of the R(step K) of
/// [002, Theorems 2 to 5], which is its limit for short steps. Products of on_errors() would not do: an error moves the
/// motion, the moved motion makes another truncation error, and where R is near +1, the eigenvalue of motions along the
/// constraints (at the boundary of methods of even order), that shifts the boundary by several per cent.
/// Which motion: a run is off its constraints by its own truncation error, which grows as 1 / (1 - R) towards the
/// boundary. Linearise along the run itself for the boundary of that run, along the exact motion for what holds at
/// short steps. When not: for an answer that holds for all motions use the conditions on K.
/// @param maps     of the steps 1 ... N in the order of time, N at least 2
/// @param D        as in StepMap::on_errors(), at the first point
/// @param weights  W: positive, one per entry of e; they make entries of different units comparable, and matter little
/// @throws Error if there are fewer than 2 maps or sizes do not fit
ErrorGrowth error_growth(const std::vector<StepMap>& maps, const Eigen::VectorXd& weights,
                         const Eigen::MatrixXd& D = {});

}  // namespace sunlagrange
