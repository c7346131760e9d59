// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/linearise.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/redundancy.hpp>

#include "analysis/linear/force_scales.hpp"
#include "analysis/shared/row_space.hpp"
#include "analysis/shared/scaled_system.hpp"
#include "linear_algebra/small_matrices.hpp"
#include "linear_algebra/spd.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct LinearisationLimits {
  static constexpr double imbalance = 1e-6;  ///< largest one of an equilibrium
  static constexpr double change = 1e-9;     ///< relative change of coefficients along a steady motion
  static constexpr double distance = 1e-3;   ///< over which they are compared, relative to the size of the mechanism
  static constexpr double rounding = 2e-14;  ///< of a sum that vanishes, relative to its terms
};

double largest(const MatrixXd& A) {
  return A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff();
}

/// Returns true if the coefficients stay constant along the motion. Each change is compared with the coefficient and
/// with the term that it is added to, at the rate of the motion.
bool coefficients_constant(ScaledSystem& evaluate, const MotionState& at, const ScaledQuantities& here) {
  const double speed = largest(at.v.cwiseQuotient(evaluate.columns()));
  const double size = std::max(largest(at.q.cwiseQuotient(evaluate.columns())), 1.0);
  const double h = LinearisationLimits::distance * size / speed, rate = speed / size;
  MotionState next = at;
  next.t += h;
  next.q += h * at.v + 0.5 * h * h * at.a;
  next.v += h * at.a;
  ScaledQuantities there;
  if (!evaluate.evaluate(next, there)) return false;
  const double mass = largest(here.M), rows = std::max(largest(here.G), 1.0);
  const auto same = [](const MatrixXd& a, const MatrixXd& b, double scale) {
    return largest(a - b) <= LinearisationLimits::change * (largest(a) + scale);
  };
  return same(here.M, there.M, mass) && same(here.G, there.G, rows) && same(here.f, there.f, mass * speed * rate) &&
         same(here.gamma, there.gamma, rows * speed * rate) && same(here.r_q, there.r_q, mass * rate * rate) &&
         same(here.r_v, there.r_v, mass * rate) && same(here.V_q, there.V_q, rows * rate) &&
         same(here.A_q, there.A_q, rows * rate * rate) && same(here.A_v, there.A_v, rows * rate);
}

/// Returns the number of rows that are dependent here and independent nearby.
int lost_directions(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& at,
                    const LinearSolverOptions& options) {
  RedundancyOptions redundancy;
  redundancy.rank_threshold = options.rank_threshold;
  const RedundancyReport report = analyse_redundancy(system, at.t, at.q, at.v, redundancy);
  return report.permanence_known() ? report.redundant - report.permanent : 0;
}

/// Returns the largest unbalanced force above rounding, relative to the typical force of its part of the system.
double imbalance(const ScaledSystem& evaluate, const MotionState& at, const ScaledQuantities& here,
                 const ForceScales& typical) {
  const VectorXd left = here.f - here.G.transpose() * at.lambda.cwiseQuotient(evaluate.rows());
  const VectorXd force = left.cwiseQuotient(evaluate.columns()).cwiseAbs() - typical.rounding;
  return largest(force.cwiseMax(0.0).cwiseQuotient(typical.coordinates));
}

/// Sets entries of a sum to zero that are rounding of its terms.
void drop_rounding(MatrixXd& sum, const MatrixXd& terms) {
  sum = (sum.cwiseAbs().array() > LinearisationLimits::rounding * terms.array()).select(sum, 0.0);
}

