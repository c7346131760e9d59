// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/setting.hpp>

#include "analysis/geometry/branch_crossing.hpp"
#include "analysis/geometry/constraint_curve.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Lengths in scaled coordinates, unless stated otherwise.
struct SweepLimits {
  static constexpr double longest_step = 0.2;
  static constexpr double growth = 1.5;           ///< of the step after one that succeeded
  static constexpr double at_dead_point = 1e-12;  ///< Newton's iteration for s meets a double root there
  static constexpr double start_error = 1e-8;     ///< [natural scales] error of a consistent start
  static constexpr long max_steps = 200000;
};

/// Follows the curve from value to value of the grid and records the points. A branch ends at a dead point; behind it
/// s runs backwards.
class CurveSweep {
 public:
  CurveSweep(ConstraintCurve& curve, const std::vector<double>& grid, const KinematicsOptions& options,
             Kinematics& result)
      : curve_(curve), system_(curve.system()), grid_(grid), options_(options), result_(result) {}

  void run(CurvePoint at) {
    const bool rising = grid_.back() >= grid_.front();
    if ((at.tangent.dot(curve_.driven_axis()) < 0.0) == rising) {
      at.tangent = -at.tangent;
      at.polar.bottomRows<1>() = at.tangent.transpose();
    }
    start_branch();
    record(at);
    if (!dead_point_on_grid_ && starts_at_dead_point()) clear_rates(at);
    if (dead_point_on_grid_) return end_branch(at);
    follow(at);
    if (dead_point_on_grid_ && !in_grid(next_)) end_branch(*dead_point_on_grid_);
  }

