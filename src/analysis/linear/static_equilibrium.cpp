#include <sunlagrange/analysis/static_equilibrium.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "analysis/linear/force_scales.hpp"
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

constexpr double rounding = 1e-24;  // of squared relative singular values of the Jacobian: what is singular exactly
constexpr double rounding_of_forces = 1e-14;  // of the typical one
constexpr double same_place = 1e-6;
constexpr double no_force = 1e-13;   // of the typical one, where something moves freely
constexpr double no_further = 1e-4;  // natural scales, of a Newton step from an equilibrium
constexpr double left_over = 100.0;  // tolerances, when multipliers and positions are found anew
constexpr int most_rescalings = 3;
constexpr int most_last_steps = 10;
constexpr double arrived = 1e-13;  // natural scales
constexpr int most_releases = 20;
constexpr long most_release_steps = 2000;
constexpr double moved_enough = 1e-2;  // natural scales
constexpr double release_tolerance = 1e-5;

/// Unknowns (D^-1 q, lambda over what is typical of the row's part); equations: forces over the typical one of their
/// part, rows of g, and zeros in place of psi.
class Balance {
 public:
  /// @param tolerance  of forces, over the typical one
  Balance(const std::shared_ptr<const MechanicalSystem>& system, double tolerance)
      : evaluate_(system), tolerance_(tolerance) {
    at_.v = at_.a = VectorXd::Zero(system->num_positions());
    at_.lambda = VectorXd::Zero(system->num_constraints());
  }

  /// Scales of forces and rows, and the multipliers that come nearest to a balance. False: declined.
  std::optional<VectorXd> prepare(const MotionState& start, const LinearSolverOptions& options) {
    at_.t = start.t;
    at_.q = start.q;
    if (!evaluate_.find_scales(at_.t, at_.q, at_.v) || !evaluate_.evaluate(at_, here_)) return std::nullopt;
    if (!measure(evaluate_.columns())) return std::nullopt;
    const VectorXd mu = RowSpace(here_.G, evaluate_.threshold(options)).shortest_transposed(here_.f);
    at_.lambda = evaluate_.rows().cwiseProduct(mu);
    return unknowns();
  }

  /// x in natural scales of the forces and multipliers where it is, as linearise() judges them. Nothing: declined.
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
    row_space_.emplace(J_, rounding);
    return true;
  }

  /// Rounding of b moves nothing along directions that are nearly free.
  VectorXd step(const VectorXd& b) const { return row_space_->shortest(b, rounding_of_forces); }
  /// Largest force of F that no step would change and that is no rounding.
  double beyond_steps(const VectorXd& F) const {
    const VectorXd beyond = F - J_ * step(F);
    return (beyond.head(n()).cwiseAbs() - rounding_).cwiseMax(0.0).lpNorm<Eigen::Infinity>();
  }

  /// A force of F, over the typical one: rounding may have raised what it is compared with in F.
  double of_typical(Index i, double force) const { return raised_[i] * force; }

  /// Largest displacement of a step, in natural scales.
  double displacement(const VectorXd& step) const {
    const VectorXd dq = evaluate_.columns().cwiseProduct(step.head(n()));
    return dq.cwiseQuotient(evaluate_.system().natural_scales()).lpNorm<Eigen::Infinity>();
  }

  /// The state that belongs to x.
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
  VectorXd forces_, multipliers_;  // what is typical, in scaled coordinates and rows
  VectorXd rounding_;              // of forces, over forces_
  VectorXd raised_;                // forces_ over what is typical
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

/// A row that asks for a velocity or an acceleration where nothing moves; empty: none does.
std::string prescribed_motion(const MechanicalSystem& system, const ScaledQuantities& at) {
  for (Index i = 0; i < at.g_rate.size(); ++i) {
    if (std::max(std::abs(at.g_rate[i]), std::abs(at.gamma[i])) > 1e-12)
      return system.constraint_name(static_cast<int>(i));
  }
  return "";
}

/// How a search ended that found nothing.
struct Stall {
  bool stalled = false;  // KINSOL found no balance
  bool creeps = false;   // forces that need a velocity resist what was left over, in this search or an earlier one
  static constexpr double counts = 1e-3;  // of the largest force left over

