#include "analysis/geometry/constraint_curve.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>

#include "analysis/geometry/branch_crossing.hpp"
#include "analysis/shared/row_space.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double converged = 1e-13;     // of a correction, in scaled coordinates
constexpr double contraction = 0.5;     // of corrections: slower, and the solution may lie on another branch
constexpr double shortest_step = 1e-6;  // nearer to a singular pose points are rounding
constexpr double longest_step = 0.2;
constexpr double near_crossing = 0.03;      // arc from which a crossing is passed
constexpr double at_dead_point = 1e-12;     // there Newton's iteration meets a double root
constexpr double start_is_known_to = 1e-8;  // in natural scales: a few times the tolerance of consistent states
constexpr double at_crossing = 1e-6;        // a value this near counts as beyond it, in scaled coordinates
constexpr long most_steps = 200000;

}  // namespace

ConstraintCurve::ConstraintCurve(const std::shared_ptr<const MechanicalSystem>& system, int driven,
                                 const KinematicsOptions& options)
    : evaluate_(system), terms_(system), driven_(driven), threshold_(evaluate_.threshold(options.linear_solver)) {}

bool ConstraintCurve::begin(const MotionState& start) {
  at_ = start;
  at_.v = at_.a = VectorXd::Zero(start.q.size());
  at_.lambda = VectorXd::Zero(evaluate_.rows().size());
  if (!evaluate_.find_scales(at_.t, at_.q, at_.v) || !evaluate_.evaluate(at_, here_)) return false;
  violation_ = here_.g.norm();
  return true;
}

void ConstraintCurve::drive(int driven, const std::vector<int>& held, const VectorXd& x) {
  driven_ = driven;
  held_ = held;
  held_at_.resize(static_cast<Index>(held.size()));
  for (Index i = 0; i < held_at_.size(); ++i) held_at_[i] = x[held[static_cast<std::size_t>(i)]];
}

int ConstraintCurve::freedoms(const VectorXd& x) {
  if (!look(x)) return -1;
  return static_cast<int>(RowSpace(here_.G, threshold_).null().cols());
}

std::optional<CurvePoint> ConstraintCurve::point(const VectorXd& x, const VectorXd& before) {
  if (!look(x)) return std::nullopt;
  const RowSpace rows(here_.G, threshold_);
  if (rows.null().cols() != 1) return std::nullopt;
  const VectorXd direction = rows.null().col(0) * (rows.null().col(0).dot(before) < 0.0 ? -1.0 : 1.0);
  MatrixXd polar(here_.G.rows() + 1, x.size());
  polar << rows.polar(), direction.transpose();
  return CurvePoint{x, direction, std::move(polar)};
}

