// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/static_equilibrium.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "analysis/linear/force_scales.hpp"
#include "analysis/shared/rounding.hpp"
#include "analysis/shared/row_space.hpp"
#include "analysis/shared/scaled_system.hpp"
#include "analysis/sundials/kinsol.hpp"
#include "base/problems.hpp"
#include "model/checks/required_system.hpp"
#include "model/time_held.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Forces are relative to the typical force of their part, displacements are in natural scales.
struct SearchLimits {
  static constexpr double singular = 1e-24;     ///< squared relative singular value of the Jacobian that is rounding
  static constexpr double no_step = 1e-4;       ///< largest Newton step from an equilibrium
  static constexpr double imbalance = 100.0;    ///< tolerances, admitted when multipliers and positions are found anew
  static constexpr double same = 1e-6;          ///< distance of configurations that count as one
  static constexpr double resisted = 1e-3;      ///< share of the largest residual force that is examined for dampers
  static constexpr double last_digits = 1e-15;  ///< Newton step, relative to each position, that is its rounding
  static constexpr int rescalings = 3;          ///< repetitions of the search with forces scaled at its end
  static constexpr int last_steps = 10;
  static constexpr int releases = 20;
  static constexpr long release_steps = 2000;
  static constexpr double release_tolerance = 1e-5;  ///< rtol and atol
  static constexpr double release_distance = 1e-2;   ///< from which the fastest point is a new start
};

/// The equations of an equilibrium. Unknowns are D^-1 q and lambda over the typical multiplier of the part; equations
/// are forces over the typical force of the part, the rows of g, and zeros in place of psi.
class BalanceEquations {
 public:
  /// @param tolerance  of forces, relative to the typical force
  BalanceEquations(const std::shared_ptr<const MechanicalSystem>& system, double tolerance)
      : evaluate_(system), tolerance_(tolerance) {
    at_.v = at_.a = VectorXd::Zero(system->num_positions());
    at_.lambda = VectorXd::Zero(system->num_constraints());
  }

  /// Computes the scales of forces and rows, and returns the unknowns with the multipliers of the least unbalanced
  /// force. Returns nothing if the model declines the start.
  std::optional<VectorXd> prepare(const MotionState& start, const LinearSolverOptions& options) {
    at_.t = start.t;
    at_.q = start.q;
    if (!evaluate_.find_scales(at_.t, at_.q, at_.v) || !evaluate_.evaluate(at_, here_)) return std::nullopt;
    if (!measure(evaluate_.columns())) return std::nullopt;
    const VectorXd mu = RowSpace(here_.G, evaluate_.threshold(options)).shortest_transposed(here_.f);
    at_.lambda = evaluate_.rows().cwiseProduct(mu);
    return unknowns();
  }

  /// Returns x with the scales of forces and multipliers at its own point, as linearise() uses them. Returns nothing if
  /// the model declines the point.
  std::optional<VectorXd> prepare_again(const VectorXd& x) {
    if (!evaluate(x) || !measure(evaluate_.system().natural_scales())) return std::nullopt;
    return unknowns();
  }

  bool residual(const VectorXd& x, VectorXd& F) {
    if (!evaluate(x)) return false;
    F.setZero(n() + m());
    F.head(n()) = (here_.G.transpose() * multipliers_.cwiseProduct(x.tail(m())) - here_.f).cwiseQuotient(forces_);
    F.segment(n(), here_.g.size()) = here_.g;
    return true;
  }

  bool factorise(const VectorXd& x) {
    if (!evaluate(x)) return false;
    J_.setZero(n() + m(), n() + m());
    const VectorXd per_force = forces_.cwiseInverse();
    J_.topLeftCorner(n(), n()) = per_force.asDiagonal() * here_.r_q;
    J_.topRightCorner(n(), m()) = per_force.asDiagonal() * here_.G.transpose() * multipliers_.asDiagonal();
    J_.block(n(), 0, here_.g.size(), n()) = here_.G.topRows(here_.g.size());
    row_space_.emplace(J_, SearchLimits::singular);
    return true;
  }

  /// Returns the shortest step. Rounding of b moves nothing along directions that are nearly free.
  VectorXd step(const VectorXd& b) const { return row_space_->shortest(b, rounding_of_value); }
  /// Returns the largest force of F above rounding that no step changes.
  double unresisted_force(const VectorXd& F) const {
    const VectorXd beyond = F - J_ * step(F);
    return (beyond.head(n()).cwiseAbs() - rounding_).cwiseMax(0.0).lpNorm<Eigen::Infinity>();
  }

