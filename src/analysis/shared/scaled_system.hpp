#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// What the equations consist of at a state, in coordinates q = D x and rows R (g, psi) in which the rank of G is
/// decided: no units are left, forces are D f, multipliers R^-1 lambda. Tangents as in Workspace.
struct ScaledQuantities {
  Eigen::MatrixXd M, G;
  Eigen::VectorXd f, g, g_rate, gamma;
  Eigen::MatrixXd r_q, r_v, V_q, A_q, A_v;
};

/// Evaluates them; the scales are those of the point of find_scales(), from then on. One instance per thread.
class ScaledSystem {
 public:
  explicit ScaledSystem(std::shared_ptr<const MechanicalSystem> system);

  /// False if the model declines the point or is not finite there.
  bool find_scales(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// In the units of the model. The same.
  bool evaluate(const MotionState& state, ScaledQuantities& out);

  const MechanicalSystem& system() const { return *system_; }
  const Eigen::VectorXd& columns() const { return columns_; }  ///< D
  const Eigen::VectorXd& rows() const { return rows_; }        ///< R

  /// Of squared relative singular values, for all rows.
  double threshold(const LinearSolverOptions& options) const;

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd rows_, columns_;
};

}  // namespace sunlagrange::internal