  /// The forces that are left over at the point of the balance.
  void look(const Balance& balance, const VectorXd& F) {
    VectorXd left = F.head(balance.n());
    left = (left.cwiseAbs().array() > counts * left.lpNorm<Eigen::Infinity>()).select(left, 0.0);
    creeps = creeps || left.dot(balance.quantities().r_v * left) > 0.0;
  }
};

Status not_found(const MechanicalSystem& system, Balance& balance, const NonlinearSolution& found, Stall& stall) {
  VectorXd F;
  std::string where = "the model declines the last point";
  if (balance.residual(found.x, F)) {
    stall.look(balance, F);
    Index worst = 0;
    F.cwiseAbs().maxCoeff(&worst);
    const bool force = worst < balance.n();
    where = force ? "at " + system.position_name(static_cast<int>(worst)) + " a force of " +
                        text(balance.of_typical(worst, std::abs(F[worst]))) + " of the typical one is not balanced"
                  : "constraint " + system.constraint_name(static_cast<int>(worst - balance.n())) + " is violated by " +
                        text(std::abs(F[worst]));
  }
  return {
      Outcome::infeasible,
      "no equilibrium reached from this start: KINSOL ended with " + found.ended + " after " +
          std::to_string(found.iterations) + " iterations, " + where +
          "; start nearer, try several starts (static_equilibria(), equilibrium --starts), or something that nothing "
          "holds falls freely"};
}

/// b with the Euler parameters of each body on the side of those of a: e and -e are one orientation.
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

/// The same configuration, in natural scales and but for full turns.
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
    if (d > same_place * system.natural_scales()[i] * (1.0 + std::abs(a[i]) / system.natural_scales()[i])) return false;
  }
  return true;
}

Status interruption() {
  return {Outcome::interrupted, "the application ended the search"};
}

struct Interrupted {};

/// The options, `keep_going` asked no more once it said no: then `ended`.
EquilibriumOptions latched(EquilibriumOptions options, bool& ended) {
  options.keep_going = [asked = options.keep_going, &ended](double t) {
    ended = ended || (asked && !asked(t));
    return !ended;
  };
  return options;
}

/// Newton steps as long as they get shorter: beside something stiff in the same part a soft direction is far from its
/// balance while its force counts as none.
VectorXd last_steps(Balance& balance, const VectorXd& start, double tolerance) {
  VectorXd x = start, F;
  double before = INFINITY;
  for (int k = 0; k < most_last_steps; ++k) {
    if (!balance.residual(x, F) || !balance.factorise(x)) return start;
    const VectorXd step = balance.step(-F);
    const double size = balance.displacement(step);
    if (size <= arrived || !(size < 0.5 * before)) break;
    before = size;
    x += step;
  }
  return balance.residual(x, F) && F.lpNorm<Eigen::Infinity>() <= tolerance ? x : start;
}

/// By KINSOL, and again as long as the forces are not in balance by the scales of where it ended.
NonlinearSolution solve(Balance& balance, const NonlinearProblem& problem, const VectorXd& start,
                        const EquilibriumOptions& options) {
  NonlinearSolution found = solve_by_kinsol(problem, start, options.tolerance, options.max_iterations);
  VectorXd F;
  for (int k = 0; k < most_rescalings && found.converged; ++k) {
    const std::optional<VectorXd> x = balance.prepare_again(found.x);
    if (x) found.x = *x;
    if (!x || !balance.residual(*x, F) || F.lpNorm<Eigen::Infinity>() <= options.tolerance) break;
    const int before = found.iterations;
    found = solve_by_kinsol(problem, *x, options.tolerance, options.max_iterations);
    found.iterations += before;
  }
  if (found.converged) found.x = last_steps(balance, found.x, options.tolerance);
  return found;
}