 private:
  void follow(CurvePoint at) {
    double h = 0.1 * SweepLimits::longest_step;
    for (long k = 0; in_grid(next_); ++k) {
      if (!keep_going(at)) return;
      if (k == SweepLimits::max_steps)
        return fail(Outcome::step_limit, at, "the end is not reached after " + std::to_string(k) + " steps");
      const std::optional<CurvePoint> to = step(at, h);
      CurveCrossing crossing;
      const Arc arc = to ? classify_arc(curve_, at, *to, h, options_.max_turn, crossing) : Arc::jump;
      if (arc == Arc::jump) {
        h *= 0.5;
        if (h > crossing_resolution) continue;
        h = step_over_crossing(at);
        if (h > 0.0) continue;
        return fail(Outcome::uncertain_branch, at,
                    "near a singular pose there is no unique continuation: branches cross or nearly cross there, or "
                    "the model declines the points behind it");
      }
      const double sign = ahead(at) ? 1.0 : -1.0;
      const bool crosses = arc == Arc::crossing, interpolated = crosses && crossing.monotone;
      if (interpolated && crossing.arc > crossing_width) {  // the crossing is passed from nearer
        const double way = crossing.arc - 0.5 * crossing_width;
        const std::optional<CurvePoint> nearer = step(at, way);
        if (nearer && ahead(*nearer) == ahead(at)) {
          if (!record_values(at, {0.0, way}, sign)) return;
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
      const double reach = turns ? arc_to_dead_point(at, h) : h;
      const bool continues = record_values(at, {0.0, reach}, sign, turns) && in_grid(next_);
      if (crosses && (continues || is_behind(branch().points.back().s, crossing, sign))) record_crossing(crossing);
      if (!continues) return;
      if (turns) {
        end_branch(*step(at, reach));
        if (static_cast<int>(result_.branches.size()) > options_.max_dead_points) return;
        start_branch();
        direction_ = -direction_;
        next_ += direction_;
        if (dead_point_on_grid_) {  // the point belongs to both branches
          record(CurvePoint(*dead_point_on_grid_));
          dead_point_on_grid_.reset();
          next_ += direction_;
        }
        if (!record_values(at, {reach, h}, -sign)) return;
      }
      at = *to;
      h = std::min(SweepLimits::longest_step, SweepLimits::growth * h);
    }
  }

  double value(int k) const { return grid_[static_cast<std::size_t>(k)]; }
  bool in_grid(int k) const { return k >= 0 && k < static_cast<int>(grid_.size()); }
  bool ahead(const CurvePoint& p) const { return curve_.ahead(p); }
  KinematicBranch& branch() { return result_.branches.back(); }
  void start_branch() { result_.branches.emplace_back(); }
  std::optional<CurvePoint> step(const CurvePoint& from, double h) { return curve_.step(from, h, options_.max_turn); }

  bool is_behind(double s, const CurveCrossing& crossing, double sign) const {
    return sign * curve_.scaled_s(s - crossing.s) > -crossing_resolution;
  }

  void record(const CurvePoint& p) {
    branch().points.push_back(curve_.kinematic_point(p));
    const bool dead = !branch().points.back().rate.allFinite();
    dead_point_on_grid_ = dead ? std::optional(p) : std::nullopt;
  }

  void record_crossing(const CurveCrossing& crossing) {
    branch().crossings.push_back({crossing.s, curve_.unscaled(crossing.x)});
  }

  /// Returns true if the start is a dead point to the accuracy of consistent states. Near a dead point q grows as the
  /// root of the distance in s, so the distance is half of rate^2 / curvature, whatever the scales.
  bool starts_at_dead_point() {
    const KinematicPoint& p = branch().points.front();
    Index fastest = 0;
    p.rate.cwiseAbs().cwiseQuotient(system_.natural_scales()).maxCoeff(&fastest);
    const double unit = system_.natural_scales()[system_.position_indices(result_.coordinate).front()];
    return std::abs(p.rate[fastest]) < 2.0 * SweepLimits::start_error * unit * std::abs(p.curvature[fastest]);
  }

  void clear_rates(const CurvePoint& p) {
    branch().points.back().rate.setConstant(NAN);
    branch().points.back().curvature.setConstant(NAN);
    dead_point_on_grid_ = p;
  }

  /// Returns the point near `near` where the driven coordinate is s.
  std::optional<CurvePoint> point_at(const CurvePoint& near, double s) {
    const std::optional<VectorXd> x = curve_.intersect(near.x, curve_.driven_axis(), curve_.scaled_s(s));
    const std::optional<CurvePoint> there = x ? curve_.point(*x, near.tangent) : std::nullopt;
    return there && curve_.satisfied() ? there : std::nullopt;
  }

  /// Records the values of the grid on an arc behind `from`, on which s moves in the direction `sign`.
  /// @param dead  the arc ends in a dead point; a value that is beyond it by rounding is recorded at the dead point
  bool record_values(const CurvePoint& from, Bracket arc, double sign, bool dead = false) {
    const auto s_at = [&](double h) {
      const std::optional<CurvePoint> p = step(from, h);
      return p ? curve_.s(p->x) : INFINITY;
    };
    const double end = s_at(arc.out), beyond = dead ? -SweepLimits::at_dead_point : 0.0;
    for (; in_grid(next_) && sign * curve_.scaled_s(end - value(next_)) >= beyond; next_ += direction_) {
      if (!keep_going(from)) return false;
      const double s = value(next_);
      const auto before = [&](double h) { return sign * (s_at(h) - s) < 0.0; };
      const double h = bisect(before, arc, 1e-3 * std::abs(arc.out - arc.in)).in;
      const std::optional<CurvePoint> near = step(from, h);
      const bool at_end = std::abs(curve_.scaled_s(end - s)) <= SweepLimits::at_dead_point;
      std::optional<CurvePoint> there = near && !(dead && at_end) ? point_at(*near, s) : std::nullopt;
      if (!there && at_end) there = step(from, arc.out);
      if (!there) {
        fail(Outcome::uncertain_branch, from, "the value " + text(s) + " is too near to a dead point or a crossing");
        return false;
      }
      record(*there);
    }
    return true;
  }

  /// Returns the length of a step over a crossing that shorter steps do not reach, or zero if there is none.
  double step_over_crossing(const CurvePoint& from) {
    for (double h = SweepLimits::longest_step; h > 1e-3 * SweepLimits::longest_step; h *= 0.5) {
      const std::optional<CurvePoint> to = step(from, h);
      CurveCrossing crossing;
      if (to && classify_arc(curve_, from, *to, h, options_.max_turn, crossing) == Arc::crossing) return h;
    }
    return 0.0;
  }

  /// Records the values of the grid up to the last point of the interpolation about a crossing.
  bool pass(const CurvePoint& from, const CurveCrossing& crossing) {
    const double sign = ahead(from) ? 1.0 : -1.0;
    const double way = (crossing.before.x - from.x).dot(from.tangent);
    if (way > 0.0 && !record_values(from, {0.0, way}, sign)) return false;
    const double end = curve_.s(crossing.behind.x);
    bool recorded = false;
    const auto record_once = [&](bool passed) {
      if (passed && !recorded) record_crossing(crossing);
      recorded = recorded || passed;
    };
    for (; in_grid(next_) && sign * (end - value(next_)) >= 0.0; next_ += direction_) {
      record_once(is_behind(value(next_), crossing, sign));
      branch().points.push_back(crossing.at(curve_, value(next_)));
    }
    record_once(in_grid(next_));
    return true;
  }

  /// Returns the length, below h, of the arc from `from` to the point where the tangent has no component along the
  /// driven coordinate.
  double arc_to_dead_point(const CurvePoint& from, double h) {
    const auto before = [&](double arc) {
      const std::optional<CurvePoint> p = step(from, arc);
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
        result_.status.message = "every value of " + result_.coordinate + " was reached; the last one, " + there +
                                 ", is a dead point, where rates do not exist; for rates there " + advice;
      else if (branch().points.size() == 1U && dead_point_on_grid_)
        result_.status = {Outcome::infeasible, "the start, " + there +
                                                   ", is at a dead point, where rates do not exist and the mechanism "
                                                   "can move on two ways or on none; start near it, or " +
                                                   advice};
      else
        result_.status = {Outcome::infeasible,
                          "dead point at " + there + ": " + std::to_string(branch().unreached.size()) +
                              " value(s) of the grid from " + text(value(next_)) + " on are not reached; " + advice};
    }
    branch().dead_point.push_back(std::move(dead));
  }

  bool keep_going(const CurvePoint& at) {
    const bool yes = !options_.keep_going || options_.keep_going(curve_.t());
    if (!yes) fail(Outcome::interrupted, at, "the application ended the search");
    return yes;
  }

  void fail(Outcome outcome, const CurvePoint& at, const std::string& reason) {
    list_unreached();
    Status& status = result_.status;
    const bool behind = status.outcome == Outcome::infeasible;  // the message already states a dead point
    if (!behind || outcome == Outcome::interrupted) status.outcome = outcome;
    status.message += (behind ? "; behind it " : "") + ("ended at " + result_.coordinate + " = ") +
                      text(curve_.s(at.x)) + ": " + reason;
  }

  ConstraintCurve& curve_;
  const MechanicalSystem& system_;
  const std::vector<double>& grid_;
  const KinematicsOptions& options_;
  Kinematics& result_;
  int next_ = 1, direction_ = 1;                  // index in the grid, and its change
  std::optional<CurvePoint> dead_point_on_grid_;  // the last point of the branch, if it is a dead point
};

}  // namespace

void follow_curve(ConstraintCurve& curve, const VectorXd& x, const std::vector<double>& grid,
                  const KinematicsOptions& options, Kinematics& result) {
  const std::optional<CurvePoint> first = curve.point(x, curve.driven_axis());
  if (!first) {
    result.status = {Outcome::uncertain_branch, "branches cross at the start: the continuation is not unique"};
    return;
  }
  CurveSweep(curve, grid, options, result).run(*first);
  std::string passed;
  for (const KinematicBranch& branch : result.branches) {
    for (const BranchCrossing& crossing : branch.crossings) passed += (passed.empty() ? "" : ", ") + text(crossing.s);
  }
  if (passed.empty()) return;
  Status& status = result.status;
  if (status.finished()) status.outcome = Outcome::uncertain_branch;
  status.message += (status.message.empty() ? "" : "; ") + ("branches cross at " + result.coordinate + " = " + passed) +
                    ": the tangent was followed, but another motion leads on from there, too";
}

}  // namespace sunlagrange::internal