/// Eliminates the constraints. Accelerations are projected onto N along the directions of the reactions (N^T M X = 0),
/// so neither the scales nor the curvature of the constraints times a residual acceleration enter K.
/// @param turned  n: change of a force by a displacement that only turns it, in scaled coordinates; K is known to the
///                rounding of this
/// @return  false if M is not positive definite on N
bool eliminate(const ScaledQuantities& s, const VectorXd& columns, const VectorXd& turned, double threshold, Index m_g,
               Linearisation& result) {
  const RowSpace all(s.G, threshold), held(s.G.topRows(m_g), threshold);
  const MatrixXd& N = all.null();
  const MatrixXd& P = held.null();
  result.rank = all.rank();
  result.redundant = static_cast<int>(s.G.rows()) - all.rank();
  result.positions = columns.asDiagonal() * P;
  result.velocities = columns.asDiagonal() * N;
  result.M = symmetric_part(N.transpose() * s.M * N);
  MatrixXd onto = N.transpose() * s.M;
  if (N.cols() > 0) {
    if (!cholesky(result.M)) return false;
    onto = spd_solve(result.M, onto);
  }
  MatrixXd C = -all.shortest(s.V_q * P);
  C -= N * (onto * C);
  result.transport = columns.asDiagonal() * C;
  if (m_g == s.G.rows()) {  // y' = w, also in motion
    result.T = MatrixXd::Identity(P.cols(), N.cols());
    result.S = MatrixXd::Zero(P.cols(), P.cols());
  } else {
    result.T = P.transpose() * N;
    result.S = P.transpose() * C;
  }
  const MatrixXd N_size = N.cwiseAbs(), P_size = P.cwiseAbs(), r_v_size = s.r_v.cwiseAbs();
  MatrixXd D = N.transpose() * s.r_v * N;
  drop_rounding(D, N_size.transpose() * r_v_size * N_size);
  result.K = N.transpose() * (s.r_q * P + s.r_v * C);
  const MatrixXd turning = turned.asDiagonal() * P_size;
  drop_rounding(result.K, N_size.transpose() * (s.r_q.cwiseAbs() * P_size + turning + r_v_size * C.cwiseAbs()));
  result.damping = symmetric_part(D);
  result.gyroscopic = D - result.damping;
  const MatrixXd square = result.K * result.T;
  result.stiffness = symmetric_part(square);
  result.circulatory = square - result.stiffness;
  return true;
}

std::string status_message(const Linearisation& result) {
  std::string message;
  if (result.at == LinearisedAt::instant) {
    message = result.state.v.isZero(0.0)
                  ? "no equilibrium: forces of " + text(result.imbalance) +
                        " of the typical one are not balanced; static_equilibrium finds an equilibrium"
                  : "the coefficients change along this motion: eigenvalues of the frozen ones prove nothing";
  }
  if (result.lost > 0) {
    if (!message.empty()) message += "; ";
    message += "singular pose: " + std::to_string(result.lost) +
               " direction(s) of the constraints are lost only here, so some tangents are no motions";
  }
  return message;
}

}  // namespace

MatrixXd Linearisation::state_matrix() const {
  const Index p = positions.cols(), k = velocities.cols();
  MatrixXd A(p + k, p + k);
  A.topLeftCorner(p, p) = S;
  A.topRightCorner(p, k) = T;
  if (k > 0) {
    A.bottomLeftCorner(k, p) = -spd_solve(M, K);
    A.bottomRightCorner(k, k) = -spd_solve(M, damping + gyroscopic);
  }
  return A;
}

Linearisation linearise(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                        const ConsistencyOptions& options) {
  require_forces(system, "linearise", "has no forces; step_map linearises its integration");
  Linearisation result;
  const ConsistentState start = consistent_state(system, state, options);
  result.state = start.state;
  result.natural_scales = system->natural_scales();
  result.status = start.report.status;
  if (!result.status.finished()) return result;
  result.status.message.clear();
  ScaledSystem evaluate(system);
  ScaledQuantities here;
  const MotionState& at = result.state;
  if (!evaluate.find_scales(at.t, at.q, at.v) || !evaluate.evaluate(at, here)) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(at.t) +
                                               " or its derivatives are not finite there; see check_derivatives"};
    return result;
  }
  const VectorXd& columns = evaluate.columns();
  const std::optional<ForceScales> typical = force_scales(*system, at, system->natural_scales());
  VectorXd turned = VectorXd::Zero(at.q.size());
  if (typical)
    turned = typical->loads.cwiseProduct(columns).cwiseProduct(columns).cwiseQuotient(system->natural_scales());
  if (!eliminate(here, columns, turned, evaluate.threshold(options.linear_solver), system->num_position_constraints(),
                 result)) {
    result.status = {Outcome::rank_loss,
                     "M is not positive definite on the null space of G: a coordinate has neither inertia nor a "
                     "constraint that holds it; see analyse_redundancy"};
    return result;
  }
  result.imbalance = typical ? imbalance(evaluate, at, here, *typical) : INFINITY;
  const bool rest = at.v.isZero(0.0);
  if (!rest && coefficients_constant(evaluate, at, here))
    result.at = LinearisedAt::steady_motion;
  else if (!rest || result.imbalance > LinearisationLimits::imbalance)
    result.at = LinearisedAt::instant;
  if (result.redundant > 0) result.lost = lost_directions(system, at, options.linear_solver);
  result.status.message = status_message(result);
  return result;
}

}  // namespace sunlagrange
