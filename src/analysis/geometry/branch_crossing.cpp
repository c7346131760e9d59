// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/geometry/branch_crossing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <sunlagrange/base/bisection.hpp>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

namespace {

/// Lengths in scaled coordinates.
struct CrossingLimits {
  static constexpr double bisection = 1e-12;  ///< width at which the bisection ends
  static constexpr double widest_gap = 1e-2;  ///< gap that may remain; its width depends on the rank threshold
  static constexpr double bend = 2e-3;        ///< [rad] between the gap and the tangents at its ends
  static constexpr int searches = 4;  ///< Newton's region shrinks towards the crossing; each search begins nearer
};

/// Returns true if the polar factors differ by more than a quarter turn: some direction is reversed.
bool reversed(const CurvePoint& a, const CurvePoint& b) {
  const MatrixXd turn = a.polar.transpose() * b.polar;
  return symmetric_eigenvalues(turn + turn.transpose()).minCoeff() < 0.0;
}

/// Returns true if the curve leads straight from one point to the other, whose polar factor is reversed: a crossing
/// lies between them, and they are not on different branches.
bool crosses_straight(const CurvePoint& near, const CurvePoint& far) {
  const VectorXd gap = far.x - near.x;
  const auto distance_to_tangent = [&](const CurvePoint& p) { return (gap - p.tangent * p.tangent.dot(gap)).norm(); };
  return reversed(near, far) && gap.norm() < CrossingLimits::widest_gap &&
         std::max(distance_to_tangent(near), distance_to_tangent(far)) < CrossingLimits::bend * gap.norm();
}

void interpolate(ConstraintCurve& curve, double h, double max_turn, CurveCrossing& crossing) {
  constexpr std::array<double, 6> nodes = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};
  const double w = std::min(crossing_width / 6.0, 0.25 * h);
  const CurvePoint before = crossing.before, behind = crossing.behind;
  MatrixXd x(6, crossing.x.size()), powers(6, 6);
  const bool ahead = curve.ahead(before);
  for (Index k = 0; k < 6; ++k) {
    const double u = nodes[static_cast<std::size_t>(k)];
    const std::optional<CurvePoint> p = curve.step(u < 0.0 ? before : behind, u * w, max_turn);
    if (!p || curve.ahead(*p) != ahead) return;
    x.row(k) = p->x;
    if (k == 0) crossing.before = *p;
    if (k == 5) crossing.behind = *p;
  }
  crossing.unit = (curve.s(crossing.behind.x) - curve.s(crossing.before.x)) / 6.0;
  for (Index k = 0; k < 6; ++k) {
    const double u = (curve.s(x.row(k).transpose()) - crossing.s) / crossing.unit;
    for (Index i = 0; i < 6; ++i) powers(k, i) = std::pow(u, static_cast<double>(i));
  }
  crossing.polynomial = solve_full_pivoting(powers, x);
  crossing.monotone = true;
}

}  // namespace

KinematicPoint CurveCrossing::at(const ConstraintCurve& curve, double value) const {
  const double u = (value - s) / unit;
  RowVectorXd powers(6), first(6), second(6);
  for (Index i = 0; i < 6; ++i) {
    const double k = static_cast<double>(i);
    powers[i] = std::pow(u, k);
    first[i] = i < 1 ? 0.0 : k * std::pow(u, k - 1.0);
    second[i] = i < 2 ? 0.0 : k * (k - 1.0) * std::pow(u, k - 2.0);
  }
  const auto q = [&](const RowVectorXd& weights) { return curve.unscaled((weights * polynomial).transpose()); };
  return {value, q(powers), q(first) / unit, q(second) / (unit * unit)};
}

Arc classify_arc(ConstraintCurve& curve, const CurvePoint& from, const CurvePoint& to, double h, double max_turn,
                 CurveCrossing& crossing) {
  if (!reversed(from, to)) return Arc::regular;
  CurvePoint near = from, far = to;
  double start = 0.0, end = h;
  bool closed = false;
  for (int k = 0; k < CrossingLimits::searches && end - start > CrossingLimits::bisection; ++k) {
    const CurvePoint base = near;
    const double length = end - start;
    const auto at = [&](double arc) { return curve.step(base, arc, max_turn); };
    const auto not_yet = [&](double arc) {
      const std::optional<CurvePoint> p = at(arc);
      return p && !reversed(base, *p);
    };
    const auto not_behind = [&](double arc) {
      const std::optional<CurvePoint> p = at(arc);
      return !p || !reversed(base, *p);
    };
    const double in = bisect(not_yet, {0.0, length}, CrossingLimits::bisection).in;
    const double out = bisect(not_behind, {in, length}, CrossingLimits::bisection).out;
    if (const std::optional<CurvePoint> p = at(in)) near = *p;
    if (out < length) {
      if (const std::optional<CurvePoint> p = at(out)) far = *p;
    }
    end = start + out;
    start += in;
    const bool straight = crosses_straight(near, far);
    if (!straight && (far.x - near.x).norm() < 2.0 * crossing_resolution) break;  // rounding bends the gap
    closed = straight;
    if (closed) {
      crossing = CurveCrossing{};
      crossing.arc = start;
      crossing.before = near;
      crossing.behind = far;
    }
  }
  if (!closed) return Arc::jump;
  crossing.x = 0.5 * (near.x + far.x);
  crossing.s = curve.s(crossing.x);
  if (curve.ahead(crossing.before) == curve.ahead(crossing.behind)) interpolate(curve, h, max_turn, crossing);
  return Arc::crossing;
}

}  // namespace sunlagrange::internal
