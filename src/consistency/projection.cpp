// SPDX-License-Identifier: BSD-3-Clause
#include "consistency/projection.hpp"

#include <sunlagrange/base/setting.hpp>

#include "base/numerics.hpp"
#include "consistency/kinematic_field.hpp"
#include "model/checks/degenerate_constraints.hpp"
#include "model/checks/examination.hpp"
#include "model/known_positions.hpp"

namespace sunlagrange::internal {
StateProjection::StateProjection(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options)
    : evaluator_(evaluator_for(system, options.linear_solver)),
      saddle_(evaluator_, options.linear_solver),
      law_(system->motion_law()),
      options_(options),
      given_(given),
      n_(system->num_positions()),
      m_(system->num_constraints()),
      m_g_(system->num_position_constraints()),
      top_(Eigen::VectorXd::Zero(n_)),
      bottom_(Eigen::VectorXd::Zero(m_)),
      newton_(n_),
      sizes_(*system),
      own_scale_(*system) {
  if (given_.v.size() == 0) given_.v = Eigen::VectorXd::Zero(n_);
  position_metric_ = {options.position_weights, position_indices(*system, given.fixed_positions)};
  velocity_metric_ = {options.velocity_weights, position_indices(*system, given.fixed_velocities)};
  MotionState& s = result_.state;
  s.t = given_.t;
  s.q = given_.q;
  s.v = given_.v;
  s.a = Eigen::VectorXd::Zero(n_);
  s.lambda = Eigen::VectorXd::Zero(m_);
}

ConsistentState StateProjection::run() {
  MotionState& s = result_.state;
  ConsistencyReport& r = result_.report;
  if (const Status flaw = examine(saddle_.system(), s.t, s.q, s.v, Purpose::motion); !flaw.finished()) {
    describe_motion();
    r.accelerations_known = false;
    r.status = flaw;
    return std::move(result_);
  }
  EvaluationResult e = factorize();
  if (e != EvaluationResult::declined) describe_given();
  if (options_.start == Start::consistent) {
    if (e == EvaluationResult::ok) e = project_positions();
    if (e == EvaluationResult::ok && r.feasible && law_.has_forces) e = project_velocities();
  }
  if (e == EvaluationResult::ok && r.feasible)
    e = law_.has_forces ? saddle_.accelerations(evaluator_.quantities(), s.a.data(), s.lambda.data())
                        : follow_program();
  describe_motion();
  finish(e);
  if (!r.feasible) return std::move(result_);
  if (const Status flaw = check_degenerate_constraints(saddle_.system(), s.t, s.q, s.v); !flaw.finished()) {
    r.accelerations_known = false;
    r.status = flaw;
  }
  return std::move(result_);
}

EvaluationResult StateProjection::factorize() {
  const MotionState& s = result_.state;
  return saddle_.factorize(evaluator_.at(s.t, s.q.data(), s.v.data()));
}

/// Returns the violation relative to sum_j |G_ij| x the size of coordinate j, which is the largest of the given, the
/// present and the typical one. A row with a small gradient is relative to three hundredths of the largest sum of its
/// kind.
Violation StateProjection::violation(const Eigen::VectorXd& values, const Eigen::VectorXd& given,
                                     const Eigen::VectorXd& present, double typical) {
  const MechanicalSystem& system = saddle_.system();
  const PatternMatrix& G = evaluator_.quantities().G;
  const double largest = std::max({natural_size(system, given), natural_size(system, present), typical});
  const double magnitude = largest > 0.0 ? largest : 1.0;
  sizes_.measure(given.cwiseAbs().cwiseMax(present.cwiseAbs()), magnitude);
  terms_.setZero(m_);
  add_largest_terms(
      G, [this](int j) { return sizes_.relative(j); }, terms_);
  own_scale_.update(G, m_);
  double largest_terms = 0.0;
  for (int i = 0; i < m_; ++i) {
    if (!own_scale_(i)) largest_terms = std::max(largest_terms, terms_[i]);
  }
  for (int i = 0; i < m_; ++i) {
    if (!own_scale_(i)) terms_[i] = std::max(terms_[i], 3e-2 * largest_terms);
    terms_[i] *= magnitude;
  }
  return largest_violation(values, terms_);
}

/// Iterates as far as possible, with halved steps far from the constraints.
template <class ViolationNow, class Solve>
EvaluationResult StateProjection::reduce(Eigen::VectorXd& x, ViolationNow&& violation_now, Solve&& solve_step,
                                         Violation& left) {
  NewtonRule rule;
  rule.most_iterations = options_.max_iterations;
  rule.rounding = 1e-16;
  rule.satisfied = options_.tolerance;
  rule.halvings = 11;
  const auto evaluate = [this](bool) { return factorize(); };
  const auto violated = [&] {
    left = violation_now();
    return left.relative;
  };
  const auto solve = [&](Eigen::VectorXd& step, double&) {
    top_.setZero();
    const EvaluationResult solved = solve_step();
    step = top_;
    return solved;
  };
  const NewtonEnd end = newton_.run(x, rule, evaluate, violated, solve);
  result_.report.iterations += end.iterations;
  return end.result;
}

EvaluationResult StateProjection::project_positions() {
  if (m_g_ == 0) return EvaluationResult::ok;
  const EvaluationResult e = reach_constraints();
  if (e != EvaluationResult::ok || !result_.report.feasible || result_.state.q == given_.q) return e;
  return approach_given();
}

EvaluationResult StateProjection::reach_constraints() {
  Violation left;
  const EvaluationResult e = reduce(
      result_.state.q, [this] { return position_violation(); }, [this] { return solve_for_positions(); }, left);
  if (e != EvaluationResult::ok) return e;
  result_.report.worst_constraint = row_name(left);
  result_.report.feasible = left.relative <= options_.tolerance;
  return e;
}

/// Moves along the constraints towards the given positions. The steps converge linearly, faster for shorter moves; if
/// they do not converge, the first configuration is restored.
EvaluationResult StateProjection::approach_given() {
  Eigen::VectorXd& q = result_.state.q;
  const Eigen::VectorXd first = q;
  const double distance = squared_distance();
  double previous = INFINITY;
  EvaluationResult e = EvaluationResult::ok;
  for (int k = 0; k < options_.max_iterations && distance > 0.0; ++k) {
    top_ = -metric_times(position_metric_, evaluator_.quantities(), q - given_.q);
    e = solve_for_positions();
    if (e != EvaluationResult::ok) break;
    const double step = top_.dot(metric_times(position_metric_, evaluator_.quantities(), top_)) / distance;
    if (!(step > 1e-24) || !(step < 0.5 * previous)) break;
    previous = step;
    q += top_;
    ++result_.report.iterations;
    e = factorize();
    if (e != EvaluationResult::ok) break;
  }
  if (e == EvaluationResult::ok) e = reach_constraints();
  if (e == EvaluationResult::ok && result_.report.feasible && squared_distance() <= distance) return e;
  q = first;
  e = factorize();
  result_.report.feasible = true;
  result_.report.worst_constraint = row_name(position_violation());
  return e;
}

double StateProjection::squared_distance() const {
  const Eigen::VectorXd move = result_.state.q - given_.q;
  return move.dot(metric_times(position_metric_, evaluator_.quantities(), move));
}

/// Solves [W G^T; G 0] (top, y) = (top, -g) with the g rows only: velocity constraints do not restrict positions.
EvaluationResult StateProjection::solve_for_positions() {
  bottom_.setZero();
  bottom_.head(m_g_) = -evaluator_.quantities().g;
  const bool plain = position_metric_.plain();
  if (plain && m_g_ == m_) return saddle_.solve(top_.data(), bottom_.data());
  const EvaluationResult solved = solve(position_step_, m_g_, position_metric_);
  if (solved == EvaluationResult::singular && plain)  // psi rows act on coordinates without mass
    return saddle_.solve(top_.data(), bottom_.data());
  return solved;
}

/// Computes the velocities of a program. Gains are not known here; they do not matter on f = 0.
EvaluationResult StateProjection::follow_program() {
  MotionState& s = result_.state;
  KinematicField field(evaluator_.shared_system(), options_.linear_solver);
  EvaluationResult e = field.velocity(s.t, s.q.data());
  if (e == EvaluationResult::ok) {
    s.v = field.v();
    s.lambda = field.mu();
    e = field.acceleration(s.a.data());
  }
  given_.v = s.v;
  return e;
}

EvaluationResult StateProjection::project_velocities() {
  if (m_ == 0) return EvaluationResult::ok;
  Violation left;
  const EvaluationResult e = reduce(
      result_.state.v, [this] { return velocity_violation(); }, [this] { return solve_for_velocities(); }, left);
  if (e != EvaluationResult::ok) return e;
  ConsistencyReport& r = result_.report;
  r.velocities_feasible = left.relative <= options_.tolerance;
  if (r.velocities_feasible) return EvaluationResult::ok;
  r.worst_constraint = row_name(left);
  if (!velocity_metric_.fixed.empty() || velocity_rows_contradict()) {
    r.feasible = false;
    name_rows_in_conflict();
  } else {
    remark_ =
        "the velocities violate the constraints, max |(g', psi)| = " + text(max_abs(evaluator_.quantities().g_rate)) +
        ", worst in \"" + row_name(left) + "\": the configuration is singular";
  }
  return EvaluationResult::ok;
}

/// Returns true if rows contradict each other at nearby configurations, too. At a singular configuration they do so
/// only here.
bool StateProjection::velocity_rows_contradict() {
  const MotionState here = result_.state;
  const int iterations = result_.report.iterations;
  const auto satisfied_near = [&](int k) {
    const double size = natural_size(saddle_.system(), here.q);
    const double shift = 0.1 * (size > 0.0 ? size : 1.0);
    for (Eigen::Index i = 0; i < here.q.size(); ++i) {
      result_.state.q[i] +=
          shift * saddle_.system().natural_scales()[i] * std::sin(2.4 * static_cast<double>((i + 1) * k));
    }
    Violation left;
    EvaluationResult e = factorize();
    if (e == EvaluationResult::ok)
      e = reduce(
          result_.state.v, [this] { return velocity_violation(); }, [this] { return solve_for_velocities(); }, left);
    result_.state = here;
    return e != EvaluationResult::ok || left.relative <= options_.tolerance;
  };
  const bool somewhere = satisfied_near(1) || satisfied_near(2) || satisfied_near(3);
  result_.report.iterations = iterations;
  return factorize() == EvaluationResult::ok && !somewhere;
}

/// Finds the rows that the best velocities violate.
void StateProjection::name_rows_in_conflict() {
  velocity_violation();  // computes terms_ of these rows
  if (solve_for_velocities() != EvaluationResult::ok) return;
  Eigen::VectorXd left = evaluator_.quantities().g_rate;
  left += evaluator_.quantities().G * top_;
  for (int i = 0; i < m_; ++i) left[i] = std::abs(left[i]) / (terms_[i] > 0.0 ? terms_[i] : 1.0);
  for (int i = 0; i < m_; ++i) {
    if (left[i] > 1e-3 * left.maxCoeff()) in_conflict_.push_back(saddle_.system().constraint_name(i));
  }
}

EvaluationResult StateProjection::solve_for_velocities() {
  bottom_ = -evaluator_.quantities().g_rate;
  if (velocity_metric_.plain()) return saddle_.solve(top_.data(), bottom_.data());
  return solve(velocity_step_, m_, velocity_metric_);
}

EvaluationResult StateProjection::solve(std::unique_ptr<MetricStep>& step, int rows, const Metric& metric) {
  const Workspace& w = evaluator_.quantities();
  if (step == nullptr) {
    step = std::make_unique<MetricStep>(*w.patterns, rows, metric,
                                        resolve_linear_solver(options_.linear_solver, saddle_.system()));
  }
  const EvaluationResult solved = step->solve(w, top_.data(), bottom_.data());
  metric_singular_ = solved == EvaluationResult::singular && !metric.plain();
  return solved;
}

}  // namespace sunlagrange::internal
