#pragma once

#include <vector>

#include "formulation/formulation.hpp"
#include "model/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// Error weights and first step of DAE forms, for IDA, IDAS and radau, from one tolerance of the user. The absolute
/// tolerances are atol s for q and atol s / T for v, with natural scales s and the time scale T. The tolerance of a
/// multiplier is the error that changes q or v by their tolerances in one step, by B = M^-1 G^T with lumped M.
class DaeWeights {
 public:
  explicit DaeWeights(const FormulationInput& input);

  /// 1 / (rtol |q_i| + atol s_i)
  void positions(const double* q, double* weight) const;
  /// 1 / (rtol |v_i| + atol s_i / T)
  void velocities(const double* v, double* weight) const;
  /// weight_k = factor x rms_i(state_weight_i B_ik) for rows first <= k < last, or factor / atol where the mean is
  /// zero.
  void multipliers(const Workspace& w, const double* state_weight, double factor, int first, int last, double* weight);

  /// Returns the step [s] whose second-order term in q is 0.005 of the tolerance, at most 1e-3 of the interval. The
  /// choice of IDA depends on the time of the first output, and fails by rounding.
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
