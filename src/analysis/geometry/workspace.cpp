// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include <Eigen/Geometry>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/elements/spatial/rotation.hpp>

#include "analysis/geometry/constraint_curve.hpp"
#include "analysis/shared/one_coordinate.hpp"
#include "base/words.hpp"
#include "linear_algebra/decompositions.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The position of a point as a function of q: two or three translations, or a point of a body.
class PointOfMechanism {
 public:
  PointOfMechanism(const MechanicalSystem& system, const std::vector<std::string>& names, const Eigen::Vector3d& offset)
      : offset_(offset) {
    for (const std::string& name : names) add(system, name);
    const std::size_t size = coordinates_.size();
    if (size != 2U && size != 3U)
      throw Error("workspace: the point has " + std::to_string(size) +
                  " coordinates; name two or three, or a block with a place in the plane or in space");
    for (const int i : coordinates_) names_.push_back(system.position_name(i));
    if (offset.isZero(0.0)) return;
    const NamedBlock* block = nullptr;
    for (const NamedBlock& b : system.blocks()) {
      if (names.size() == 1U && b.name == names.front()) block = &b;
    }
    if (block == nullptr || (block->kind != BlockKind::planar_body && block->kind != BlockKind::spatial_body))
      throw Error("workspace: offset: only a point of a planar or spatial body has one; name the block of a body");
    if (block->kind == BlockKind::planar_body && offset[2] != 0.0)
      throw Error("workspace: offset: the third entry is " + text(offset[2]) + "; a planar body has two axes");
    body_ = block->first;
    kind_ = block->kind;
  }

  const std::vector<std::string>& names() const { return names_; }

  VectorXd place(const VectorXd& q) const {
    VectorXd p(static_cast<Index>(coordinates_.size()));
    for (Index i = 0; i < p.size(); ++i) p[i] = q[coordinates_[static_cast<std::size_t>(i)]];
    if (kind_ == BlockKind::planar_body) {
      const auto at = OnBody{offset_[0], offset_[1]}.position(q.data() + body_);
      p << at.x, at.y;
    } else if (kind_ == BlockKind::spatial_body) {
      const auto arm = spatial::rotated(View<const double>(q.data() + body_ + 3, 4), arm_in_body());
      for (Index i = 0; i < 3; ++i) p[i] += arm[static_cast<std::size_t>(i)];
    }
    return p;
  }

  /// Returns d place / d s. @param q_rates  dq/ds, one column for each driven coordinate
  MatrixXd rates(const VectorXd& q, const MatrixXd& q_rates) const {
    MatrixXd J(static_cast<Index>(coordinates_.size()), q_rates.cols());
    for (Index k = 0; k < J.cols(); ++k) {
      const VectorXd v = q_rates.col(k);
      for (Index i = 0; i < J.rows(); ++i) J(i, k) = v[coordinates_[static_cast<std::size_t>(i)]];
      if (kind_ == BlockKind::planar_body) {
        const auto rate = OnBody{offset_[0], offset_[1]}.velocity(q.data() + body_, v.data() + body_);
        J.col(k) << rate.x, rate.y;
      } else if (kind_ == BlockKind::spatial_body) {
        const auto rate = spatial::rotated_rate(View<const double>(q.data() + body_ + 3, 4),
                                                View<const double>(v.data() + body_ + 3, 4), arm_in_body());
        for (Index i = 0; i < 3; ++i) J(i, k) += rate[static_cast<std::size_t>(i)];
      }
    }
    return J;
  }

 private:
  spatial::Vector3<double> arm_in_body() const { return {offset_[0], offset_[1], offset_[2]}; }

  void add(const MechanicalSystem& system, const std::string& name) {
    for (const NamedBlock& block : system.blocks()) {
      if (block.name != name || block.size == 1) continue;
      for (int i = block.first; i < block.first + block.size; ++i) {
        const auto domain = system.position_domain(i);
        if (!domain || *domain == Domain::translation) coordinates_.push_back(i);
      }
      return;
    }
    coordinates_.push_back(one_coordinate(system, name, "workspace"));
  }

