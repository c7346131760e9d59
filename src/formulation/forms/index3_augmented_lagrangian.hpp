// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "consistency/manifold.hpp"
#include "formulation/formulation.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/newton_blocks.hpp"

namespace sunlagrange::internal {

/// The trapezoidal rule with g = 0 and psi = 0 at the end of each step, and projections of v and a. The equations are
/// at make_index3_augmented_lagrangian(). y = (q, v, lambda), y' = (v, a, 0); the next step starts with this a.
class Index3AugmentedLagrangian final : public OneStepFormulation {
 public:
  explicit Index3AugmentedLagrangian(const FormulationInput& input);

  /// Calls iterate() and project().
  EvaluationResult step(double t, double h, double* y, double* yp) override;

  /// Advances by one step without the projections. One such step has second order; many of them diverge, because the
  /// violation of v and a grows.
  EvaluationResult iterate(double t, double h, double* y, double* yp);

  /// Moves v and a of the point at time t onto the constraints, with the matrix of the last iteration.
  EvaluationResult project(double t, double* y, double* yp);

  std::vector<Fact> statistics() const override;
  FormulationCounts counts() const override { return blocks_->counts(); }
  std::string linear_solver_description() const override { return blocks_->solver_description(); }

 private:
  double size_of(const double* x) const;  // natural_size() of n entries
  bool evaluate(unsigned what, double t, const double* y, const double* yp);
  EvaluationResult correction(double t, bool fresh, const double* y, const double* yp);
  EvaluationResult project_velocities(double t, double* y);
  EvaluationResult project_accelerations(double t, const double* y, double* yp);

  int n_, m_, m_g_;
  std::shared_ptr<const MechanicalSystem> system_;
  LinearSolverOptions options_;
  Compliance compliance_;
  double position_scale_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<NewtonBlocks> blocks_;
  CoordinateSizes sizes_;
  ManifoldNewton newton_;
  double gamma_ = 0.0;  // h / 2 of the current step
  Eigen::VectorXd q_start_, v_start_, a_start_;
  Eigen::VectorXd top_, bottom_;
  long steps_ = 0, iterations_ = 0, most_iterations_ = 0;
};

}  // namespace sunlagrange::internal
