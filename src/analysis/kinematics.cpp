#include <sunlagrange/analysis/kinematics.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/model/system_evaluator.hpp>

#include "analysis/one_coordinate.hpp"
#include "analysis/row_space.hpp"
#include "analysis/scaled_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double converged = 1e-13;  // of a correction, in scaled coordinates
constexpr double contraction = 0.5;  // of corrections: slower, and the solution may lie on another branch
constexpr double shortest_step = 1e-9;
constexpr double longest_step = 0.2;
constexpr long most_steps = 200000;

/// A point of the curve g = 0 in scaled coordinates, with its unit tangent.
struct CurvePoint {
  VectorXd x, tangent;
};

/// The curve g(q) = 0, t fixed, of a mechanism with one degree of freedom.
class Curve {
 public:
  Curve(const std::shared_ptr<const MechanicalSystem>& system, int driven, const KinematicsOptions& options)
      : evaluate_(system), terms_(system), driven_(driven), threshold_(evaluate_.threshold(options.linear_solver)) {}

  bool begin(const MotionState& start) {
    at_ = start;
    at_.v = at_.a = VectorXd::Zero(start.q.size());
    at_.lambda = VectorXd::Zero(evaluate_.rows().size());
    return evaluate_.find_scales(at_.t, at_.q, at_.v);
  }

  VectorXd scaled(const VectorXd& q) const { return q.cwiseQuotient(evaluate_.columns()); }
  VectorXd unscaled(const VectorXd& x) const { return x.cwiseProduct(evaluate_.columns()); }
  double s(const VectorXd& x) const { return x[driven_] * evaluate_.columns()[driven_]; }
  double scaled_s(double s) const { return s / evaluate_.columns()[driven_]; }
  double along(const CurvePoint& p) const { return p.tangent[driven_]; }

  /// Degrees of freedom at x; -1: declined.
  int freedoms(const VectorXd& x) {
    if (!look(x)) return -1;
    return static_cast<int>(RowSpace(here_.G, threshold_).null().cols());
  }
  const ScaledQuantities& quantities() const { return here_; }

  /// The tangent at x, on the side of `before`. Nothing: no single one, or declined.
  std::optional<VectorXd> tangent(const VectorXd& x, const VectorXd& before) {
    if (!look(x)) return std::nullopt;
    const RowSpace rows(here_.G, threshold_);
    if (rows.null().cols() != 1) return std::nullopt;
    const VectorXd direction = rows.null().col(0);
    return direction.dot(before) < 0.0 ? VectorXd(-direction) : direction;
  }

  /// Newton's iteration onto g = 0 and normal . x = value.
  std::optional<VectorXd> onto(VectorXd x, const VectorXd& normal, double value) {
    double before = INFINITY;
    for (int k = 0; k < 30; ++k) {
      if (!look(x)) return std::nullopt;
      MatrixXd J(here_.G.rows() + 1, x.size());
      J << here_.G, normal.transpose();
      VectorXd F(J.rows());
      F << here_.g, normal.dot(x) - value;
      const VectorXd step = RowSpace(J, threshold_).shortest(F);
      x -= step;
      const double size = step.norm(), rounding = converged * (1.0 + x.norm());
      const bool stagnates = size > contraction * before;
      if (size <= rounding || (stagnates && size <= 1e3 * rounding)) {
        // near a dead point the last row may count as lost: then it is not met
        if (std::abs(normal.dot(x) - value) > 1e3 * rounding) return std::nullopt;
        return x;
      }
      if (stagnates) return std::nullopt;
      before = size;
    }
    return std::nullopt;
  }

  /// The point at arc length h from `from`, nearly. Nothing: too far.
  std::optional<CurvePoint> step(const CurvePoint& from, double h, double max_turn) {
    const VectorXd guess = from.x + h * from.tangent;
    const std::optional<VectorXd> x = onto(guess, from.tangent, from.tangent.dot(guess));
    if (!x) return std::nullopt;
    const std::optional<VectorXd> direction = tangent(*x, from.tangent);
    if (!direction || direction->dot(from.tangent) < std::cos(max_turn)) return std::nullopt;
    return CurvePoint{*x, *direction};
  }

  /// Derivatives by s, at a point that is no dead point.
  KinematicPoint describe(const CurvePoint& p) {
    KinematicPoint point;
    point.q = unscaled(p.x);
    point.s = s(p.x);
    point.rate = unscaled(p.tangent) / (p.tangent[driven_] * evaluate_.columns()[driven_]);
    // G q'' = gamma at v = dq/ds, and no acceleration of s itself
    look(p.x);
    const VectorXd gamma = evaluate_.rows().cwiseProduct(terms_.at(at_.t, point.q, point.rate).gamma);
    MatrixXd J(here_.G.rows() + 1, p.x.size());
    J << here_.G, VectorXd::Unit(p.x.size(), driven_).transpose();
    VectorXd right(J.rows());
    right << gamma, 0.0;
    point.curvature = unscaled(RowSpace(J, threshold_).shortest(right));
    return point;
  }

