// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/independent_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/status.hpp>

#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

/// Largest g at which Newton may stall (the default tolerance of consistent states). Above it the constraints have a
/// higher rank than the partition.
constexpr double acceptable = 1e-9;

/// Largest ratio of two corrections: an affine-invariant criterion for a solution on the branch of the start of the
/// iteration (Kantorovich). The second one is for iterations with an old factorisation.
constexpr double contraction = 0.5;
constexpr double fast_contraction = 0.1;

/// Largest ratio of the motions of a dependent and an independent coordinate, in units of the mass matrix. Beyond it
/// another partition is sought, and used if it halves the ratio. Values between 1.2 and 3 hardly differ; with 10 the
/// errors of the pendulum are three to twenty times as large, because errors of u are magnified.
constexpr double largest_influence = 2.0;

BlockPattern block_pattern(const Workspace& w) {
  BlockPattern pattern;
  pattern.top_left = w.patterns->mass;
  pattern.jacobian = w.patterns->jacobian;
  pattern.natural_scales = w.patterns->natural_scales;
  return pattern;
}

}  // namespace

IndependentCoordinates::IndependentCoordinates(const std::shared_ptr<const MechanicalSystem>& system,
                                               const LinearSolverOptions& resolved, const MotionState& start,
                                               const Tolerances& tolerances)
    : system_(system),
      n_(system->num_positions()),
      m_(system->num_constraints()),
      m_g_(system->num_position_constraints()),
      split_(m_ > m_g_),
      tolerances_(*system, tolerances),
      workspace_(make_workspace(*system, storage_of(resolved))),
      scales_(block_pattern(*workspace_)),
      sizes_(*system_),
      of_positions_(workspace_->patterns->jacobian, m_g_, resolved.rank_threshold),
      of_velocities_(workspace_->patterns->jacobian, m_, resolved.rank_threshold),
      first_of_positions_(of_positions_),
      first_of_velocities_(of_velocities_),
      q_(start.q),
      v_(start.v),
      start_{start.t, start.q, start.v},
      changed_at_(start.t),
      rows_(Eigen::VectorXd::Zero(m_)),
      sums_(m_),
      residual_(m_),
      newton_(n_) {
  last_ = accepted_ = start_;
  if (!evaluate(request::mass | request::jacobian, start.t))
    throw Error("coordinate_partitioning: the model declines the start; check the given positions and its domain");
  if (!choose(of_positions_, of_velocities_, true))
    throw Error("coordinate_partitioning: the constraint Jacobian at the start has entries that are not finite");
  linearize(*workspace_);
  first_of_positions_ = CoordinatePartition(of_positions_);
  first_of_velocities_ = CoordinatePartition(of_velocities_);
}

void IndependentCoordinates::check_time(double t) {
  if (t == start_.t && last_.t != t) {
    if (changed_at_ != t) {
      of_positions_ = CoordinatePartition(first_of_positions_);
      of_velocities_ = CoordinatePartition(first_of_velocities_);
      changed_at_ = t;
    }
    last_ = accepted_ = start_;
    unimproved_ = 0.0;
    recovered_ = false;
  } else if ((t - changed_at_) * (changed_at_ - start_.t) < 0.0) {
    throw Error("coordinate_partitioning: the unknowns at t = " + text(t) +
                " are older than the change of variables at t = " + text(changed_at_) +
                ", so that their coordinates are unknown; begin again at the start, or attach again for another start");
  }
}

bool IndependentCoordinates::evaluate(unsigned what, double t) {
  return evaluate_system(*system_, what, {t, q_.data(), v_.data(), nullptr, nullptr}, *workspace_);
}

/// Chooses the partitions by M and G in the workspace.
bool IndependentCoordinates::choose(CoordinatePartition& positions, CoordinatePartition& velocities, bool first) {
  BlockValues values;
  values.top_left = workspace_->M.data();
  values.jacobian = workspace_->G.data();
  scales_.compute(block_pattern(*workspace_), values);
  const double *rows = scales_.right().data(), *columns = scales_.top().data();
  const double* G = workspace_->G.data();
  const std::vector<bool>& without_inertia = scales_.massless();
  return positions.choose(G, rows, columns, first ? -1 : positions.rank(), without_inertia) &&
         (!split_ || velocities.choose(G, rows, columns, first ? -1 : velocities.rank(), without_inertia));
}

bool IndependentCoordinates::is_recovered(double t, const double* u, const double* w) const {
  if (!recovered_ || t != last_.t) return false;
  for (const int j : positions()) {
    if (q_[j] != *u++) return false;
  }
  for (const int j : velocities()) {
    if (v_[j] != *w++) return false;
  }
  return true;
}