  Eigen::Vector3d offset_;
  std::vector<int> coordinates_;
  std::vector<std::string> names_;
  int body_ = 0;
  BlockKind kind_ = BlockKind::generic;  // kind of the body if there is an offset
};

/// Returns the determinant of a matrix of two or three rows, or 0 if it is not square.
double determinant(const MatrixXd& J) {
  if (J.rows() != J.cols()) return 0.0;
  if (J.rows() == 2) return J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0);
  return J.col(0).head<3>().dot(J.col(1).head<3>().cross(J.col(2).head<3>()));
}

/// Breadth-first search over the grid of driven values. Each combination is reached from a neighbour by driving one
/// coordinate while the others are held.
class GridSearch {
 public:
  GridSearch(ConstraintCurve& curve, const PointOfMechanism& point, std::vector<int> driven,
             const WorkspaceOptions& options, const KinematicsOptions& kinematics, MechanismWorkspace& result)
      : curve_(curve),
        point_(point),
        driven_(std::move(driven)),
        options_(options),
        kinematics_(kinematics),
        result_(result) {
    for (const CoordinateLimits& limit : options.limits)
      limited_.push_back(one_coordinate(curve.system(), limit.coordinate, "workspace: limits"));
    scales_.resize(static_cast<Index>(driven_.size()));
    for (Index k = 0; k < scales_.size(); ++k)
      scales_[k] = curve.system().natural_scales()[driven_[static_cast<std::size_t>(k)]];
    stride_.assign(driven_.size(), 1);
    for (std::size_t k = driven_.size() - 1; k > 0; --k)
      stride_[k - 1] = stride_[k] * static_cast<int>(result.grid[k].size());
    result_.points.resize(static_cast<std::size_t>(stride_[0]) * result.grid[0].size());
    determinants_.assign(result_.points.size(), 0.0);
    amplification_.assign(result_.points.size(), std::numeric_limits<double>::infinity());
    for (int node = 0; node < count(); ++node) {
      result_.points[static_cast<std::size_t>(node)].s.resize(scales_.size());
      for (std::size_t k = 0; k < driven_.size(); ++k)
        result_.points[static_cast<std::size_t>(node)].s[static_cast<Index>(k)] = result.grid[k][index(node, k)];
    }
  }

  /// @param q  a configuration on the constraints near the ranges
  void run(VectorXd q) {
    int node = 0;
    for (std::size_t k = 0; k < driven_.size(); ++k) {  // to the nearest combination
      const std::vector<double>& grid = result_.grid[k];
      const double from = q[driven_[k]];
      const auto nearest = std::min_element(
          grid.begin(), grid.end(), [from](double a, double b) { return std::abs(a - from) < std::abs(b - from); });
      node += stride_[k] * static_cast<int>(nearest - grid.begin());
      const std::optional<VectorXd> there = driven_to(q, k, *nearest);
      if (!there) {
        result_.status = {moved_.status.outcome, "on the way from the start to the ranges: " + moved_.status.message};
        result_.boundary.clear();
        return;
      }
      q = *there;
    }
    visit(node, q);
    if (at(node).reach == Reach::outside_limits) return begins_outside(q);
    while (!open_.empty() && !interrupted_) {
      node = open_.front();
      open_.pop_front();
      for (std::size_t k = 0; k < driven_.size(); ++k) {
        for (const int side : {-1, 1}) {
          if (!interrupted_) visit_neighbour(node, k, side);
        }
      }
    }
    finish();
  }

 private:
  int count() const { return static_cast<int>(result_.points.size()); }
  std::size_t index(int node, std::size_t k) const {
    return static_cast<std::size_t>(node / stride_[k]) % result_.grid[k].size();
  }
  WorkspacePoint& at(int node) { return result_.points[static_cast<std::size_t>(node)]; }

