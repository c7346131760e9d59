// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// The terms of the equations of motion at a state, without units: in the coordinates q = D x and rows R (g, psi) in
/// which the rank of G is decided. Forces are D f, multipliers R^-1 lambda. Tangents are named as in Workspace.
struct ScaledQuantities {
  Eigen::MatrixXd M, G;
  Eigen::VectorXd f, g, g_rate, gamma;
  Eigen::MatrixXd r_q, r_v, V_q, A_q, A_v;
};

/// Returns the name of a row that prescribes a velocity or an acceleration at a state of rest, or an empty string.
std::string prescribed_motion(const MechanicalSystem& system, const ScaledQuantities& at_rest);

/// Evaluates ScaledQuantities. Use one instance per thread.
class ScaledSystem {
 public:
  explicit ScaledSystem(std::shared_ptr<const MechanicalSystem> system);

  /// Computes the scales D and R at a point. Returns false if the model declines it or is not finite there.
  bool find_scales(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// Evaluates at a state in the units of the model. Returns false as find_scales().
  bool evaluate(const MotionState& state, ScaledQuantities& out);

  const MechanicalSystem& system() const { return *system_; }
  const Eigen::VectorXd& columns() const { return columns_; }  ///< D
  const Eigen::VectorXd& rows() const { return rows_; }        ///< R

  /// Returns the rank threshold for squared relative singular values of all rows.
  double threshold(const LinearSolverOptions& options) const;

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd rows_, columns_;
};

}  // namespace sunlagrange::internal
