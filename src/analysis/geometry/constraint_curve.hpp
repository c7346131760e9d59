// SPDX-License-Identifier: BSD-3-Clause
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

/// A point of the curve g = 0 in scaled coordinates.
struct CurvePoint {
  Eigen::VectorXd x;        ///< scaled coordinates
  Eigen::VectorXd tangent;  ///< unit tangent of the curve
  Eigen::MatrixXd polar;    ///< polar factor of [G; tangent^T]; its n columns are orthonormal
};

/// The curve g(t, q) = 0 at fixed t of a mechanism with one degree of freedom. A mechanism with several degrees of
/// freedom has such a curve while all driven coordinates but one are held.
class ConstraintCurve {
 public:
  ConstraintCurve(const std::shared_ptr<const MechanicalSystem>& system, int driven, const KinematicsOptions& options);

  /// Computes the scales at this state. Returns false if the model declines the point.
  bool begin(const MotionState& start);

  /// Makes `driven` the driven coordinate. The coordinates in `held` keep their values at x.
  void drive(int driven, const std::vector<int>& held, const Eigen::VectorXd& x);

  Eigen::VectorXd scaled(const Eigen::VectorXd& q) const { return q.cwiseQuotient(evaluate_.columns()); }
  Eigen::VectorXd unscaled(const Eigen::VectorXd& x) const { return x.cwiseProduct(evaluate_.columns()); }
  double s(const Eigen::VectorXd& x) const { return x[driven_] * evaluate_.columns()[driven_]; }
  double scaled_s(double s) const { return s / evaluate_.columns()[driven_]; }
  /// Returns true if s grows along the tangent.
  bool ahead(const CurvePoint& p) const { return p.tangent[driven_] > 0.0; }
  double t() const { return at_.t; }
  const MechanicalSystem& system() const { return evaluate_.system(); }

  /// Returns the number of degrees of freedom at x, or -1 if the model declines the point.
  int freedoms(const Eigen::VectorXd& x);
  const ScaledQuantities& quantities() const { return here_; }

  /// Returns the point at x with its tangent on the side of `direction`, or nothing if there is no single tangent or
  /// the model declines the point.
  std::optional<CurvePoint> point(const Eigen::VectorXd& x, const Eigen::VectorXd& direction);

  /// Newton's iteration for g = 0 and normal . x = value. Returns nothing if it does not converge fast.
  std::optional<Eigen::VectorXd> intersect(Eigen::VectorXd x, const Eigen::VectorXd& normal, double value);

  /// Returns true if g = 0 at the point evaluated last. Near a singular pose the rank policy may drop a row, which
  /// Newton's iteration then does not solve.
  bool satisfied() const;

  /// Returns the point where the plane at distance h along the tangent of `from` meets the curve, or nothing if the
  /// tangent turns by more than max_turn [rad] on the way.
  std::optional<CurvePoint> step(const CurvePoint& from, double h, double max_turn);

  /// Returns the point with its derivatives by s. They are NaN at a dead point, where [G; driven row] loses rank.
  KinematicPoint kinematic_point(const CurvePoint& p);

  /// Returns dq/ds for several driven coordinates, one column each while the others are held. Returns nothing if the
  /// coordinates cannot all be driven there, or the model declines the point.
  std::optional<Eigen::MatrixXd> rates(const Eigen::VectorXd& q, const std::vector<int>& driven);

  Eigen::VectorXd driven_axis() const { return Eigen::VectorXd::Unit(at_.q.size(), driven_); }

 private:
  bool evaluate(const Eigen::VectorXd& x);

  ScaledSystem evaluate_;
  SystemEvaluator terms_;
  int driven_;
  std::vector<int> held_;
  Eigen::VectorXd held_at_;
  double threshold_;
  double start_violation_ = 0.0;  // |g| at the start: redundant rows may contradict each other by that much
  MotionState at_;
  ScaledQuantities here_;
  Eigen::VectorXd row_scales_;  // of here_.G
};

/// Makes the curve of a system and returns the scaled configuration on it that is nearest to `first` with the driven
/// coordinates fixed. Returns nothing if there is none, or if the number of degrees of freedom differs from the number
/// of driven coordinates; `status` gives the reason.
/// @param driven  the first of these is driven, the others are held
/// @param advice  what the caller can do about further degrees of freedom, for the message
/// @throws Error, beginning with `who`, if a constraint prescribes a motion
std::optional<Eigen::VectorXd> begin_curve(std::optional<ConstraintCurve>& curve,
                                           const std::shared_ptr<const MechanicalSystem>& system, InitialState first,
                                           const std::vector<int>& driven, const KinematicsOptions& options,
                                           const std::string& who, const char* advice, Status& status);

/// Follows the curve from x, where s is the first value of the grid, through the other values of the grid.
void follow_curve(ConstraintCurve& curve, const Eigen::VectorXd& x, const std::vector<double>& grid,
                  const KinematicsOptions& options, Kinematics& result);

/// @throws Error, beginning with `who`, on a null system, a kinematic program, velocity constraints and options out of
///         range
void require_positions_alone(const std::shared_ptr<const MechanicalSystem>& system, const KinematicsOptions& options,
                             const std::string& who);

}  // namespace sunlagrange::internal