  void begins_outside(const VectorXd& q) {
    std::string where, beyond;
    for (std::size_t k = 0; k < driven_.size(); ++k)
      append_word(where, result_.driven[k] + " = " + text(q[driven_[k]]));
    for (std::size_t i = 0; i < limited_.size(); ++i) {
      const CoordinateLimits& limit = options_.limits[i];
      const double value = q[limited_[i]];
      if (value < limit.lower || value > limit.upper)
        append_word(beyond, limit.coordinate + " = " + text(value) + ", not in " + text(limit.lower) + " ... " +
                                text(limit.upper));
    }
    result_.status = {Outcome::infeasible, "the search begins at the combination nearest the start, " + where +
                                               ", which is outside the limits: " + beyond +
                                               "; start within them, or widen them"};
    result_.boundary.clear();
  }

  /// Returns the configuration after driven coordinate k has moved to s while the others were held, or nothing if s is
  /// not reached; then `moved_` holds the reason.
  std::optional<VectorXd> driven_to(const VectorXd& q, std::size_t k, double s) {
    const VectorXd x = curve_.scaled(q);
    std::vector<int> held = driven_;
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
    curve_.drive(driven_[k], held, x);
    if (s == curve_.s(x)) return q;
    if (interrupted_) return std::nullopt;
    moved_ = {};
    moved_.coordinate = result_.driven[k];
    follow_curve(curve_, x, {curve_.s(x), s}, kinematics_, moved_);
    interrupted_ = moved_.status.outcome == Outcome::interrupted;
    if (!moved_.status.finished() || moved_.branches.empty() || moved_.branches.front().points.size() != 2U)
      return std::nullopt;
    return moved_.branches.front().points.back().q;
  }

  /// Returns the neighbour on this side, or -1 if the range ends there.
  int neighbour(int node, std::size_t k, int side) const {
    const int i = static_cast<int>(index(node, k)) + side;
    return i < 0 || i >= static_cast<int>(result_.grid[k].size()) ? -1 : node + side * stride_[k];
  }

  void visit(int node, const VectorXd& q) {
    WorkspacePoint& p = at(node);
    p.q = q;
    p.place = point_.place(q);
    p.reach = Reach::reached;
    for (std::size_t i = 0; i < limited_.size(); ++i) {
      const double value = q[limited_[i]];
      if (value < options_.limits[i].lower || value > options_.limits[i].upper) p.reach = Reach::outside_limits;
    }
    if (p.reach == Reach::reached) open_.push_back(node);
    const std::optional<MatrixXd> rates = curve_.rates(q, driven_);
    if (!rates) return;
    const MatrixXd J = jacobian(q, *rates);
    p.manipulability = singular_values(J).values.minCoeff();
    determinants_[static_cast<std::size_t>(node)] = determinant(J);
    const VectorXd per_scale = curve_.system().natural_scales().cwiseInverse();
    amplification_[static_cast<std::size_t>(node)] = (per_scale.asDiagonal() * *rates * scales_.asDiagonal()).norm();
  }

  /// d place / d s in natural scales of the driven coordinates.
  MatrixXd jacobian(const VectorXd& q, const MatrixXd& rates) const {
    return point_.rates(q, rates) * scales_.asDiagonal();
  }

  /// Returns the largest manipulability, each divided by the amplification of the drives over its smallest value. Near
  /// a dead point of the drives the manipulability grows without bound and is no measure for other points.
  double typical_manipulability() const {
    const double smallest = *std::min_element(amplification_.begin(), amplification_.end());
    double largest = 0.0;
    for (std::size_t node = 0; node < amplification_.size(); ++node) {
      const double here = result_.points[node].manipulability * (smallest / amplification_[node]);
      if (std::isfinite(here)) largest = std::max(largest, here);
    }
    return largest;
  }