std::optional<VectorXd> ConstraintCurve::onto(VectorXd x, const VectorXd& normal, double value) {
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

bool ConstraintCurve::holds() const {
  return here_.g.norm() <= 10.0 * (violation_ + converged * (1.0 + scaled(at_.q).norm()));
}

std::optional<CurvePoint> ConstraintCurve::step(const CurvePoint& from, double h, double max_turn) {
  const VectorXd guess = from.x + h * from.tangent;
  const std::optional<VectorXd> x = onto(guess, from.tangent, from.tangent.dot(guess));
  if (!x) return std::nullopt;
  std::optional<CurvePoint> there = point(*x, from.tangent);
  if (there && there->tangent.dot(from.tangent) < std::cos(max_turn)) return std::nullopt;
  // near a singular pose a row of G may count as lost: then its condition is not met
  if (there && !holds()) return std::nullopt;
  return there;
}

KinematicPoint ConstraintCurve::describe(const CurvePoint& p) {
  const Index n = p.x.size();
  KinematicPoint point;
  point.q = unscaled(p.x);
  point.s = s(p.x);
  point.rate = point.curvature = VectorXd::Constant(n, NAN);
  look(p.x);
  MatrixXd J(here_.G.rows() + 1, n);
  J << here_.G, VectorXd::Unit(n, driven_).transpose();
  const RowSpace rows(J, threshold_);
  if (rows.rank() < n) return point;
  point.rate = unscaled(p.tangent) / (p.tangent[driven_] * evaluate_.columns()[driven_]);
  // G q'' = gamma at v = dq/ds
  const VectorXd gamma = row_scales_.cwiseProduct(terms_.at(at_.t, point.q, point.rate).gamma);
  VectorXd right = VectorXd::Zero(J.rows());  // neither held coordinates nor s accelerate
  right.head(gamma.size()) = gamma;
  point.curvature = unscaled(rows.shortest(right));
  return point;
}

std::optional<MatrixXd> ConstraintCurve::rates(const VectorXd& q, const std::vector<int>& driven) {
  at_.q = q;
  if (!evaluate_.evaluate(at_, here_)) return std::nullopt;
  const Index m = here_.G.rows(), n = q.size(), d = static_cast<Index>(driven.size());
  MatrixXd J = MatrixXd::Zero(m + d, n), right = MatrixXd::Zero(m + d, d);
  J.topRows(m) = here_.G;
  for (Index k = 0; k < d; ++k) {
    const int i = driven[static_cast<std::size_t>(k)];
    J(m + k, i) = 1.0;
    right(m + k, k) = 1.0 / evaluate_.columns()[i];
  }
  const RowSpace rows(J, threshold_);
  if (rows.null().cols() > 0) return std::nullopt;
  return MatrixXd(evaluate_.columns().asDiagonal() * rows.shortest(right));
}

bool ConstraintCurve::look(const VectorXd& x) {
  at_.q = unscaled(x);
  if (!evaluate_.evaluate(at_, here_)) return false;
  const Index m = here_.G.rows(), more = held_at_.size();
  // the scales are those of the start: beside a singular pose, rows were short there
  const VectorXd shrink =
      here_.G.rowwise().norm().unaryExpr([](double length) { return length > 10.0 ? 1.0 / length : 1.0; });
  here_.G = shrink.asDiagonal() * here_.G;
  here_.g = shrink.asDiagonal() * here_.g;
  row_scales_ = evaluate_.rows().cwiseProduct(shrink);
  here_.G.conservativeResize(m + more, Eigen::NoChange);
  here_.g.conservativeResize(m + more);
  for (Index i = 0; i < more; ++i) {
    const int held = held_[static_cast<std::size_t>(i)];
    here_.G.row(m + i) = VectorXd::Unit(x.size(), held);
    here_.g[m + i] = x[held] - held_at_[i];
  }
  return true;
}

namespace {

/// Follows the curve from value to value of the grid.
class CurveTour {
 public:
  CurveTour(ConstraintCurve& curve, const std::vector<double>& grid, const KinematicsOptions& options,
            Kinematics& result)
      : curve_(curve), system_(curve.system()), grid_(grid), options_(options), result_(result) {}

  void run(const CurvePoint& at) {
    follow(at);
    if (dead_value_ && !in_grid(next_)) end_branch(*dead_value_);
  }

 private:
  void follow(CurvePoint at) {
    const bool rising = grid_.back() >= grid_.front();
    if ((curve_.along(at) < 0.0) == rising) {
      at.tangent = -at.tangent;
      at.polar.bottomRows<1>() = at.tangent.transpose();
    }
    start_branch();
    record(at);
    if (!dead_value_ && starts_dead()) lose_rates(at);
    if (dead_value_) {
      if (in_grid(next_)) end_branch(at);
      return;
    }
    double h = 0.02;
    for (long k = 0; in_grid(next_); ++k) {
      if (!go_on(at)) return;
      if (k == most_steps) return fail(Outcome::step_limit, at, "no end after " + std::to_string(k) + " steps");
      const std::optional<CurvePoint> to = curve_.step(at, h, options_.max_turn);
      CurveCrossing crossing;
      const Within within = to ? crossing_between(curve_, at, *to, h, options_.max_turn, crossing) : Within::jump;
      if (within == Within::jump) {
        h *= 0.5;
        if (h > shortest_step) continue;
        h = across_crossing(at);
        if (h > 0.0) continue;
        return fail(Outcome::uncertain_branch, at,
                    "near a singular pose: no single way leads on, branches cross or nearly do, or the model ends");
      }
      const bool crosses = within == Within::crossing, interpolated = crosses && crossing.monotone;
      if (interpolated && crossing.arc > near_crossing) {  // begin nearer
        const double way = crossing.arc - 0.5 * near_crossing;
        const std::optional<CurvePoint> nearer = curve_.step(at, way, options_.max_turn);
        if (nearer && ahead(*nearer) == ahead(at)) {
          if (!sweep(at, {0.0, way}, ahead(at) ? 1.0 : -1.0)) return;
          at = *nearer;
          h -= way;
          continue;
        }
      }
      if (interpolated && ahead(at) == ahead(crossing.before)) {
        if (!pass(at, crossing)) return;
        at = crossing.behind;
        continue;
      }
      const bool turns = ahead(at) != ahead(*to);
      const double sign = ahead(at) ? 1.0 : -1.0;
      const double reach = turns ? arc_to_dead_point(at, h) : h;
      const bool swept = sweep(at, {0.0, reach}, sign, turns);
      const bool goes_on = swept && in_grid(next_);
      if (crosses && (goes_on || curve_.scaled_s(sign * (branch().points.back().s - crossing.s)) > -at_crossing))
        branch().crossings.push_back({crossing.s, curve_.unscaled(crossing.x)});
      if (!goes_on) return;
      if (turns) {
        end_branch(*curve_.step(at, reach, options_.max_turn));
        if (static_cast<int>(result_.branches.size()) > options_.max_dead_points) return;
        start_branch();
        direction_ = -direction_;
        next_ += direction_;
        if (dead_value_) {  // both branches have it
          record(CurvePoint(*dead_value_));
          dead_value_.reset();
          next_ += direction_;
        }
        if (!sweep(at, {reach, h}, -sign)) return;
      }
      at = *to;
      h = std::min(longest_step, 1.5 * h);
    }
  }

  int count() const { return static_cast<int>(grid_.size()); }
  double value(int k) const { return grid_[static_cast<std::size_t>(k)]; }
  bool in_grid(int k) const { return k >= 0 && k < count(); }
  bool ahead(const CurvePoint& p) const { return curve_.along(p) > 0.0; }
  KinematicBranch& branch() { return result_.branches.back(); }
  void start_branch() { result_.branches.emplace_back(); }

  void record(const CurvePoint& p) {
    branch().points.push_back(curve_.describe(p));
    const bool dead = !branch().points.back().rate.allFinite();
    dead_value_ = dead ? std::optional(p) : std::nullopt;
  }

  /// The start is as near to a dead point as its consistency can tell. There q grows as the root of the distance in s,
  /// so that the distance is half of rate over curvature, whatever the scales.
  bool starts_dead() {
    const KinematicPoint& p = branch().points.front();
    Index fastest = 0;
    p.rate.cwiseAbs().cwiseQuotient(system_.natural_scales()).maxCoeff(&fastest);
    const double unit = system_.natural_scales()[system_.position_indices(result_.coordinate).front()];
    return std::abs(p.rate[fastest]) < 2.0 * start_is_known_to * unit * std::abs(p.curvature[fastest]);
  }

  /// The point near `near` where the coordinate is s.
  std::optional<CurvePoint> exact(const CurvePoint& near, double s) {
    const std::optional<VectorXd> x = curve_.onto(near.x, curve_.driven_axis(), curve_.scaled_s(s));
    const std::optional<CurvePoint> there = x ? curve_.point(*x, near.tangent) : std::nullopt;
    return there && curve_.holds() ? there : std::nullopt;
  }

  void lose_rates(const CurvePoint& p) {
    branch().points.back().rate.setConstant(NAN);
    branch().points.back().curvature.setConstant(NAN);
    dead_value_ = p;
  }

  /// Records the values of the grid that lie on an arc behind `from`, on which s moves in the direction `sign`.
  /// @param dead  the arc ends in a dead point: a value beyond it by rounding is there
  bool sweep(const CurvePoint& from, Bracket arc, double sign, bool dead = false) {
    const auto s_at = [&](double h) {
      const std::optional<CurvePoint> p = curve_.step(from, h, options_.max_turn);
      return p ? curve_.s(p->x) : INFINITY;
    };
    const double end = s_at(arc.out), beyond = dead ? -at_dead_point : 0.0;
    for (; in_grid(next_) && sign * curve_.scaled_s(end - value(next_)) >= beyond; next_ += direction_) {
      if (!go_on(from)) return false;
      const double s = value(next_);
      const auto before = [&](double h) { return sign * (s_at(h) - s) < 0.0; };
      const double h = bisect(before, arc, 1e-3 * std::abs(arc.out - arc.in)).in;
      const std::optional<CurvePoint> near = curve_.step(from, h, options_.max_turn);
      const bool at_end = std::abs(curve_.scaled_s(end - s)) <= at_dead_point;
      std::optional<CurvePoint> there = near && !(dead && at_end) ? exact(*near, s) : std::nullopt;
      if (!there && at_end) there = curve_.step(from, arc.out, options_.max_turn);
      if (!there) {
        fail(Outcome::uncertain_branch, from, "the value " + text(s) + " is too near to a dead point or a crossing");
        return false;
      }
      record(*there);
    }
    return true;
  }

  /// Length of a step over the crossing before which shorter ones end. Zero: there is none.
  double across_crossing(const CurvePoint& from) {
    for (double h = longest_step; h > 1e-3 * longest_step; h *= 0.5) {
      const std::optional<CurvePoint> to = curve_.step(from, h, options_.max_turn);
      CurveCrossing crossing;
      if (to && crossing_between(curve_, from, *to, h, options_.max_turn, crossing) == Within::crossing) return h;
    }
    return 0.0;
  }

  /// Records the values of the grid up to the last point of the interpolation about a crossing.
  bool pass(const CurvePoint& from, const CurveCrossing& crossing) {
    const double sign = ahead(from) ? 1.0 : -1.0;
    const double way = (crossing.before.x - from.x).dot(from.tangent);
    if (way > 0.0 && !sweep(from, {0.0, way}, sign)) return false;
    const double end = curve_.s(crossing.behind.x);
    bool told = false;
    const auto tell = [&](bool passed) {
      if (passed && !told) branch().crossings.push_back({crossing.s, curve_.unscaled(crossing.x)});
      told = told || passed;
    };
    for (; in_grid(next_) && sign * (end - value(next_)) >= 0.0; next_ += direction_) {
      tell(sign * curve_.scaled_s(value(next_) - crossing.s) > -at_crossing);
      branch().points.push_back(crossing.at(curve_, value(next_)));
    }
    tell(in_grid(next_));
    return true;
  }

  /// Length of the arc behind `from`, shorter than h, to where the tangent has no component along the coordinate.
  double arc_to_dead_point(const CurvePoint& from, double h) {
    const auto before = [&](double arc) {
      const std::optional<CurvePoint> p = curve_.step(from, arc, options_.max_turn);
      return p && ahead(*p) == ahead(from);
    };
    return bisect(before, {0.0, h}, 1e-15 * h).in;
  }

  void list_unreached() {
    for (int k = next_; in_grid(k); k += direction_) branch().unreached.push_back(value(k));
  }

  void end_branch(const CurvePoint& at) {
    DeadPoint dead{curve_.s(at.x), curve_.unscaled(at.x), curve_.unscaled(at.tangent)};
    Index most = 0;
    dead.direction.cwiseAbs().cwiseQuotient(system_.natural_scales()).maxCoeff(&most);
    dead.direction *= system_.natural_scales()[most] / dead.direction[most];
    list_unreached();
    if (result_.branches.size() == 1U) {
      const std::string there = result_.coordinate + " = " + text(dead.s);
      const std::string advice =
          "drive another coordinate, " + system_.position_name(static_cast<int>(most)) + " moves there";
      if (branch().unreached.empty())
        result_.status.message = "every value of " + result_.coordinate + " was reached, the last one, " + there +
                                 ", a dead point: there are no rates there; for them " + advice;
      else if (branch().points.size() == 1U && dead_value_)
        result_.status = {Outcome::infeasible, "the start, " + there +
                                                   ", is at a dead point: there are no rates there, and two ways lead "
                                                   "on or none; start beside it, or " +
                                                   advice};
      else
        result_.status = {Outcome::infeasible,
                          "dead point at " + there + ": " + std::to_string(branch().unreached.size()) +
                              " value(s) of the grid from " + text(value(next_)) + " on are not reached; " + advice};
    }
    branch().dead_point.push_back(std::move(dead));
  }

  bool go_on(const CurvePoint& at) {
    const bool yes = !options_.keep_going || options_.keep_going(curve_.t());
    if (!yes) fail(Outcome::interrupted, at, "the application ended the search");
    return yes;
  }

  void fail(Outcome outcome, const CurvePoint& at, const std::string& what) {
    list_unreached();
    Status& status = result_.status;  // of a dead point, behind which this is
    const bool behind = status.outcome == Outcome::infeasible;
    if (!behind || outcome == Outcome::interrupted) status.outcome = outcome;
    status.message += (behind ? "; behind it " : "") + ("ended at " + result_.coordinate + " = ") +
                      text(curve_.s(at.x)) + ": " + what;
  }

  ConstraintCurve& curve_;
  const MechanicalSystem& system_;
  const std::vector<double>& grid_;
  const KinematicsOptions& options_;
  Kinematics& result_;
  int next_ = 1, direction_ = 1;          // in the grid
  std::optional<CurvePoint> dead_value_;  // of the grid, at a dead point: the last of the branch
};

}  // namespace

std::optional<VectorXd> begin_curve(std::optional<ConstraintCurve>& curve,
                                    const std::shared_ptr<const MechanicalSystem>& system, InitialState first,
                                    const std::vector<int>& driven, const KinematicsOptions& options,
                                    const std::string& who, const char* beyond, Status& status) {
  first.v.resize(0);
  first.fixed_velocities.clear();
  first.fixed_positions.clear();  // the driven ones take their place: there are no freedoms for both
  for (const int i : driven) first.fixed_positions.push_back(system->position_name(i));
  ConsistencyOptions consistency;
  consistency.linear_solver = options.linear_solver;
  const ConsistentState found = consistent_state(system, first, consistency);
  if (!found.report.feasible || found.report.status.outcome == Outcome::model_error) {
    status = found.report.status;
    return std::nullopt;
  }
  curve.emplace(system, driven.front(), options);
  if (!curve->begin(found.state)) {
    status = {Outcome::model_error, "the model declined the first configuration"};
    return std::nullopt;
  }
  const VectorXd x = curve->scaled(found.state.q);
  const int freedoms = curve->freedoms(x);
  for (Index i = 0; freedoms >= 0 && i < curve->quantities().g_rate.size(); ++i) {
    if (std::max(std::abs(curve->quantities().g_rate[i]), std::abs(curve->quantities().gamma[i])) > 1e-12)
      throw Error(who + ": constraint " + system->constraint_name(static_cast<int>(i)) +
                  " prescribes a motion already; take it out: delete the element from the model file, in C++ "
                  "without_constraints()");
  }
  const int wanted = static_cast<int>(driven.size());
  if (freedoms == wanted) return x;
  status = {Outcome::rank_loss, "the first configuration has " + std::to_string(freedoms) +
                                    " degrees of freedom, not " + (wanted == 1 ? "one" : std::to_string(wanted)) +
                                    ": " +
                                    (freedoms > wanted ? beyond : "drive fewer coordinates, or take constraints out") +
                                    (freedoms > wanted ? ", or start beside a singular pose" : "")};
  return std::nullopt;
}

void follow_curve(ConstraintCurve& curve, const VectorXd& x, const std::vector<double>& grid,
                  const KinematicsOptions& options, Kinematics& result) {
  const std::optional<CurvePoint> first = curve.point(x, curve.driven_axis());
  if (!first) {
    result.status = {Outcome::uncertain_branch, "no single way on from here: branches cross"};
    return;
  }
  CurveTour(curve, grid, options, result).run(*first);
  std::string passed;
  for (const KinematicBranch& branch : result.branches) {
    for (const BranchCrossing& crossing : branch.crossings) passed += (passed.empty() ? "" : ", ") + text(crossing.s);
  }
  if (passed.empty()) return;
  Status& status = result.status;
  if (status.finished()) status.outcome = Outcome::uncertain_branch;
  status.message += (status.message.empty() ? "" : "; ") + ("branches cross at " + result.coordinate + " = " + passed) +
                    ": the tangent was followed, and another motion leads on from there, too";
}

void require_positions_alone(const std::shared_ptr<const MechanicalSystem>& system, const KinematicsOptions& options,
                             const std::string& who) {
  require_forces(system, who, "moves by itself; simulate it");
  if (system->num_velocity_constraints() > 0)
    throw Error(who + ": constraint " + system->constraint_name(system->num_position_constraints()) +
                " holds velocities: positions are no function of a coordinate; if it is a drive, take it out: delete "
                "the element from the model file, in C++ without_constraints(); else simulate the motion");
  if (!(options.max_turn > 0.0 && options.max_turn < 1.0))
    throw Error(who + ": max_turn = " + text(options.max_turn) + ": must be in (0, 1)");
}

}  // namespace sunlagrange::internal