  /// Returns true if the forces of F at x are balanced up to the rounding of the positions: the Newton step moves each
  /// by a few of its last digits, and it leaves no force.
  bool balanced_to_rounding(const VectorXd& x, const VectorXd& F) {
    if (!factorise(x) || !(unresisted_force(F) < rounding_of_solution)) return false;
    const VectorXd moved = step(-F).head(n()).cwiseAbs();
    return (moved.array() <= SearchLimits::last_digits * x.head(n()).cwiseAbs().array()).all();
  }

  /// Converts a force of F to one relative to the typical force, which rounding may have replaced by a larger scale in
  /// F.
  double relative_to_typical(Index i, double force) const { return raised_[i] * force; }

  /// Returns the largest displacement of a step in natural scales.
  double displacement(const VectorXd& step) const {
    const VectorXd dq = evaluate_.columns().cwiseProduct(step.head(n()));
    return dq.cwiseQuotient(evaluate_.system().natural_scales()).lpNorm<Eigen::Infinity>();
  }

  /// Returns the state of the unknowns x.
  const MotionState& state_at(const VectorXd& x) {
    evaluate(x);
    return at_;
  }
  const ScaledQuantities& quantities() const { return here_; }
  Index n() const { return at_.v.size(); }

 private:
  Index m() const { return at_.lambda.size(); }
  bool evaluate(const VectorXd& x) {
    at_.q = evaluate_.columns().cwiseProduct(x.head(n()));
    at_.lambda = evaluate_.rows().cwiseProduct(multipliers_.cwiseProduct(x.tail(m())));
    return evaluate_.evaluate(at_, here_);
  }
  bool measure(const VectorXd& scales) {
    const std::optional<ForceScales> typical = force_scales(evaluate_.system(), at_, scales);
    if (!typical) return false;
    const VectorXd forces = typical->coordinates.cwiseMax(typical->rounding / tolerance_);
    forces_ = evaluate_.columns().cwiseProduct(forces);
    raised_ = (typical->coordinates.array() > 0.0).select(forces.cwiseQuotient(typical->coordinates), 1.0);
    rounding_ = typical->rounding.cwiseQuotient(forces);
    multipliers_ = typical->rows;
    return true;
  }
  VectorXd unknowns() const {
    VectorXd x(n() + m());
    x << at_.q.cwiseQuotient(evaluate_.columns()),
        at_.lambda.cwiseQuotient(evaluate_.rows()).cwiseQuotient(multipliers_);
    return x;
  }

  ScaledSystem evaluate_;
  double tolerance_;
  MotionState at_;
  ScaledQuantities here_;
  VectorXd forces_, multipliers_;  // typical values in scaled coordinates and rows
  VectorXd rounding_;              // of forces, relative to forces_
  VectorXd raised_;                // forces_ relative to the typical forces
  MatrixXd J_;
  std::optional<RowSpace> row_space_;  // of J
};

void check(const std::shared_ptr<const MechanicalSystem>& system, const EquilibriumOptions& o) {
  require_forces(system, "static_equilibrium", "has no forces to be in balance");
  Problems problems("static_equilibrium: ");
  problems.require(o.max_iterations > 0, "max_iterations = " + std::to_string(o.max_iterations) + ": must be positive");
  problems.require(o.tolerance > 0.0 && o.tolerance < 1.0, "tolerance = " + text(o.tolerance) + ": must be in (0, 1)");
  problems.require(o.starts > 0, "starts = " + std::to_string(o.starts) + ": must be positive");
  problems.require(o.spread > 0.0 && std::isfinite(o.spread), "spread = " + text(o.spread) + ": must be positive");
  problems.throw_if_any();
}

/// Diagnosis of a search that found no equilibrium.
struct SearchEnd {
  bool stalled = false;  // KINSOL did not converge, or converged to no equilibrium
  bool damped = false;   // dampers or friction resist the residual forces, in this search or an earlier one

