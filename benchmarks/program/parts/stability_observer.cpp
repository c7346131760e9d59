// SPDX-License-Identifier: BSD-3-Clause
#include "parts/stability_observer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>

namespace sunlagrange::program {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns the start on the constraints.
InitialState on_the_constraints(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                                const SimulationOptions& options) {
  ConsistencyOptions consistency;
  consistency.linear_solver = options.linear_solver;
  const MotionState state = consistent_state(system, start, consistency).state;
  return {state.t, state.q, state.v};
}

MatrixXd jacobian_at(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start) {
  const SystemQuantities at = SystemEvaluator(system).at(start.t, start.q, start.v);
  if (!at.status.finished()) throw Error("start: " + at.status.message);
  return at.G;
}

}  // namespace

StabilityObserver::StabilityObserver(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                                     const SimulationOptions& options, const Settings& settings)
    : system_(std::move(system)),
      options_(options),
      settings_(settings),
      start_(on_the_constraints(system_, start, options)),
      seeded_(start_) {
  options_.start = Start::as_given;
  options_.record = Record::every_step;
  options_.stop_when_infeasible = false;
  const MatrixXd G = jacobian_at(system_, start_);
  const int m_g = system_->num_position_constraints();
  // rows have different weights, so that no symmetry of the mechanism hides a direction
  VectorXd shares(G.rows());
  for (Eigen::Index i = 0; i < G.rows(); ++i) shares[i] = 1.0 + 0.37 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  const VectorXd dq = G.topRows(m_g).transpose() * shares.head(m_g);
  const VectorXd dv = G.bottomRows(G.rows() - m_g).transpose() * shares.tail(G.rows() - m_g);
  const double size = settings.seed * std::max(1.0, start_.q.lpNorm<Eigen::Infinity>());
  if (m_g > 0) seeded_.q += size / dq.lpNorm<Eigen::Infinity>() * dq;
  if (m_g < G.rows()) seeded_.v += size / dv.lpNorm<Eigen::Infinity>() * dv;
}

int StabilityObserver::steps(double step) const {
  return std::min(settings_.steps, static_cast<int>((options_.t_end - start_.t) / step + 1e-9));
}

MatrixXd StabilityObserver::errors(const Trajectory& path, double rate) const {
  const int m_g = system_->num_position_constraints();
  SystemEvaluator evaluator(system_);
  const int velocities = system_->motion_law().velocity_rows;
  const double weight = velocities > 0 ? rate : 1.0;
  MatrixXd e(m_g + velocities, static_cast<Eigen::Index>(path.size()));
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const SystemQuantities at = evaluator.at(path.t(k), path.q(k), path.v(k));
    if (!at.status.finished()) {
      e.col(column).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    e.col(column) << weight * at.g, at.g_rate.head(velocities);
  }
  return e;
}

double StabilityObserver::growth(const Gains& gains, double step, double rate) const {
  constexpr double unlimited_growth = std::numeric_limits<double>::infinity();
  const int count = steps(step);
  SimulationOptions options = options_;
  options.gains = gains;
  options.step = step;
  options.t_end = start_.t + count * step;
  const Simulation base = simulate(system_, start_, options);
  const auto complete = [&](const Simulation& run) {  // an infeasible run can be complete, too
    return run.trajectory.size() == static_cast<std::size_t>(count) + 1;
  };
  if (!complete(base)) return unlimited_growth;
  const Simulation moved = simulate(system_, seeded_, options);
  if (!complete(moved)) return unlimited_growth;
  const MatrixXd difference = errors(moved.trajectory, rate) - errors(base.trajectory, rate);
  const Eigen::Index half = difference.cols() / 2;
  const double first = difference.leftCols(half + 1).colwise().norm().maxCoeff();
  const double second = difference.rightCols(difference.cols() - half - 1).colwise().norm().maxCoeff();
  const bool left = !(std::max(first, second) <= largest_transient * difference.col(0).norm());
  return left ? unlimited_growth : second / first;
}

double StabilityObserver::violation(const Gains& gains, double step) const {
  SimulationOptions options = options_;
  options.gains = gains;
  options.step = step;
  options.record = Record::ends_only;
  const Simulation run = simulate(system_, start_, options);
  const Trajectory& path = run.trajectory;
  if (path.empty() || path.t(path.size() - 1) < options.t_end - 1e-9 * step) {
    return std::numeric_limits<double>::infinity();
  }
  const Report& r = run.report;
  return std::fmax(r.relative_violation, r.relative_velocity_violation);  // of a kinematic program one is NaN
}

bool StabilityObserver::keeps_constraints(const Gains& gains, double step) const {
  return violation(gains, step) <= fixed_step_violation_bound(options_.formulation);
}

}  // namespace sunlagrange::program
