// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/geometry/constraint_curve.hpp"

#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>

#include "analysis/shared/rounding.hpp"
#include "analysis/shared/row_space.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Newton's iteration onto the curve, in scaled coordinates.
struct NewtonLimits {
  static constexpr double contraction = 0.5;  ///< slower convergence can end on another branch
  static constexpr double stagnation = 1e3;   ///< corrections that stop shrinking below this times their rounding count
  static constexpr double violation = 10.0;   ///< accepted |g| over that of the start and rounding
  static constexpr double longest_row = 10.0;  ///< rows of G that have grown beyond this since the start are scaled
};

}  // namespace

ConstraintCurve::ConstraintCurve(const std::shared_ptr<const MechanicalSystem>& system, int driven,
                                 const KinematicsOptions& options)
    : evaluate_(system), terms_(system), driven_(driven), threshold_(evaluate_.threshold(options.linear_solver)) {}

bool ConstraintCurve::begin(const MotionState& start) {
  at_ = start;
  at_.v = at_.a = VectorXd::Zero(start.q.size());
  at_.lambda = VectorXd::Zero(evaluate_.rows().size());
  if (!evaluate_.find_scales(at_.t, at_.q, at_.v) || !evaluate_.evaluate(at_, here_)) return false;
  start_violation_ = here_.g.norm();
  return true;
}

void ConstraintCurve::drive(int driven, const std::vector<int>& held, const VectorXd& x) {
  driven_ = driven;
  held_ = held;
  held_at_.resize(static_cast<Index>(held.size()));
  for (Index i = 0; i < held_at_.size(); ++i) held_at_[i] = x[held[static_cast<std::size_t>(i)]];
}

int ConstraintCurve::freedoms(const VectorXd& x) {
  if (!evaluate(x)) return -1;
  return static_cast<int>(RowSpace(here_.G, threshold_).null().cols());
}

std::optional<CurvePoint> ConstraintCurve::point(const VectorXd& x, const VectorXd& direction) {
  if (!evaluate(x)) return std::nullopt;
  const RowSpace rows(here_.G, threshold_);
  if (rows.null().cols() != 1) return std::nullopt;
  const VectorXd tangent = rows.null().col(0) * (rows.null().col(0).dot(direction) < 0.0 ? -1.0 : 1.0);
  MatrixXd polar(here_.G.rows() + 1, x.size());
  polar << rows.polar(), tangent.transpose();
  return CurvePoint{x, tangent, std::move(polar)};
}

std::optional<VectorXd> ConstraintCurve::intersect(VectorXd x, const VectorXd& normal, double value) {
  double before = INFINITY;
  for (int k = 0; k < 30; ++k) {
    if (!evaluate(x)) return std::nullopt;
    MatrixXd J(here_.G.rows() + 1, x.size());
    J << here_.G, normal.transpose();
    VectorXd F(J.rows());
    F << here_.g, normal.dot(x) - value;
    const VectorXd step = RowSpace(J, threshold_).shortest(F);
    x -= step;
    const double size = step.norm(), rounding = rounding_of_solution * (1.0 + x.norm());
    const double small = NewtonLimits::stagnation * rounding;
    const bool stagnates = size > NewtonLimits::contraction * before;
    if (size <= rounding || (stagnates && size <= small)) {
      // Near a dead point the rank policy may drop the last row, which the step then does not solve.
      if (std::abs(normal.dot(x) - value) > small) return std::nullopt;
      return x;
    }
    if (stagnates) return std::nullopt;
    before = size;
  }
  return std::nullopt;
}

bool ConstraintCurve::satisfied() const {
  const double rounding = rounding_of_solution * (1.0 + scaled(at_.q).norm());
  return here_.g.norm() <= NewtonLimits::violation * (start_violation_ + rounding);
}

std::optional<CurvePoint> ConstraintCurve::step(const CurvePoint& from, double h, double max_turn) {
  const VectorXd guess = from.x + h * from.tangent;
  const std::optional<VectorXd> x = intersect(guess, from.tangent, from.tangent.dot(guess));
  if (!x) return std::nullopt;
  std::optional<CurvePoint> there = point(*x, from.tangent);
  if (there && (there->tangent.dot(from.tangent) < std::cos(max_turn) || !satisfied())) return std::nullopt;
  return there;
}

KinematicPoint ConstraintCurve::kinematic_point(const CurvePoint& p) {
  const Index n = p.x.size();
  KinematicPoint point;
  point.q = unscaled(p.x);
  point.s = s(p.x);
  point.rate = point.curvature = VectorXd::Constant(n, NAN);
  evaluate(p.x);
  MatrixXd J(here_.G.rows() + 1, n);
  J << here_.G, VectorXd::Unit(n, driven_).transpose();
  const RowSpace rows(J, threshold_);
  if (rows.rank() < n) return point;
  point.rate = unscaled(p.tangent) / (p.tangent[driven_] * evaluate_.columns()[driven_]);
  // G q'' = gamma at v = dq/ds; the held coordinates and s have no second derivative.
  const VectorXd gamma = row_scales_.cwiseProduct(terms_.at(at_.t, point.q, point.rate).gamma);
  VectorXd right = VectorXd::Zero(J.rows());
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

bool ConstraintCurve::evaluate(const VectorXd& x) {
  at_.q = unscaled(x);
  if (!evaluate_.evaluate(at_, here_)) return false;
  const Index m = here_.G.rows(), more = held_at_.size();
  // The row scales are those of the start. If the start is near a singular pose, they are too large elsewhere.
  const VectorXd shrink = here_.G.rowwise().norm().unaryExpr(
      [](double length) { return length > NewtonLimits::longest_row ? 1.0 / length : 1.0; });
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

std::optional<VectorXd> begin_curve(std::optional<ConstraintCurve>& curve,
                                    const std::shared_ptr<const MechanicalSystem>& system, InitialState first,
                                    const std::vector<int>& driven, const KinematicsOptions& options,
                                    const std::string& who, const char* advice, Status& status) {
  first.v.resize(0);
  first.fixed_velocities.clear();
  first.fixed_positions.clear();  // the driven coordinates take all degrees of freedom
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
  const std::string moving = freedoms >= 0 ? prescribed_motion(*system, curve->quantities()) : "";
  if (!moving.empty())
    throw Error(who + ": constraint " + moving +
                " prescribes a motion already; remove it: delete the element from the model file, in C++ "
                "without_constraints()");
  const int wanted = static_cast<int>(driven.size());
  if (freedoms == wanted) return x;
  status = {Outcome::rank_loss, "the first configuration has " + std::to_string(freedoms) +
                                    " degrees of freedom, not " + (wanted == 1 ? "one" : std::to_string(wanted)) +
                                    ": " +
                                    (freedoms > wanted ? advice : "drive fewer coordinates, or take constraints out") +
                                    (freedoms > wanted ? ", or start away from the singular pose" : "")};
  return std::nullopt;
}

void require_positions_alone(const std::shared_ptr<const MechanicalSystem>& system, const KinematicsOptions& options,
                             const std::string& who) {
  require_forces(system, who, "moves by itself; simulate it");
  if (system->num_velocity_constraints() > 0)
    throw Error(who + ": constraint " + system->constraint_name(system->num_position_constraints()) +
                " holds velocities, so positions are not a function of a coordinate; if it is a drive, remove it "
                "(delete the element from the model file, in C++ without_constraints()); else simulate the motion");
  if (!(options.max_turn > 0.0 && options.max_turn < 1.0))
    throw Error(who + ": max_turn = " + text(options.max_turn) + ": must be in (0, 1)");
}

}  // namespace sunlagrange::internal