EvaluationResult IndependentCoordinates::recover(double t, const double* u, const double* w) {
  if (is_recovered(t, u, w)) return EvaluationResult::ok;
  check_time(t);
  recovered_ = false;
  ++recoveries_;
  EvaluationResult result = EvaluationResult::declined;
  if (of_positions_.factorized() && of_velocities().factorized()) result = attempt(t, u, w, last_, true);
  if (result != EvaluationResult::ok) result = attempt(t, u, w, last_, false);
  if (result != EvaluationResult::ok) result = attempt(t, u, w, accepted_, false);
  if (result != EvaluationResult::ok) return result;
  recovered_ = true;
  last_.t = t;
  last_.q = q_;
  last_.v = v_;
  return result;
}

EvaluationResult IndependentCoordinates::attempt(double t, const double* u, const double* w, const Point& from,
                                                 bool old_factors) {
  v_ = from.v;
  q_ = from.q + (t - from.t) * from.v;
  for (const int j : positions()) q_[j] = *u++;
  for (const int j : velocities()) v_[j] = *w++;
  const EvaluationResult result = solve_positions(t, old_factors);
  return result == EvaluationResult::ok ? solve_velocities(t, old_factors) : result;
}

/// Moves the dependent positions only. At the end the workspace is evaluated at the solution.
EvaluationResult IndependentCoordinates::solve_positions(double t, bool old_factors) {
  const Eigen::VectorXd& g = workspace_->g;
  const auto evaluated = [&](bool /*new_matrix*/) {
    return evaluate(request::jacobian, t) ? EvaluationResult::ok : EvaluationResult::declined;
  };
  const auto violated = [&] { return violation(g, q_); };
  const auto solve = [&](Eigen::VectorXd& step, double& size) {
    if (!old_factors) {
      const EvaluationResult factorized = of_positions_.factorize(workspace_->G.data());
      if (factorized != EvaluationResult::ok) return factorized;
    }
    rows_.head(m_g_) = -g;
    size = of_positions_.solve(rows_.data());
    step.setZero();
    int row = 0;
    for (const int j : of_positions_.dependent()) step[j] = rows_[row++];
    return EvaluationResult::ok;
  };
  NewtonRule rule;
  rule.most_iterations = 30;
  rule.contraction = old_factors ? fast_contraction : contraction;
  const EvaluationResult result = evaluated(true);
  if (result != EvaluationResult::ok) return result;
  const NewtonEnd end = newton_.run(q_, rule, evaluated, violated, solve);
  corrections_ += end.iterations;
  if (end.kind == NewtonEnd::Kind::exhausted) return EvaluationResult::declined;
  if (end.kind != NewtonEnd::Kind::stalled) return end.result;
  if (is_rounding(g, q_, old_factors ? 4.0 : 100.0)) return EvaluationResult::ok;
  if (old_factors || !below_tolerances(of_positions_, rows_.data(), q_)) return EvaluationResult::declined;
  return end.violation <= acceptable ? EvaluationResult::ok : EvaluationResult::rank_loss;
}

/// At a given q the rows are linear in v except for psi: refine_velocities() solves them and updates the residual,
/// without evaluations of the model. Only psi needs several passes.
EvaluationResult IndependentCoordinates::solve_velocities(double t, bool old_factors) {
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 10; ++pass) {
    const double now = violation(workspace_->g_rate, v_);
    if (!std::isfinite(now)) return EvaluationResult::not_finite;
    if (now <= rounding_of_rows) return EvaluationResult::ok;
    if (now > contraction * before) {
      const bool solved = below_tolerances_ || is_rounding(workspace_->g_rate, v_, 100.0);
      return solved ? EvaluationResult::ok : EvaluationResult::declined;
    }
    before = now;
    const EvaluationResult result = refine_velocities(old_factors);
    if (result != EvaluationResult::ok || !split_) return result;  // g' is linear in v
    if (!evaluate(request::jacobian, t)) return EvaluationResult::declined;
  }
  return EvaluationResult::declined;
}

/// Solves G dv = -(g', psi) for the dependent velocities, with an old factorisation by iterative refinement while that
/// converges fast.
EvaluationResult IndependentCoordinates::refine_velocities(bool old_factors) {
  CoordinatePartition& partition = of_velocities();
  const PatternMatrix& G = workspace_->G;
  residual_ = -workspace_->g_rate;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 20; ++k) {
    if (!old_factors && std::isinf(before)) {
      const EvaluationResult factorized = partition.factorize(G.data());
      if (factorized != EvaluationResult::ok) return factorized;
    }
    rows_ = residual_;
    const double step = partition.solve(rows_.data());
    if (!(step < fast_contraction * before)) {
      if (!old_factors) break;  // rounding level
      old_factors = false;
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    before = step;
    below_tolerances_ = below_tolerances(partition, rows_.data(), v_);
    int row = 0;
    for (const int j : partition.dependent()) {
      const double x = rows_[row++];
      v_[j] += x;
      G.pattern().for_each_entry_of(j, [&](int i, int, int e) { residual_[i] -= G.values[e] * x; });
    }
    if (violation(residual_, v_) <= 0.5 * rounding_of_rows) break;
  }
  return EvaluationResult::ok;
}

