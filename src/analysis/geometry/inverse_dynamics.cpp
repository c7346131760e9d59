// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/shared/one_coordinate.hpp"
#include "analysis/shared/row_space.hpp"
#include "analysis/shared/scaled_system.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool InverseDynamics::delivers() const {
  return status.finished() && missing <= contradiction_residual;
}

InverseDynamics inverse_dynamics(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& motion,
                                 const std::vector<std::string>& drives) {
  require_forces(system, "inverse_dynamics", "has no forces");
  const Index n = system->num_positions(), m = system->num_constraints();
  for (const VectorXd* x : {&motion.q, &motion.v, &motion.a}) {
    if (x->size() != n || !x->allFinite())
      throw Error("inverse_dynamics: q, v and a must have n = " + std::to_string(n) + " finite entries each");
  }
  std::vector<int> driven;
  for (const std::string& name : drives) {
    driven.push_back(one_coordinate(*system, name, "inverse_dynamics"));
    if (std::count(driven.begin(), driven.end(), driven.back()) > 1)
      throw Error("inverse_dynamics: \"" + name + "\" is driven twice; name it once");
  }
  InverseDynamics result;
  ScaledSystem evaluate(system);
  ScaledQuantities here;
  MotionState at = motion;
  at.lambda = VectorXd::Zero(m);
  if (!evaluate.find_scales(at.t, at.q, at.v) || !evaluate.evaluate(at, here)) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(at.t)};
    return result;
  }
  // Forces of constraints and drives together: G^T mu - sum D_i u_i e_i = D (f - M a).
  const VectorXd wanted = here.f - here.M * at.a.cwiseQuotient(evaluate.columns());
  const Index k = static_cast<Index>(driven.size());
  const double threshold = evaluate.threshold({});
  const RowSpace constraints(here.G, threshold);
  // On the null space of G the constraints have no force, so the drives supply the whole projection.
  MatrixXd effect(constraints.null().cols(), k);
  for (Index j = 0; j < k; ++j) effect.col(j) = -constraints.null().row(driven[static_cast<std::size_t>(j)]);
  const RowSpace drive_space(effect, threshold, 1.0);  // at a dead point a drive moves nothing
  const VectorXd scaled = drive_space.shortest(constraints.null().transpose() * wanted);
  VectorXd left = wanted;
  result.drive.resize(k);
  for (Index j = 0; j < k; ++j) {
    const int i = driven[static_cast<std::size_t>(j)];
    left[i] += scaled[j];
    result.drive[j] = scaled[j] / evaluate.columns()[i];
    result.power += result.drive[j] * at.v[i];
  }
  const VectorXd mu = constraints.shortest_transposed(left);
  result.lambda = evaluate.rows().cwiseProduct(mu);
  const double size = wanted.size() == 0 ? 0.0 : wanted.lpNorm<Eigen::Infinity>();
  if (size > 0.0) result.missing = (left - here.G.transpose() * mu).lpNorm<Eigen::Infinity>() / size;
  if (drive_space.rank() < k) {
    result.status = {Outcome::rank_loss, "the drives are not unique: " + std::to_string(k - drive_space.rank()) +
                                             " of them move nothing here or the same as others; at a dead point "
                                             "another coordinate must be driven"};
  }
  return result;
}

}  // namespace sunlagrange