  void add_boundary(WorkspaceBoundary::Kind kind, const VectorXd& q) {
    WorkspaceBoundary b{kind, VectorXd(scales_.size()), q, point_.place(q)};
    for (Index k = 0; k < b.s.size(); ++k) b.s[k] = q[driven_[static_cast<std::size_t>(k)]];
    result_.boundary.push_back(std::move(b));
  }

  void visit_neighbour(int node, std::size_t k, int side) {
    const int next = neighbour(node, k, side);
    if (next < 0) return add_boundary(WorkspaceBoundary::Kind::end_of_range, at(node).q);
    if (at(next).reach == Reach::unreached) {
      const std::optional<VectorXd> q = driven_to(at(node).q, k, result_.grid[k][index(next, k)]);
      if (!q) {
        if (interrupted_) return;
        const bool dead = !moved_.branches.empty() && !moved_.branches.front().dead_point.empty();
        if (dead)
          add_boundary(WorkspaceBoundary::Kind::dead_point, moved_.branches.front().dead_point.front().q);
        else
          ++result_.crossings;
        return;
      }
      visit(next, *q);
    }
    if (at(next).reach == Reach::outside_limits) add_boundary(WorkspaceBoundary::Kind::limit, at(node).q);
    if (side > 0 || at(next).reach == Reach::outside_limits) find_turning_point(node, next, k);
  }

  /// Adds the configuration between two combinations where the determinant changes its sign, if it does.
  void find_turning_point(int node, int next, std::size_t k) {
    const double sign = determinants_[static_cast<std::size_t>(node)];
    if (!(sign * determinants_[static_cast<std::size_t>(next)] < 0.0)) return;
    VectorXd nearest = at(node).q;
    double smallest = std::abs(sign);
    const auto same = [&](double s) {
      const std::optional<VectorXd> q = driven_to(at(node).q, k, s);
      const std::optional<MatrixXd> rates = q ? curve_.rates(*q, driven_) : std::nullopt;
      if (!rates) return false;
      const double value = determinant(jacobian(*q, *rates));
      if (std::abs(value) < smallest) {
        smallest = std::abs(value);
        nearest = *q;
      }
      return value * sign > 0.0;
    };
    const double from = result_.grid[k][index(node, k)], to = result_.grid[k][index(next, k)];
    bisect(same, {from, to}, 1e-9 * std::abs(to - from));
    if (smallest < 1e-6 * std::abs(sign)) add_boundary(WorkspaceBoundary::Kind::singular, nearest);
  }

  /// Marks the singular combinations, lists the values that were not reached, and writes the status.
  void finish() {
    const double least = options_.singular_share * typical_manipulability();
    for (WorkspacePoint& p : result_.points) {
      const bool regular = p.manipulability > least;
      if (p.reach != Reach::reached || regular) continue;
      p.reach = Reach::singular;
      add_boundary(WorkspaceBoundary::Kind::singular, p.q);
    }
    std::string words;
    const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
    const long missed = result_.count(Reach::unreached), outside = result_.count(Reach::outside_limits);
    if (interrupted_) add("the application ended the search");
    if (missed > 0) add(std::to_string(missed) + " of " + std::to_string(count()) + " combinations were not reached");
    result_.missing.resize(driven_.size());
    for (std::size_t k = 0; k < driven_.size(); ++k) {
      std::vector<bool> any(result_.grid[k].size(), false);
      for (int node = 0; node < count(); ++node) {
        if (at(node).reach == Reach::reached || at(node).reach == Reach::singular) any[index(node, k)] = true;
      }
      for (std::size_t i = 0; i < any.size(); ++i) {
        if (!any[i]) result_.missing[k].push_back(result_.grid[k][i]);
      }
      const std::vector<double>& none = result_.missing[k];
      if (none.empty()) continue;
      add("no combination reaches " + std::to_string(none.size()) + " of " + std::to_string(any.size()) +
          " values of " + result_.driven[k] + ", " + text(none.front()) + " ... " + text(none.back()));
    }
    if (outside > 0)
      add(std::to_string(outside) + " of " + std::to_string(count()) + " combinations are outside the limits");
    if (result_.crossings > 0)
      add(std::to_string(result_.crossings) +
          " way(s) between combinations end where branches cross; start on the other side of them");
    const bool nothing = result_.count(Reach::reached) + result_.count(Reach::singular) == 0;
    result_.status = {interrupted_ ? Outcome::interrupted : nothing ? Outcome::infeasible : Outcome::finished, words};
  }