/// True if the correction is far below the tolerances of the integrator.
bool IndependentCoordinates::below_tolerances(const CoordinatePartition& partition, const double* correction,
                                              const Eigen::VectorXd& x) const {
  for (const int j : partition.dependent()) {
    if (!(std::abs(*correction++) <= 1e-3 * tolerances_.of(j, x[j]))) return false;
  }
  return true;
}

/// Returns the violation relative to sum_j |G_ij| |x_j|, with at least 1e-6 atol s_j in place of |x_j| for mechanisms
/// at rest at the origin. Rows of rounding are below it where no coordinate is near zero.
double IndependentCoordinates::violation(const Eigen::VectorXd& values, const Eigen::VectorXd& x) {
  return relative_to_terms(values, [&](int j) { return std::max(std::abs(x[j]), 1e-6 * tolerances_.absolute(j)); });
}

/// True if the values are rounding beside the terms of their rows, with the sizes that all coordinates have together: a
/// row may depend on coordinates that are zero here, and its rounding comes from lengths that its elements add.
bool IndependentCoordinates::is_rounding(const Eigen::VectorXd& values, const Eigen::VectorXd& x, double roundings) {
  sizes_.measure(x, std::max(natural_size(*system_, x), std::numeric_limits<double>::min()));
  return relative_to_terms(values, sizes_) <= roundings * rounding_of_rows;
}

template <class Sizes>
double IndependentCoordinates::relative_to_terms(const Eigen::VectorXd& values, const Sizes& size) {
  sums_.setZero();
  add_largest_terms(workspace_->G, size, sums_);
  return largest_violation(values, sums_).relative;
}

/// Returns the largest ratio of a dependent and an independent motion at the point of G; infinite if a dependent block
/// is singular.
double IndependentCoordinates::influence(CoordinatePartition& positions, CoordinatePartition& velocities,
                                         const double* G) {
  double largest = 0.0;
  for (CoordinatePartition* partition : {&positions, split_ ? &velocities : nullptr}) {
    if (partition == nullptr) continue;
    if (partition->factorize(G) != EvaluationResult::ok) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, partition->largest_influence(G));
  }
  return largest;
}

bool IndependentCoordinates::improve() {
  if (!recovered_) return false;
  accepted_ = last_;
  if (!evaluate(request::mass | request::jacobian, last_.t)) return false;
  const double* G = workspace_->G.data();
  const double now = influence(of_positions_, of_velocities_, G);
  if (now <= largest_influence) unimproved_ = 0.0;
  if (now <= std::max(largest_influence, 1.5 * unimproved_)) return false;
  CoordinatePartition positions = of_positions_, velocities = of_velocities_;
  const bool better = choose(positions, velocities, false) &&
                      influence(positions, velocities, G) <= 0.5 * std::min(now, std::numeric_limits<double>::max());
  if (!better) {
    unimproved_ = std::isfinite(now) ? now : 0.0;
    return false;
  }
  unimproved_ = 0.0;
  of_positions_ = std::move(positions);
  of_velocities_ = std::move(velocities);
  changed_at_ = last_.t;
  ++changes_;
  return true;
}

EvaluationResult IndependentCoordinates::linearize(const Workspace& w) {
  EvaluationResult outcome = of_positions_.factorize(w.G.data());
  if (outcome == EvaluationResult::ok && split_) outcome = of_velocities_.factorize(w.G.data());
  return outcome;
}

void IndependentCoordinates::tangent(const Workspace& w, const double* du, const double* dw, Eigen::VectorXd& dq,
                                     Eigen::VectorXd& dv) {
  const auto dependent = [this](CoordinatePartition& partition, Eigen::VectorXd& x) {
    partition.solve(rows_.data());
    int row = 0;
    for (const int j : partition.dependent()) x[j] = rows_[row++];
  };
  dq.setZero();
  dv.setZero();
  for (const int j : positions()) dq[j] = *du++;
  for (const int j : velocities()) dv[j] = *dw++;
  rows_.setZero();
  rows_ -= w.G * dq;
  dependent(of_positions_, dq);
  rows_.setZero();
  rows_ -= w.V_q * dq;
  rows_ -= w.G * dv;
  dependent(of_velocities(), dv);
}

long IndependentCoordinates::factorizations() const {
  return of_positions_.factorizations() + of_velocities_.factorizations();
}

long IndependentCoordinates::solutions() const {
  return of_positions_.solutions() + of_velocities_.solutions();
}

}  // namespace sunlagrange::internal
