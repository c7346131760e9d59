#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/model/system_evaluator.hpp>

#include "analysis/shared/scaled_system.hpp"

namespace sunlagrange::internal {

/// A point of the curve g = 0 in scaled coordinates, with its unit tangent and the polar factor of [G; tangent^T],
/// whose n columns are orthonormal.
struct CurvePoint {
  Eigen::VectorXd x, tangent;
  Eigen::MatrixXd polar;
};

/// The curve g(q) = 0, t fixed, of a mechanism with one degree of freedom; of one with several, where all driven
/// coordinates but one are held.
class ConstraintCurve {
 public:
  ConstraintCurve(const std::shared_ptr<const MechanicalSystem>& system, int driven, const KinematicsOptions& options);

  /// Finds the scales there. False: declined.
  bool begin(const MotionState& start);

  /// Drives this coordinate from now on, and holds the others where they are at x.
  void drive(int driven, const std::vector<int>& held, const Eigen::VectorXd& x);

  Eigen::VectorXd scaled(const Eigen::VectorXd& q) const { return q.cwiseQuotient(evaluate_.columns()); }
  Eigen::VectorXd unscaled(const Eigen::VectorXd& x) const { return x.cwiseProduct(evaluate_.columns()); }
  double s(const Eigen::VectorXd& x) const { return x[driven_] * evaluate_.columns()[driven_]; }
  double scaled_s(double s) const { return s / evaluate_.columns()[driven_]; }
  double along(const CurvePoint& p) const { return p.tangent[driven_]; }
  double t() const { return at_.t; }
  const MechanicalSystem& system() const { return evaluate_.system(); }

  /// Degrees of freedom at x that nothing holds; -1: declined.
  int freedoms(const Eigen::VectorXd& x);
  const ScaledQuantities& quantities() const { return here_; }

  /// The point at x, its tangent on the side of `before`. Nothing: no single tangent, or declined.
  std::optional<CurvePoint> point(const Eigen::VectorXd& x, const Eigen::VectorXd& before);

  /// Newton's iteration onto g = 0 and normal . x = value.
  std::optional<Eigen::VectorXd> onto(Eigen::VectorXd x, const Eigen::VectorXd& normal, double value);

  /// Whether g = 0 where it was last looked: near a singular pose a row may count as lost.
  bool holds() const;

  /// The point at arc length h from `from`, nearly. Nothing: too far.
  std::optional<CurvePoint> step(const CurvePoint& from, double h, double max_turn);

  /// With derivatives by s; NaN at a dead point, where s and the constraints lose rank together.
  KinematicPoint describe(const CurvePoint& p);

  /// dq/ds of several coordinates, a column for each while the others stand. Nothing: not all can move so, or declined.
  std::optional<Eigen::MatrixXd> rates(const Eigen::VectorXd& q, const std::vector<int>& driven);

  Eigen::VectorXd driven_axis() const { return Eigen::VectorXd::Unit(at_.q.size(), driven_); }

 private:
  bool look(const Eigen::VectorXd& x);

  ScaledSystem evaluate_;
  SystemEvaluator terms_;
  int driven_;
  std::vector<int> held_;
  Eigen::VectorXd held_at_;
  double threshold_, violation_ = 0.0;  // of the start, where redundant rows contradict each other
  MotionState at_;
  ScaledQuantities here_;
  Eigen::VectorXd row_scales_;  // of here_.G
};

/// The curve of a system, and the scaled configuration nearest to `first` that is on it, its fixed positions kept.
/// Nothing: `status` says why (no configuration, or not one degree of freedom for each driven coordinate).
/// @param driven  the first one is driven, the others are held
/// @param beyond  what the caller may do about freedoms beyond these
/// @throws Error, beginning with `who`, if a constraint prescribes a motion
std::optional<Eigen::VectorXd> begin_curve(std::optional<ConstraintCurve>& curve,
                                           const std::shared_ptr<const MechanicalSystem>& system, InitialState first,
                                           const std::vector<int>& driven, const KinematicsOptions& options,
                                           const std::string& who, const char* beyond, Status& status);

/// Follows the curve from x, where s is the first value of the grid, from value to value.
void follow_curve(ConstraintCurve& curve, const Eigen::VectorXd& x, const std::vector<double>& grid,
                  const KinematicsOptions& options, Kinematics& result);

/// @throws Error, beginning with `who`: null, a program, velocity constraints, options out of range
void require_positions_alone(const std::shared_ptr<const MechanicalSystem>& system, const KinematicsOptions& options,
                             const std::string& who);

}  // namespace sunlagrange::internal
