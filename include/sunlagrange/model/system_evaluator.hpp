// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

class Figures;

/// The quantities of the equations of a system at one point (t, q, v), as dense matrices:
///
///     M v' + G^T lambda = f,     G v' = gamma     with     g = 0,  (g', psi) = 0  on the constraints.
///
/// Symbols, units and signs: notation.hpp. Rows: (g, psi), named by MechanicalSystem::constraint_name. For a kinematic
/// program M is the identity, f the tangential velocity, and there are rows of g only.
struct SystemQuantities {
  double t = 0.0;
  Eigen::MatrixXd M;       ///< n x n, symmetric
  Eigen::VectorXd f;       ///< n: applied and gyroscopic forces, N or N m; no constraint forces
  Eigen::VectorXd g;       ///< m_g
  Eigen::VectorXd g_rate;  ///< (g', psi) at this v, m
  Eigen::MatrixXd G;       ///< m x n: dg/dq over dpsi/dv
  Eigen::VectorXd gamma;   ///< m: g'' = G v' - gamma, psi' = G v' - gamma

  /// finished, or model_error if the model declined the point; then only t is set.
  Status status;

  /// Describes every figure once (base/figures.hpp).
  void describe(Figures& f);
};

/// Evaluates a system at any number of points, e.g. along a Trajectory; the set-up costs about one evaluation. One
/// instance per thread. When not: for constraint forces (ReactionEvaluator), for single elements (power_balance), or as
/// the right-hand side of an integrator of your own (attach_cvode and its relatives, which keep M and G sparse).
class SystemEvaluator {
 public:
  /// @throws Error if the system is null, or too large for dense matrices
  explicit SystemEvaluator(const std::shared_ptr<const MechanicalSystem>& system);
  SystemEvaluator(SystemEvaluator&&) noexcept;
  SystemEvaluator& operator=(SystemEvaluator&&) noexcept;
  ~SystemEvaluator();

  /// @param q, v  length n each; v empty: at rest
  /// @throws Error on wrong sizes; what the model throws
  SystemQuantities at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sunlagrange
