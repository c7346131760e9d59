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

constexpr double bisected_to = 1e-12;  // of the bisection, in scaled arc
constexpr double widest = 1e-2;        // gap that may be left at a crossing: it depends on the threshold of rank
constexpr double most_bent = 2e-3;     // [rad] between the gap and the tangents at its ends
constexpr double rounded = 2e-6;       // so near to a crossing points may be rounding, and gaps bent
constexpr double nodes_apart = 5e-3;   // points of the interpolation: its error is of order nodes_apart^6
constexpr int nearer_searches = 4;     // Newton's region shrinks towards the crossing, and each starts nearer

/// By more than a quarter turn: some direction that one polar factor sees lies opposite in the other.
bool turned_over(const CurvePoint& a, const CurvePoint& b) {
  const MatrixXd turn = a.polar.transpose() * b.polar;
  return symmetric_eigenvalues(turn + turn.transpose()).minCoeff() < 0.0;
}

/// Ends of a bisection.
struct Gap {
  CurvePoint near, far;
  double start;
};

/// The curve leads straight on from one to the other, which lies half a turn over: no step to another branch.
bool straight(const CurvePoint& near, const CurvePoint& far) {
  const VectorXd gap = far.x - near.x;
  const auto beside = [&](const CurvePoint& p) { return (gap - p.tangent * p.tangent.dot(gap)).norm(); };
  return turned_over(near, far) && gap.norm() < widest && std::max(beside(near), beside(far)) < most_bent * gap.norm();
}

void interpolate(ConstraintCurve& curve, double h, double max_turn, CurveCrossing& crossing) {
  constexpr std::array<double, 6> nodes = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};
  const double w = std::min(nodes_apart, 0.25 * h);
  const CurvePoint before = crossing.before, behind = crossing.behind;
  MatrixXd x(6, crossing.x.size()), powers(6, 6);
  const double sign = curve.along(before) > 0.0 ? 1.0 : -1.0;
  for (Index k = 0; k < 6; ++k) {
    const double u = nodes[static_cast<std::size_t>(k)];
    const std::optional<CurvePoint> p = curve.step(u < 0.0 ? before : behind, u * w, max_turn);
    if (!p || !(sign * curve.along(*p) > 0.0)) return;
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

Within crossing_between(ConstraintCurve& curve, const CurvePoint& from, const CurvePoint& to, double h, double max_turn,
                        CurveCrossing& crossing) {
  if (!turned_over(from, to)) return Within::nothing;
  CurvePoint near = from, far = to;
  double start = 0.0, end = h;
  std::optional<Gap> closed;
  for (int k = 0; k < nearer_searches && end - start > bisected_to; ++k) {
    const CurvePoint base = near;
    const double length = end - start;
    const auto at = [&](double arc) { return curve.step(base, arc, max_turn); };
    const auto not_yet = [&](double arc) {
      const std::optional<CurvePoint> p = at(arc);
      return p && !turned_over(base, *p);
    };
    const auto not_behind = [&](double arc) {
      const std::optional<CurvePoint> p = at(arc);
      return !p || !turned_over(base, *p);
    };
    const double in = bisect(not_yet, {0.0, length}, bisected_to).in;
    const double out = bisect(not_behind, {in, length}, bisected_to).out;
    if (const std::optional<CurvePoint> p = at(in)) near = *p;
    if (out < length) {
      if (const std::optional<CurvePoint> p = at(out)) far = *p;
    }
    end = start + out;
    start += in;
    if (straight(near, far)) {
      closed = Gap{near, far, start};
    } else if ((far.x - near.x).norm() < rounded) {
      break;
    } else {
      closed.reset();
    }
  }
  if (!closed) return Within::jump;
  crossing = CurveCrossing{};
  crossing.arc = closed->start;
  crossing.x = 0.5 * (near.x + far.x);
  crossing.s = curve.s(crossing.x);
  crossing.before = closed->near;
  crossing.behind = closed->far;
  if ((curve.along(closed->near) > 0.0) == (curve.along(closed->far) > 0.0)) interpolate(curve, h, max_turn, crossing);
  return Within::crossing;
}

}  // namespace sunlagrange::internal