  ConstraintCurve& curve_;
  const PointOfMechanism& point_;
  std::vector<int> driven_;
  const WorkspaceOptions& options_;
  const KinematicsOptions& kinematics_;
  MechanismWorkspace& result_;
  std::vector<int> limited_, stride_;
  VectorXd scales_;
  std::vector<double> determinants_;   // of d place / d s at the combinations
  std::vector<double> amplification_;  // norms of dq/ds there, in natural scales
  std::deque<int> open_;
  bool interrupted_ = false;
  Kinematics moved_;
};

void check_ranges(const std::vector<DrivenRange>& driven, const WorkspaceOptions& options) {
  constexpr double most = 1e6;
  if (driven.empty()) throw Error("workspace: no coordinate is driven; name one for each degree of freedom");
  double combinations = 1.0;
  for (const DrivenRange& range : driven) {
    if (range.count < 2 || !std::isfinite(range.from) || !std::isfinite(range.to) || range.from == range.to)
      throw Error("workspace: the range of " + range.coordinate + ", " + text(range.from) + " ... " + text(range.to) +
                  " in " + std::to_string(range.count) + " values: needs two different ends and at least 2 values");
    combinations *= range.count;
  }
  if (combinations > most)
    throw Error("workspace: " + text(combinations) + " combinations of driven values; at most " + text(most) +
                ": take fewer values");
  for (const CoordinateLimits& limit : options.limits) {
    if (!(limit.lower < limit.upper))
      throw Error("workspace: limits of " + limit.coordinate + ": the lower, " + text(limit.lower) +
                  ", must be below the upper, " + text(limit.upper));
  }
  if (!(options.singular_share >= 0.0 && options.singular_share < 1.0))
    throw Error("workspace: singular_share = " + text(options.singular_share) + ": must be in [0, 1)");
}

}  // namespace

long MechanismWorkspace::count(Reach reach) const {
  return std::count_if(points.begin(), points.end(), [reach](const WorkspacePoint& p) { return p.reach == reach; });
}

MechanismWorkspace workspace(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                             const std::vector<std::string>& point, const std::vector<DrivenRange>& driven,
                             const WorkspaceOptions& options) {
  KinematicsOptions kinematics;
  kinematics.max_turn = options.max_turn;
  kinematics.linear_solver = options.linear_solver;
  kinematics.keep_going = options.keep_going;
  require_positions_alone(system, kinematics, "workspace");
  check_ranges(driven, options);
  const PointOfMechanism place(*system, point, options.offset);
  MechanismWorkspace result;
  result.point = place.names();
  std::vector<int> indices;
  for (const DrivenRange& range : driven) {
    const int i = one_coordinate(*system, range.coordinate, "workspace");
    if (std::count(indices.begin(), indices.end(), i) > 0)
      throw Error("workspace: " + range.coordinate + " is driven twice; name every coordinate once");
    indices.push_back(i);
    result.driven.push_back(system->position_name(i));
    result.grid.emplace_back();
    for (int k = 0; k < range.count; ++k)
      result.grid.back().push_back(range.from + (range.to - range.from) * k / (range.count - 1));
  }
  std::optional<ConstraintCurve> curve;
  const std::optional<VectorXd> x = begin_curve(curve, system, start, indices, kinematics, "workspace",
                                                "drive the others, too, or hold them with constraints", result.status);
  if (x) GridSearch(*curve, place, indices, options, kinematics, result).run(curve->unscaled(*x));
  return result;
}

}  // namespace sunlagrange