  VectorXd driven_axis() const { return VectorXd::Unit(at_.q.size(), driven_); }

 private:
  bool look(const VectorXd& x) {
    at_.q = unscaled(x);
    return evaluate_.evaluate(at_, here_);
  }

  ScaledSystem evaluate_;
  SystemEvaluator terms_;
  int driven_;
  double threshold_;
  MotionState at_;
  ScaledQuantities here_;
};

/// Follows the curve from value to value of the grid.
class Tour {
 public:
  Tour(Curve& curve, const MechanicalSystem& system, const std::vector<double>& grid, const KinematicsOptions& options,
       Kinematics& result)
      : curve_(curve), system_(system), grid_(grid), options_(options), result_(result) {}

  void run(CurvePoint at) {
    const bool rising = grid_.back() >= grid_.front();
    if ((curve_.along(at) < 0.0) == rising) at.tangent = -at.tangent;
    start_branch();
    record(at);
    int next = 1, direction = 1;  // in the grid
    double h = 0.02;
    for (long k = 0; next >= 0 && next < count(); ++k) {
      if (k == most_steps) return fail(Outcome::step_limit, at, "no end after " + std::to_string(k) + " steps");
      const std::optional<CurvePoint> to = curve_.step(at, h, options_.max_turn);
      if (!to) {
        h *= 0.5;
        if (h > shortest_step) continue;
        return fail(Outcome::uncertain_branch, at, "no single way on: branches cross, or the model ends");
      }
      const bool turns = (curve_.along(at) > 0.0) != (curve_.along(*to) > 0.0);
      const double sign = curve_.along(at) > 0.0 ? 1.0 : -1.0;
      const double reach = turns ? arc_to_dead_point(at, h) : h;
      if (!sweep(at, {0.0, reach}, sign, next, direction)) return;
      if (next < 0 || next >= count()) return;
      if (turns) {
        end_branch(*curve_.step(at, reach, options_.max_turn), next, direction);
        if (static_cast<int>(result_.branches.size()) > options_.max_dead_points) return;
        start_branch();
        direction = -direction;
        next += direction;
        if (!sweep(at, {reach, h}, -sign, next, direction)) return;
      }
      at = *to;
      h = std::min(longest_step, 1.5 * h);
    }
  }

 private:
  int count() const { return static_cast<int>(grid_.size()); }
  double value(int k) const { return grid_[static_cast<std::size_t>(k)]; }
  KinematicBranch& branch() { return result_.branches.back(); }
  void start_branch() { result_.branches.emplace_back(); }
  void record(const CurvePoint& p) { branch().points.push_back(curve_.describe(p)); }

  /// Records the values of the grid that lie on an arc behind `from`, on which s moves in the direction `sign`.
  bool sweep(const CurvePoint& from, Bracket arc, double sign, int& next, int direction) {
    const auto s_at = [&](double h) {
      const std::optional<CurvePoint> p = curve_.step(from, h, options_.max_turn);
      return p ? curve_.s(p->x) : INFINITY;
    };
    const double end = s_at(arc.out);
    for (; next >= 0 && next < count() && sign * (end - value(next)) >= 0.0; next += direction) {
      const double s = value(next);
      const auto before = [&](double h) { return sign * (s_at(h) - s) < 0.0; };
      const double h = bisect(before, arc, 1e-3 * std::abs(arc.out - arc.in)).in;
      const std::optional<CurvePoint> near = curve_.step(from, h, options_.max_turn);
      const std::optional<VectorXd> x =
          near ? curve_.onto(near->x, curve_.driven_axis(), curve_.scaled_s(s)) : std::nullopt;
      const std::optional<VectorXd> direction_there = x ? curve_.tangent(*x, from.tangent) : std::nullopt;
      if (!direction_there) {
        fail(Outcome::uncertain_branch, from, "the value " + text(s) + " is too near to a dead point or a crossing");
        return false;
      }
      record({*x, *direction_there});
    }
    return true;
  }

  /// Length of the arc behind `from`, shorter than h, to where the tangent has no component along the coordinate.
  double arc_to_dead_point(const CurvePoint& from, double h) {
    const bool ahead = curve_.along(from) > 0.0;
    const auto before = [&](double arc) {
      const std::optional<CurvePoint> p = curve_.step(from, arc, options_.max_turn);
      return p && (curve_.along(*p) > 0.0) == ahead;
    };
    return bisect(before, {0.0, h}, 1e-15 * h).in;
  }