  /// Examines the residual forces F at the point evaluated last.
  void examine(const BalanceEquations& balance, const VectorXd& F) {
    VectorXd left = F.head(balance.n());
    left = (left.cwiseAbs().array() > SearchLimits::resisted * left.lpNorm<Eigen::Infinity>()).select(left, 0.0);
    damped = damped || left.dot(balance.quantities().r_v * left) > 0.0;
  }
};

Status not_found(const MechanicalSystem& system, BalanceEquations& balance, const NonlinearSolution& found,
                 SearchEnd& end) {
  VectorXd F;
  std::string where = "the model declines the last point";
  if (balance.residual(found.x, F)) {
    end.examine(balance, F);
    Index worst = 0;
    F.cwiseAbs().maxCoeff(&worst);
    const bool force = worst < balance.n();
    where = force ? "at " + system.position_name(static_cast<int>(worst)) + " a force of " +
                        text(balance.relative_to_typical(worst, std::abs(F[worst]))) +
                        " of the typical one is not balanced"
                  : "constraint " + system.constraint_name(static_cast<int>(worst - balance.n())) + " is violated by " +
                        text(std::abs(F[worst]));
  }
  return {Outcome::infeasible,
          "no equilibrium reached from this start: KINSOL ended with " + found.ended + " after " +
              std::to_string(found.iterations) + " iterations, " + where +
              "; start nearer, or try several starts (static_equilibria(), equilibrium --starts); or something without "
              "support falls freely"};
}

/// Returns b with the Euler parameters of each body on the side of those of a, because e and -e are the same
/// orientation.
VectorXd on_the_side_of(const MechanicalSystem& system, const VectorXd& a, VectorXd b) {
  Index last = 0;  // coordinate of the last Euler parameters
  const auto turns = [&](Index i) {
    const int at = static_cast<int>(i);
    return system.position_kind(at) == BlockKind::spatial_body &&
           system.position_domain(at) == std::optional<Domain>(Domain::rotation);
  };
  for (Index i = 0; i < b.size(); i = last) {
    last = i + 1;
    if (!turns(i)) continue;
    while (last < b.size() && last < i + 4 && turns(last)) ++last;
    if (a.segment(i, last - i).dot(b.segment(i, last - i)) < 0.0) b.segment(i, last - i) *= -1.0;
  }
  return b;
}

/// Returns true if the configurations are equal, with distances in natural scales and up to full turns.
bool same(const MechanicalSystem& system, const VectorXd& a, const VectorXd& given) {
  const VectorXd b = on_the_side_of(system, a, given);
  const double turn = 2.0 * std::acos(-1.0);
  for (Index i = 0; i < a.size(); ++i) {
    double d = std::abs(a[i] - b[i]);
    const BlockKind kind = system.position_kind(static_cast<int>(i));
    const bool angle = kind == BlockKind::rotation ||
                       (kind == BlockKind::planar_body &&
                        system.position_domain(static_cast<int>(i)) == std::optional<Domain>(Domain::rotation));
    if (angle) d = std::abs(std::remainder(d, turn));
    if (d > SearchLimits::same * system.natural_scales()[i] * (1.0 + std::abs(a[i]) / system.natural_scales()[i]))
      return false;
  }
  return true;
}

Status interrupted() {
  return {Outcome::interrupted, "the application ended the search"};
}

struct Interrupted {};

/// Returns the options with a `keep_going` that sets `ended` and is not asked again once it returned false.
EquilibriumOptions asking_until_ended(EquilibriumOptions options, bool& ended) {
  options.keep_going = [asked = options.keep_going, &ended](double t) {
    ended = ended || (asked && !asked(t));
    return !ended;
  };
  return options;
}

/// Takes Newton steps as long as they get shorter. Beside something stiff in the same part, a soft direction can be far
/// from its equilibrium although its force counts as zero.
VectorXd last_steps(BalanceEquations& balance, const VectorXd& start, double tolerance) {
  VectorXd x = start, F;
  double before = INFINITY;
  for (int k = 0; k < SearchLimits::last_steps; ++k) {
    if (!balance.residual(x, F) || !balance.factorise(x)) return start;
    const VectorXd step = balance.step(-F);
    const double size = balance.displacement(step);
    if (size <= rounding_of_solution || !(size < 0.5 * before)) break;
    before = size;
    x += step;
  }
  return balance.residual(x, F) && F.lpNorm<Eigen::Infinity>() <= tolerance ? x : start;
}

