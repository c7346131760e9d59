// SPDX-License-Identifier: BSD-3-Clause
#include "gains/motion_rate.hpp"

#include <algorithm>
#include <cmath>

#include "gains/rows_on_bodies.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// Projections shorter than this, relative to the vector, are rounding.
constexpr double nothing_left = 1e-10;

/// Rates of a motion at its start.
class StartOfMotion {
 public:
  StartOfMotion(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                const LinearSolverOptions& linear_solver)
      : system_(*system),
        start_(start),
        options_(resolve_linear_solver(linear_solver, *system)),
        w_(make_workspace(*system, storage_of(options_))),
        bodies_(*system) {
    good_ = start.q.size() == system->num_positions() && start.v.size() == system->num_positions() &&
            start.a.size() == system->num_positions() && start.lambda.size() == system->num_constraints() &&
            evaluate(start.v, request::acceleration_level | request::tangent);
    if (!good_) return;
    stiffness_ = w_->r_q;
    damping_ = w_->r_v;
    mass_ = lumped_mass(*system, *w_);
  }

  /// Returns the rate at which the normals turn if the mechanism moves with x [unit of x / unit of q]: the largest
  /// |x^T H_i| / |G_i|, with H_i the second derivative of row i, on one of the bodies that the row joins, in the norm
  /// of M^-1 of this body. Other coordinates are compared with the whole row.
  double turning(const VectorXd& x) {
    if (!good_ || !turning_known() || !evaluate(x, request::tangent)) return 0.0;
    w_->A_v.values = 0.5 * (w_->A_v.values - still_);  // linear in x, 2 x^T H
    const int m = system_.num_constraints();
    const VectorXd turned = squared_row_norms(w_->A_v, mass_, m);
    const VectorXd whole = squared_row_norms(w_->G, mass_, m);
    const std::vector<RowsOnBodies::Parts> turned_on = bodies_.of(w_->A_v, mass_, m);
    const std::vector<RowsOnBodies::Parts> row_on = bodies_.of(w_->G, mass_, m);
    double rate = 0.0;
    for (int i = 0; i < m; ++i) {
      if (whole[i] > 0.0) rate = std::max(rate, std::sqrt(turned[i] / whole[i]));
      for (const RowsOnBodies::Part& part : row_on[static_cast<std::size_t>(i)]) {
        const double turned_here = RowsOnBodies::squared_norm(turned_on[static_cast<std::size_t>(i)], part.body);
        rate = std::max(rate, std::sqrt(turned_here / part.squared_norm));
      }
    }
    return std::isfinite(rate) ? rate : 0.0;
  }

  /// Returns the part of x along the constraints that springs and dampers leave after `time`: y with
  /// (M + time D + time^2 K) y = M x on G y = 0, a step of the implicit Euler method. Empty: the system is singular.
  VectorXd lasting(const VectorXd& x, double time) {
    if (!good_ || !(x.squaredNorm() > 0.0) || !factorize_step(time)) return {};
    VectorXd y = w_->M.times(x);
    VectorXd multipliers = VectorXd::Zero(system_.num_constraints());
    if (step_->solve(y.data(), multipliers.data()) != EvaluationResult::ok || !y.allFinite()) return {};
    return y;
  }

  /// Returns sqrt(|x^T K x| / x^T M x) [1/s].
  double oscillation(const VectorXd& x) const {
    const double rate = std::sqrt(std::abs(x.dot(stiffness_.times(x))) / x.dot(w_->M.times(x)));
    return std::isfinite(rate) ? rate : 0.0;
  }

  /// Returns true if `rest` is more than rounding of x.
  bool remains(const VectorXd& x, const VectorXd& rest) const {
    return rest.size() > 0 && rest.dot(w_->M.times(rest)) > nothing_left * nothing_left * x.dot(w_->M.times(x));
  }

 private:
  bool evaluate(const VectorXd& v, unsigned what) {
    return evaluate_system(system_, what, {start_.t, start_.q.data(), v.data(), start_.a.data(), start_.lambda.data()},
                           *w_);
  }

  /// Evaluates A_v at v = 0.
  bool turning_known() {
    if (still_.size() == 0 && evaluate(VectorXd::Zero(start_.v.size()), request::tangent)) still_ = w_->A_v.values;
    return still_.size() == w_->A_v.values.size();
  }

  bool factorize_step(double time) {
    if (step_ != nullptr && time == step_time_) return true;
    const SystemPatterns& patterns = *w_->patterns;
    PatternMatrix H = stiffness_;
    H.values = time * (damping_.values + time * stiffness_.values);
    for (std::size_t k = 0; k < patterns.mass_in_tangent.size(); ++k)
      H.values[patterns.mass_in_tangent[k]] += w_->M.values[static_cast<Eigen::Index>(k)];
    step_time_ = time;
    step_ = make_linear_solver(
        {patterns.tangent, patterns.jacobian, patterns.jacobian, {}, true, patterns.natural_scales}, options_);
    if (step_->factorize({H.data(), w_->G.data(), w_->G.data(), nullptr}) != EvaluationResult::ok) step_ = nullptr;
    return step_ != nullptr;
  }

  const MechanicalSystem& system_;
  const MotionState& start_;
  LinearSolverOptions options_;
  std::unique_ptr<Workspace> w_;
  RowsOnBodies bodies_;
  bool good_ = false;
  PatternMatrix stiffness_, damping_;
  VectorXd mass_, still_;
  std::unique_ptr<LinearSolver> step_;  ///< the matrix of lasting() for step_time_
  double step_time_ = NAN;
};

}  // namespace

double motion_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, double t_span,
                   const LinearSolverOptions& linear_solver) {
  StartOfMotion motion(system, start, linear_solver);
  const VectorXd& v = start.v;
  const VectorXd& a = start.a;
  double rate = t_span > 0.0 ? 1.0 / t_span : 1.0;
  if (v.squaredNorm() > 0.0) rate = std::max(rate, motion.turning(v));
  if (!system->motion_law().has_forces) return rate;  // a program has no inertia: its field is no force
  const double turned = a.squaredNorm() > 0.0 ? std::sqrt(motion.turning(a)) : 0.0;
  const double time = 1.0 / std::max(rate, turned);
  for (const VectorXd* x : {&v, &a}) {
    const VectorXd lasting = motion.lasting(*x, time);
    if (!motion.remains(*x, lasting)) continue;
    rate = std::max(rate, motion.oscillation(lasting));
    if (x == &a) rate = std::max(rate, std::min(turned, std::sqrt(motion.turning(lasting))));
  }
  return rate;
}

}  // namespace sunlagrange::internal