  void end_branch(const CurvePoint& at, int next, int direction) {
    DeadPoint dead{curve_.s(at.x), curve_.unscaled(at.x), curve_.unscaled(at.tangent)};
    Index most = 0;
    dead.direction.cwiseAbs().cwiseQuotient(system_.natural_scales()).maxCoeff(&most);
    dead.direction *= system_.natural_scales()[most] / dead.direction[most];
    for (int k = next; k >= 0 && k < count(); k += direction) branch().unreached.push_back(value(k));
    if (result_.branches.size() == 1U) {
      result_.status = {Outcome::infeasible, "dead point at " + result_.coordinate + " = " + text(dead.s) + ": " +
                                                 std::to_string(branch().unreached.size()) +
                                                 " value(s) of the grid from " + text(value(next)) +
                                                 " on are not reached; drive another coordinate, " +
                                                 system_.position_name(static_cast<int>(most)) + " moves there"};
    }
    branch().dead_point.push_back(std::move(dead));
  }

  void fail(Outcome outcome, const CurvePoint& at, const std::string& what) {
    result_.status = {outcome, "at " + result_.coordinate + " = " + text(curve_.s(at.x)) + ": " + what};
  }

  Curve& curve_;
  const MechanicalSystem& system_;
  const std::vector<double>& grid_;
  const KinematicsOptions& options_;
  Kinematics& result_;
};

void check(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<double>& grid,
           const KinematicsOptions& options) {
  if (system == nullptr)
    throw Error("kinematics: the system is null; build it with make_system() or Assembly::build()");
  if (system->first_order()) throw Error("kinematics: a kinematic program moves by itself; simulate it");
  if (system->num_velocity_constraints() > 0)
    throw Error("kinematics: constraint " + system->constraint_name(system->num_position_constraints()) +
                " holds velocities: positions are no function of a coordinate; simulate a drive instead");
  if (grid.empty()) throw Error("kinematics: the grid is empty; give the values of the coordinate");
  for (std::size_t i = 1; i < grid.size(); ++i) {
    if (!std::isfinite(grid[i]) || (grid[i] > grid[i - 1]) != (grid[1] > grid[0]) || grid[i] == grid[i - 1])
      throw Error("kinematics: the grid is not strictly ascending or descending at value " + std::to_string(i) + ", " +
                  text(grid[i]));
  }
  if (!(options.max_turn > 0.0 && options.max_turn < 1.0))
    throw Error("kinematics: max_turn = " + text(options.max_turn) + ": must be in (0, 1)");
  if (options.max_dead_points < 0)
    throw Error("kinematics: max_dead_points = " + std::to_string(options.max_dead_points) + ": must not be negative");
}

}  // namespace

MotionState KinematicPoint::state(double t, double speed, double acceleration) const {
  MotionState state;
  state.t = t;
  state.q = q;
  state.v = rate * speed;
  state.a = rate * acceleration + curvature * (speed * speed);
  return state;
}

Kinematics kinematics(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                      const std::string& coordinate, const std::vector<double>& grid,
                      const KinematicsOptions& options) {
  check(system, grid, options);
  Kinematics result;
  const int driven = one_coordinate(*system, coordinate, "kinematics");
  result.coordinate = system->position_name(driven);
  InitialState first = start;
  first.v.resize(0);
  first.fixed_velocities.clear();
  if (first.q.size() > driven) first.q[driven] = grid.front();
  first.fixed_positions.push_back(result.coordinate);
  ConsistencyOptions consistency;
  consistency.linear_solver = options.linear_solver;
  const ConsistentState found = consistent_state(system, first, consistency);
  if (!found.report.feasible || found.report.status.outcome == Outcome::model_error) {
    result.status = found.report.status;
    return result;
  }
  Curve curve(system, driven, options);
  if (!curve.begin(found.state)) {
    result.status = {Outcome::model_error, "the model declined the first configuration"};
    return result;
  }
  const VectorXd x = curve.scaled(found.state.q);
  const int freedoms = curve.freedoms(x);
  for (Index i = 0; freedoms >= 0 && i < curve.quantities().g_rate.size(); ++i) {
    if (std::abs(curve.quantities().g_rate[i]) > 1e-12)
      throw Error("kinematics: constraint " + system->constraint_name(static_cast<int>(i)) +
                  " prescribes a motion already; take it out: delete the element from the model file, in C++ "
                  "without_constraints()");
  }
  if (freedoms != 1) {
    result.status = {Outcome::rank_loss, "the first configuration has " + std::to_string(freedoms) +
                                             " degrees of freedom, not one: hold the others with constraints, or start "
                                             "beside a singular pose"};
    return result;
  }
  const std::optional<VectorXd> tangent = curve.tangent(x, curve.driven_axis());
  Tour(curve, *system, grid, options, result).run({x, *tangent});
  return result;
}

}  // namespace sunlagrange
