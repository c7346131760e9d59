// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "formulation/formulation.hpp"
#include "model/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// Error weights and first step of DAE forms, for IDA, IDAS and radau, from one tolerance of the user. The absolute
/// tolerances are atol s for q and atol s / T for v, with natural scales s and the time scale T. The tolerance of a
/// multiplier in the equations of motion is the error that changes q or v by their tolerances in one step, by
/// B = M^-1 G^T with lumped M, in which coordinates without inertia have the largest one (assign_missing_masses). The
/// tolerance of a multiplier that no other equation contains is relative.
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
  /// weight_k = 1 / (e max(|lambda_1|, ..., |lambda_m|, typical)) for multipliers that no other equation contains, so
  /// that the motion does not depend on them. e is rtol, or at least 1e-4 if rank is lost: multipliers of dependent
  /// rows have least norm, which has fewer correct digits than forces and accelerations.
  /// @param typical  typical_multiplier() of the start
  void separate_multipliers(const double* lambda, bool lost_rank, double typical, double* weight) const;

  /// Returns the step [s] whose second-order term in q is 0.005 of the tolerance, at most 1e-3 of the interval. The
  /// choice of IDA depends on the time of the first output, and fails by rounding.
  double initial_step() const { return initial_step_; }

  const Scales& scales() const { return scales_; }

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  int n_;
  ErrorTolerances tolerances_;
  double rtol_, atol_;
  Scales scales_;
  double initial_step_;
  Eigen::VectorXd mass_, row_sum_;
};

/// Returns max(|lambda|, |f| / |G|) of the start, with largest entries, or one if both vanish.
double typical_multiplier(const FormulationInput& input);

}  // namespace sunlagrange::internal
