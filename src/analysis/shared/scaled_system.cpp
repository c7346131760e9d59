// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/shared/scaled_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "consistency/constraint_rows.hpp"
#include "linear_solver/rank/jacobian_scales.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string prescribed_motion(const MechanicalSystem& system, const ScaledQuantities& at_rest) {
  for (Eigen::Index i = 0; i < at_rest.g_rate.size(); ++i) {
    if (std::max(std::abs(at_rest.g_rate[i]), std::abs(at_rest.gamma[i])) > 1e-12)
      return system.constraint_name(static_cast<int>(i));
  }
  return "";
}

ScaledSystem::ScaledSystem(std::shared_ptr<const MechanicalSystem> system)
    : system_(std::move(system)),
      workspace_(make_workspace(*system_, Storage::dense)),
      rows_(VectorXd::Ones(system_->num_constraints())),
      columns_(system_->natural_scales()) {}

bool ScaledSystem::find_scales(double t, const VectorXd& q, const VectorXd& v) {
  RowEvaluator evaluate(*system_);
  ConstraintRows here;
  if (!evaluate(t, q, v, here)) return false;
  if (system_->num_constraints() == 0) return true;
  JacobianScales scales(evaluate.jacobian());
  scales.balance(here.G.data(), here.speed);
  rows_ = scales.rows();
  columns_ = scales.columns();
  return true;
}

bool ScaledSystem::evaluate(const MotionState& state, ScaledQuantities& out) {
  Workspace& w = *workspace_;
  const Point point{state.t, state.q.data(), state.v.data(), state.a.data(), state.lambda.data()};
  if (!evaluate_system(*system_, request::acceleration_level | request::tangent, point, w)) return false;
  const auto of_coordinates = [this](const PatternMatrix& A) -> MatrixXd {
    return columns_.asDiagonal() * A.dense() * columns_.asDiagonal();
  };
  const auto of_rows = [this](const PatternMatrix& A) -> MatrixXd {
    return rows_.asDiagonal() * A.dense() * columns_.asDiagonal();
  };
  out = {of_coordinates(w.M),
         of_rows(w.G),
         columns_.cwiseProduct(w.f),
         rows_.head(w.g.size()).cwiseProduct(w.g),
         rows_.cwiseProduct(w.g_rate),
         rows_.cwiseProduct(w.gamma),
         of_coordinates(w.r_q),
         of_coordinates(w.r_v),
         of_rows(w.V_q),
         of_rows(w.A_q),
         of_rows(w.A_v)};
  const double sum = out.M.sum() + out.G.sum() + out.f.sum() + out.g.sum() + out.g_rate.sum() + out.gamma.sum() +
                     out.r_q.sum() + out.r_v.sum() + out.V_q.sum() + out.A_q.sum() + out.A_v.sum();
  return std::isfinite(sum);
}

double ScaledSystem::threshold(const LinearSolverOptions& options) const {
  return rank_threshold_for(system_->num_constraints(), options.rank_threshold);
}

}  // namespace sunlagrange::internal