/// Solves by KINSOL, repeatedly if the forces are not balanced in the scales of the point that was reached. A search
/// that ended far from its start has converged if the forces are balanced in the scales of its end, or up to the
/// rounding of its positions.
NonlinearSolution solve(BalanceEquations& balance, const NonlinearProblem& problem, const VectorXd& start,
                        const EquilibriumOptions& options) {
  NonlinearSolution found = solve_by_kinsol(problem, start, options.tolerance, options.max_iterations);
  VectorXd F;
  for (int k = 0; k < SearchLimits::rescalings; ++k) {
    const std::optional<VectorXd> x = balance.prepare_again(found.x);
    if (x) found.x = *x;
    if (!x || !balance.residual(*x, F)) break;
    const bool balanced = F.lpNorm<Eigen::Infinity>() <= options.tolerance || balance.balanced_to_rounding(*x, F);
    if (balanced || !found.converged) {
      found.converged = balanced;
      break;
    }
    const int before = found.iterations;
    found = solve_by_kinsol(problem, *x, options.tolerance, options.max_iterations);
    found.iterations += before;
  }
  if (found.converged) found.x = last_steps(balance, found.x, options.tolerance);
  return found;
}

/// Searches from one start. @param end  set; its diagnosis adds to that of earlier searches
Equilibrium search(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                   const EquilibriumOptions& options, SearchEnd& end) {
  end.stalled = false;
  Equilibrium result;
  ConsistencyOptions consistency;
  consistency.linear_solver = options.linear_solver;
  InitialState rest = start;
  rest.v.resize(0);
  rest.fixed_velocities.clear();
  const ConsistentState first = consistent_state(system, rest, consistency);
  result.state = first.state;
  result.status = first.report.status;
  if (!first.report.feasible || result.status.outcome == Outcome::model_error) return result;
  BalanceEquations balance(system, options.tolerance);
  const std::optional<VectorXd> x = balance.prepare(first.state, options.linear_solver);
  if (!x) {
    result.status = {Outcome::model_error, "the model declined the start, or its derivatives are not finite there"};
    return result;
  }
  const std::string moving = prescribed_motion(*system, balance.quantities());
  if (!moving.empty()) {
    result.status = {Outcome::infeasible,
                     "constraint " + moving + " prescribes a motion at t = " + text(start.t) +
                         ": there is no equilibrium; remove it: delete the element from the model file, in C++ "
                         "without_constraints()"};
    return result;
  }
  VectorXd reached = *x;
  const auto factorise = [&](const VectorXd& at) {
    reached = at;
    if (!options.keep_going(start.t)) throw Interrupted{};
    return balance.factorise(at);
  };
  const NonlinearProblem problem{[&](const VectorXd& at, VectorXd& F) { return balance.residual(at, F); }, factorise,
                                 [&](const VectorXd& b) { return balance.step(b); }};
  NonlinearSolution found;
  try {
    found = solve(balance, problem, *x, options);
  } catch (const Interrupted&) {
    result.state = balance.state_at(reached);
    result.status = interrupted();
    return result;
  }
  result.iterations = found.iterations;
  result.state = balance.state_at(found.x);
  if (!found.converged) {
    end.stalled = true;
    result.status = not_found(*system, balance, found, end);
    return result;
  }
  VectorXd F;
  if (balance.residual(found.x, F) && balance.factorise(found.x)) {
    const double further = balance.displacement(balance.step(-F));
    const double unresisted = balance.unresisted_force(F);
    if (!(further < SearchLimits::no_step) || !(unresisted < rounding_of_solution)) {
      end.stalled = true;
      end.examine(balance, F);
      result.status = {
          Outcome::infeasible,
          "no equilibrium reached from this start: the residual forces are small beside the largest one, but a "
          "further step would move by " +
              text(further) + " natural scales, and nothing resists " + text(unresisted) +
              " of the typical force: the forces decay with distance, but do not vanish"};
      return result;
    }
  }
  result.linearisation = linearise(system, {result.state.t, result.state.q, {}}, consistency);
  result.status = result.linearisation.status;
  result.state = result.linearisation.state;
  if (!result.status.finished()) return result;
  if (result.linearisation.imbalance > SearchLimits::imbalance * options.tolerance) {
    end.stalled = true;
    result.status = {
        Outcome::infeasible,
        "no equilibrium reached from this start: the search ended near a singular pose, where unbounded multipliers "
        "balance any force; evaluated again, forces of " +
            text(result.linearisation.imbalance) + " of the typical one are not balanced; start elsewhere"};
    return result;
  }
  result.modes = modes(result.linearisation);
  result.reaction = -(SystemEvaluator(system).at(result.state.t, result.state.q).G.transpose() * result.state.lambda);
  return result;
}

