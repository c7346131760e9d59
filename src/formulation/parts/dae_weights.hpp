#pragma once

#include <vector>

#include "formulation/formulation.hpp"
#include "gains/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// Error weights and first step that make IDA work on mechanisms, in the units of the problem: the user states one
/// tolerance; atol s holds for q, atol s / T for v, in natural scales s. A multiplier may be as wrong as changes q or v
/// by their tolerances in one step, which B = M^-1 G^T (M lumped) says.
class DaeWeights {
 public:
  explicit DaeWeights(const FormulationInput& input);

  /// 1 / (rtol |q_i| + atol s_i)
  void positions(const double* q, double* weight) const;
  /// 1 / (rtol |v_i| + atol s_i / T)
  void velocities(const double* v, double* weight) const;
  /// weight_k = factor x rms_i(state_weight_i B_ik), for rows first <= k < last; 1 / atol where that is zero.
  void multipliers(const Workspace& w, const double* state_weight, double factor, int first, int last, double* weight);

  /// The step whose second-order term in q is 0.005 of the tolerance, at most 1e-3 of the interval. IDA's own choice
  /// depends on where the first output is wanted, and dies on rounding.
  double initial_step() const { return initial_step_; }

  const Scales& scales() const { return scales_; }

 private:
  int n_;
  ErrorTolerances tolerances_;
  double atol_;
  Scales scales_;
  double initial_step_;
  Eigen::VectorXd row_sum_;
};

}  // namespace sunlagrange::internal