/// One search from one start. @param stall  set, and added to
Equilibrium search(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                   const EquilibriumOptions& options, Stall& stall) {
  stall.stalled = false;
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
  Balance balance(system, options.tolerance);
  const std::optional<VectorXd> x = balance.prepare(first.state, options.linear_solver);
  if (!x) {
    result.status = {Outcome::model_error, "the model declined the start, or its derivatives are not finite there"};
    return result;
  }
  const std::string moving = prescribed_motion(*system, balance.quantities());
  if (!moving.empty()) {
    result.status = {Outcome::infeasible,
                     "constraint " + moving + " prescribes a motion at t = " + text(start.t) +
                         ": there is no rest; take it out: delete the element from the model file, in C++ "
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
    result.status = interruption();
    return result;
  }
  result.iterations = found.iterations;
  result.state = balance.state_at(found.x);
  if (!found.converged) {
    stall.stalled = true;
    result.status = not_found(*system, balance, found, stall);
    return result;
  }
  VectorXd F;
  if (balance.residual(found.x, F) && balance.factorise(found.x)) {
    const double further = balance.displacement(balance.step(-F));
    const double nowhere = balance.beyond_steps(F);
    if (!(further < no_further) || !(nowhere < no_force)) {
      stall.stalled = true;
      stall.look(balance, F);
      result.status = {
          Outcome::infeasible,
          "no equilibrium reached from this start: forces are left over that are small beside the largest, "
          "but another step would lead on by " +
              text(further) + " natural scales, and nothing resists " + text(nowhere) +
              " of the typical force: they decay, and vanish nowhere"};
      return result;
    }
  }
  result.linearisation = linearise(system, {result.state.t, result.state.q, {}}, consistency);
  result.status = result.linearisation.status;
  result.state = result.linearisation.state;
  if (!result.status.finished()) return result;
  if (result.linearisation.imbalance > left_over * options.tolerance) {
    stall.stalled = true;
    result.status = {
        Outcome::infeasible,
        "no equilibrium reached from this start: the search ended beside a singular pose, where multipliers "
        "without bound balance anything; once more, forces of " +
            text(result.linearisation.imbalance) + " of the typical one are left over; start elsewhere"};
    return result;
  }
  result.modes = modes(result.linearisation);
  result.reaction = -(SystemEvaluator(system).at(result.state.t, result.state.q).G.transpose() * result.state.lambda);
  return result;
}

/// Let go at rest, the mechanism is fastest where forces have done all the work they can: nearer to a balance, whatever
/// the residual looks like in between. Time stands still meanwhile. Nothing: it gets ever faster, stays, or the run
/// fails.
std::optional<VectorXd> fastest_after_release(const std::shared_ptr<const MechanicalSystem>& moving,
                                              const InitialState& from, const EquilibriumOptions& wanted) {
  constexpr double forever = 1e6;  // [s]
  SimulationOptions options;
  options.linear_solver = wanted.linear_solver;
  options.keep_going = wanted.keep_going;
  options.rtol = options.atol = release_tolerance;
  options.t_end = from.t + forever;
  options.max_steps = most_release_steps;
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
      // overdamped, it is fastest almost at once, and creeps: then the place counts where it has half of the speed left
      if (moved(q) > moved_enough) return q;
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
  Stall stall;
  bool ended = false;
  const EquilibriumOptions asking = latched(options, ended);
  Equilibrium first = search(system, start, asking, stall);
  InitialState from = start;
  from.v.resize(0);
  from.fixed_velocities.clear();
  int iterations = first.iterations;
  for (int k = 0; k < most_releases && stall.stalled; ++k) {
    const std::optional<VectorXd> lower = fastest_after_release(system, from, asking);
    if (!lower) break;
    from.q = *lower;
    Equilibrium found = search(system, from, asking, stall);
    found.iterations += iterations;
    if (found.status.finished() || ended) return found;
    iterations = found.iterations;
  }
  if (ended)
    first.status = interruption();
  else if (stall.creeps)
    first.status.message +=
        "; what resists there needs a velocity: a damper, or friction, which is regularised: it creeps, and cannot "
        "hold at rest";
  return first;
}

std::vector<Equilibrium> static_equilibria(const std::shared_ptr<const MechanicalSystem>& system,
                                           const InitialState& start, const EquilibriumOptions& options) {
  check(system, options);
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Equilibrium> all;
  bool ended = false;
  const EquilibriumOptions asking = latched(options, ended);
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