/// Releases the mechanism from rest, with time frozen, and returns the configuration of its largest kinetic energy,
/// where the forces have done all their work: it is nearer to an equilibrium even if its residual is not smaller.
/// Returns nothing if the energy has no maximum or the run fails.
std::optional<VectorXd> state_of_largest_speed(const std::shared_ptr<const MechanicalSystem>& moving,
                                               const InitialState& from, const EquilibriumOptions& wanted) {
  SimulationOptions options;
  options.formulation = default_formulation(*moving);  // with BDF: the mechanism may be overdamped
  options.linear_solver = wanted.linear_solver;
  options.keep_going = wanted.keep_going;
  options.rtol = options.atol = SearchLimits::release_tolerance;
  options.t_end = from.t + 1e6;
  options.max_steps = SearchLimits::release_steps;
  options.record = Record::ends_only;
  const std::shared_ptr<const MechanicalSystem> system = with_time_held(moving, from.t);
  SystemEvaluator evaluate(system);
  Stepper stepper(system, from, options);
  double most = 0.0;
  VectorXd q = from.q;
  const VectorXd first = stepper.state().q;
  const auto moved = [&](const VectorXd& to) {
    return (to - first).cwiseQuotient(system->natural_scales()).lpNorm<Eigen::Infinity>();
  };
  while (stepper.step()) {
    const MotionState state = stepper.state();
    const double kinetic = 0.5 * state.v.dot(evaluate.at(state.t, state.q).M * state.v);
    if (!std::isfinite(kinetic)) break;
    if (kinetic < most) {
      // An overdamped mechanism is fastest near its start and creeps on; the configuration at half of that speed is
      // taken.
      if (moved(q) > SearchLimits::release_distance) return q;
      if (kinetic < 0.25 * most) return moved(q) > 0.25 * moved(state.q) ? q : state.q;
      continue;
    }
    most = kinetic;
    q = state.q;
  }
  return std::nullopt;
}

}  // namespace

Equilibrium static_equilibrium(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                               const EquilibriumOptions& options) {
  check(system, options);
  SearchEnd end;
  bool ended = false;
  const EquilibriumOptions asking = asking_until_ended(options, ended);
  Equilibrium first = search(system, start, asking, end);
  InitialState from = start;
  from.v.resize(0);
  from.fixed_velocities.clear();
  int iterations = first.iterations;
  for (int k = 0; k < SearchLimits::releases && end.stalled; ++k) {
    const std::optional<VectorXd> lower = state_of_largest_speed(system, from, asking);
    if (!lower) break;
    from.q = *lower;
    Equilibrium found = search(system, from, asking, end);
    found.iterations += iterations;
    if (found.status.finished() || ended) return found;
    iterations = found.iterations;
  }
  if (ended)
    first.status = interrupted();
  else if (end.damped)
    first.status.message +=
        "; these forces are resisted only by a damper or by friction, which is regularised: the mechanism creeps, and "
        "cannot rest there";
  return first;
}

std::vector<Equilibrium> static_equilibria(const std::shared_ptr<const MechanicalSystem>& system,
                                           const InitialState& start, const EquilibriumOptions& options) {
  check(system, options);
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Equilibrium> all;
  bool ended = false;
  const EquilibriumOptions asking = asking_until_ended(options, ended);
  for (int k = 0; k < options.starts && !ended; ++k) {
    InitialState from = start;
    if (k > 0) {
      for (Index i = 0; i < from.q.size(); ++i)
        from.q[i] += options.spread * system->natural_scales()[i] * uniform(random);
    }
    Equilibrium found = static_equilibrium(system, from, asking);
    if (!found.status.finished()) continue;
    const bool known = std::any_of(
        all.begin(), all.end(), [&](const Equilibrium& other) { return same(*system, found.state.q, other.state.q); });
    if (!known) all.push_back(std::move(found));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Equilibrium& a, const Equilibrium& b) { return a.modes.stability < b.modes.stability; });
  return all;
}

}  // namespace sunlagrange
