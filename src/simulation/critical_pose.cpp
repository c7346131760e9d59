// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/critical_pose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Held by critical_pose_test.
struct CriticalPoseThresholds {
  int iterations = 12;      ///< Newton; it takes 2 to 5
  double converged = 1e-8;  ///< last correction, relative to the coordinates and to u; the next one would be its square
  double vanishing = 1e-6;  ///< singular values of G at the pose below this, relative to the largest elsewhere, vanish
  double degenerate = 1e-3;  ///< part of the largest curvature below which a direction counts as flat
  double nearest = 0.3;      ///< of the radius of curvature: the quadratic form is not valid farther away
  double widest = 0.07;      ///< half-width of the gap, likewise: the two branches are a pair only if they are near
  double rounding = 50.0;    ///< in roundings of the largest coordinate of the pose and of the regular state: a misfit
                             ///< below it is that of an exact crossing
};
constexpr CriticalPoseThresholds pose_threshold;

/// The holonomic rows at a state with v = 0, with time as the last coordinate if they move.
struct HolonomicRows {
  VectorXd g;
  MatrixXd G, curvature;  // of u^T g; empty if it was not asked for
};

/// Evaluates HolonomicRows in coordinates x = (q / D, t / T), with rows of R G D that have length 1 at a regular state.
/// D_j = M_jj^-1/2 makes lengths and angles comparable, whatever their units.
class ScaledRows {
 public:
  explicit ScaledRows(const MechanicalSystem& system)
      : system_(system),
        n_(system.num_positions()),
        m_g_(system.num_position_constraints()),
        workspace_(make_workspace(system, Storage::dense)) {}

  Index num_coordinates() const { return moving_ ? n_ + 1 : n_; }
  const VectorXd& columns() const { return columns_; }  // D
  const VectorXd& rows() const { return rows_; }        // R
  double speed() const { return moving_ ? speed_ : 0.0; }

  VectorXd scaled(double t, const VectorXd& q) const {
    VectorXd x(num_coordinates());
    x.head(n_) = q.cwiseQuotient(columns_);
    if (moving_) x[n_] = t * speed_;
    return x;
  }
  double time(const VectorXd& x, double fixed) const { return moving_ ? x[n_] / speed_ : fixed; }
  VectorXd position(const VectorXd& x) const { return x.head(n_).cwiseProduct(columns_); }

  /// Finds the scales, and whether rows depend on time. Returns false if the model declines the state.
  bool begin(const PathSample& regular) {
    if (!evaluate(regular.t, regular.q, {}, request::mass | request::jacobian | request::tangent)) return false;
    const Workspace& at = *workspace_;
    VectorXd mass = at.M.dense().diagonal();
    assign_missing_masses(system_, mass);
    if (!(mass.minCoeff() > 0.0)) return false;
    columns_ = mass.cwiseSqrt().cwiseInverse();
    speed_ = regular.v.cwiseQuotient(columns_).norm();
    moving_ = speed_ > 0.0 &&
              (at.g_rate.head(m_g_).cwiseAbs().maxCoeff() > 0.0 || at.gamma.head(m_g_).cwiseAbs().maxCoeff() > 0.0 ||
               at.V_q.dense().topRows(m_g_).cwiseAbs().maxCoeff() > 0.0);
    const VectorXd length = (at.G.dense().topRows(m_g_) * columns_.asDiagonal()).rowwise().norm();
    rows_ = (length.array() > 0.0).select(length.cwiseInverse(), 1.0);
    return rows_.allFinite();
  }

  /// @param u  weights of the rows; empty: curvature is not asked for
  bool operator()(double t, const VectorXd& q, const VectorXd& u, HolonomicRows& out) {
    const bool curved = u.size() > 0;
    const VectorXd weights = curved ? VectorXd(forces_vanish * rows_.cwiseProduct(u)) : VectorXd();
    if (!evaluate(t, q, weights, request::jacobian | (curved ? request::tangent : 0U))) return false;
    const Workspace& at = *workspace_;
    out.g = rows_.cwiseProduct(at.g);
    out.G.resize(m_g_, num_coordinates());
    out.G.leftCols(n_) = rows_.asDiagonal() * at.G.dense().topRows(m_g_) * columns_.asDiagonal();
    if (moving_) out.G.col(n_) = rows_.cwiseProduct(at.g_rate.head(m_g_)) / speed_;
    if (!curved) return true;
    out.curvature.resize(num_coordinates(), num_coordinates());
    out.curvature.topLeftCorner(n_, n_) = columns_.asDiagonal() * at.r_q.dense() * columns_.asDiagonal();
    if (moving_) {
      out.curvature.col(n_).head(n_) =
          columns_.cwiseProduct(at.V_q.dense().topRows(m_g_).transpose() * weights) / speed_;
      out.curvature.row(n_).head(n_) = out.curvature.col(n_).head(n_).transpose();
      out.curvature(n_, n_) = -weights.dot(at.gamma.head(m_g_)) / (speed_ * speed_);
    }
    out.curvature /= forces_vanish;
    return out.curvature.allFinite();
  }

 private:
  /// Multipliers so large that the derivatives of all other forces are rounding beside those of G^T lambda.
  static constexpr double forces_vanish = 18446744073709551616.0;  // 2^64

  /// @param multipliers  of the holonomic rows; empty: zero
  bool evaluate(double t, const VectorXd& q, const VectorXd& multipliers, unsigned what) {
    const VectorXd zero = VectorXd::Zero(n_);
    VectorXd lambda = VectorXd::Zero(system_.num_constraints());
    if (multipliers.size() > 0) lambda.head(m_g_) = multipliers;
    const Point point{t, q.data(), zero.data(), zero.data(), lambda.data()};
    return evaluate_system(system_, what, point, *workspace_);
  }

  const MechanicalSystem& system_;
  Index n_, m_g_;
  std::unique_ptr<Workspace> workspace_;
  VectorXd columns_, rows_;
  double speed_ = 0.0;  // reciprocal of the unit of time, in which coordinates change by one
  bool moving_ = false;
};

/// Returns independent rows: the strongest ones at the pose, completed by those that are independent elsewhere.
std::vector<int> independent_rows(const MatrixXd& at_pose, const MatrixXd& elsewhere) {
  constexpr double completing = 1e-3;
  MatrixXd columns(at_pose.cols() + elsewhere.cols(), at_pose.rows());
  columns << at_pose.transpose(), completing * elsewhere.transpose();
  const PivotedQr qr(columns);
  const double threshold = rank_threshold_for(static_cast<int>(at_pose.rows()), LinearSolverOptions().rank_threshold);
  const Index rank = rank_of(singular_values(elsewhere).values, threshold);
  return {qr.order().data(), qr.order().data() + rank};
}

/// Returns the shortest solution of A x = b, without the directions in which A vanishes.
VectorXd shortest_solution(const MatrixXd& A, const VectorXd& b) {
  constexpr double vanishing = 1e-9;
  const PivotedQr qr(A);
  const MatrixXd& factors = qr.factors();
  const auto pivots = factors.diagonal().cwiseAbs();
  if (pivots.minCoeff() > vanishing * pivots.maxCoeff()) {  // the usual case: x = P R^-1 Q^T b
    const Index n = b.size();
    VectorXd y = b, x(n);
    double scratch = 0.0;
    for (Index k = 0; k < n; ++k)
      y.tail(n - k).applyHouseholderOnTheLeft(factors.col(k).tail(n - k - 1), qr.reflections()[k], &scratch);
    factors.triangularView<Eigen::Upper>().solveInPlace(y);
    for (Index k = 0; k < n; ++k) x[qr.order()[k]] = y[k];
    return x;
  }
  const SingularValues svd = singular_values(A, SingularVectors::thin);
  VectorXd part = svd.U.transpose() * b;
  for (Index i = 0; i < part.size(); ++i)
    part[i] = svd.values[i] > vanishing * svd.values[0] ? part[i] / svd.values[i] : 0.0;
  return svd.V * part;
}

/// The null lines of an indefinite quadratic form of two variables, as columns; nothing if it is definite or nearly so.
std::optional<Eigen::Matrix2d> null_lines(const Eigen::Matrix2d& H) {
  const double mean = 0.5 * (H(0, 0) + H(1, 1)), half = 0.5 * (H(0, 0) - H(1, 1));
  const double radius = std::hypot(half, H(0, 1)), upper = mean + radius, lower = mean - radius;
  if (!(upper > 0.0 && lower < 0.0 && std::min(upper, -lower) > pose_threshold.degenerate * std::max(upper, -lower)))
    return std::nullopt;
  const double turn = 0.5 * std::atan2(H(0, 1), half), slope = std::atan2(std::sqrt(upper), std::sqrt(-lower));
  Eigen::Matrix2d lines;
  lines << std::cos(turn + slope), std::cos(turn - slope), std::sin(turn + slope), std::sin(turn - slope);
  return lines;
}

/// Returns the inverse of a matrix of two columns.
Eigen::Matrix2d coordinates_along(const Eigen::Matrix2d& lines) {
  Eigen::Matrix2d inverse;
  inverse << lines(1, 1), -lines(0, 1), -lines(1, 0), lines(0, 0);
  return inverse / (lines(0, 0) * lines(1, 1) - lines(0, 1) * lines(1, 0));
}

}  // namespace

bool CriticalPose::can_be_found(const MechanicalSystem& system) {
  const int n = system.num_positions(), m_g = system.num_position_constraints();
  return m_g > 0 && system.motion_law().has_forces && n + m_g + 2 <= largest;
}

std::optional<CriticalPose> CriticalPose::find(const MechanicalSystem& system, const PathSample& nearby,
                                               const PathSample& regular) {
  const Index n = system.num_positions(), m_g = system.num_position_constraints();
  if (!can_be_found(system)) return std::nullopt;
  ScaledRows rows(system);
  HolonomicRows at, elsewhere;
  if (!rows.begin(regular) || !rows(nearby.t, nearby.q, {}, at) || !rows(regular.t, regular.q, {}, elsewhere))
    return std::nullopt;
  const std::vector<int> chosen = independent_rows(at.G, elsewhere.G);
  const Index r = static_cast<Index>(chosen.size()), size = rows.num_coordinates();
  if (r == 0) return std::nullopt;
  const auto of_chosen = [&](const auto& all) {
    MatrixXd part(r, all.cols());
    for (Index i = 0; i < r; ++i) part.row(i) = all.row(chosen[static_cast<std::size_t>(i)]);
    return part;
  };
  const auto of_all = [&](const VectorXd& u) {
    VectorXd all = VectorXd::Zero(m_g);
    for (Index i = 0; i < r; ++i) all[chosen[static_cast<std::size_t>(i)]] = u[i];
    return all;
  };

  VectorXd x = rows.scaled(nearby.t, nearby.q);
  VectorXd u = singular_values(of_chosen(at.G), SingularVectors::left).U.col(r - 1);
  double eps = u.dot(of_chosen(at.g).col(0));
  // size of the coordinates, which rounding and corrections are relative to
  const VectorXd apart = rows.scaled(regular.t, regular.q);
  const double span = std::max((apart - x).cwiseAbs().maxCoeff(), apart.cwiseAbs().maxCoeff());
  if (!(span > 0.0)) return std::nullopt;
  bool converged = false;
  double last_length = std::numeric_limits<double>::infinity();
  for (int k = 0; k < pose_threshold.iterations && !converged; ++k) {
    if (!rows(rows.time(x, nearby.t), rows.position(x), of_all(u), at)) return std::nullopt;
    const MatrixXd G = of_chosen(at.G);
    MatrixXd A = MatrixXd::Zero(r + size + 1, size + r + 1);
    A.topLeftCorner(r, size) = G;
    A.block(0, size, r, r).diagonal().setConstant(-eps);
    A.block(0, size + r, r, 1) = -u;
    A.block(r, 0, size, size) = at.curvature;
    A.block(r, size, size, r) = G.transpose();
    A.block(r + size, size, 1, r) = u.transpose();
    VectorXd residual(r + size + 1);
    residual << of_chosen(at.g).col(0) - eps * u, G.transpose() * u, 0.5 * (u.squaredNorm() - 1.0);
    const VectorXd step = shortest_solution(A, -residual);
    // From a pose nearby the corrections of Newton's method shrink (Kantorovich); growing ones lead to no such pose.
    const double length = std::hypot(step.head(size).norm() / span, step.segment(size, r).norm());
    if (!(length <= last_length)) return std::nullopt;
    last_length = length;
    x += step.head(size);
    u += step.segment(size, r);
    eps += step[size + r];
    converged = length <= pose_threshold.converged;
  }
  if (!converged) return std::nullopt;

  CriticalPose pose;
  pose.t_ = rows.time(x, nearby.t);
  pose.speed_ = rows.speed();
  pose.q_ = rows.position(x);
  pose.columns_ = rows.columns();
  if (!rows(pose.t_, pose.q_, of_all(u), at)) return std::nullopt;
  const SingularValues svd = singular_values(of_chosen(at.G), SingularVectors::right);
  const Index lost =
      (svd.values.array() < pose_threshold.vanishing * largest_singular_value(of_chosen(elsewhere.G))).count();
  const Index freedoms = size - r + 1;
  if (lost != 1 || freedoms < 2) return std::nullopt;
  const MatrixXd kernel = svd.V.rightCols(freedoms);
  const MatrixXd H = kernel.transpose() * at.curvature * kernel;
  const SingularValues form = singular_values(H, SingularVectors::right);
  if (freedoms > 2 && form.values[2] > pose_threshold.degenerate * form.values[0]) return std::nullopt;
  const MatrixXd plane = form.V.leftCols(2);
  const Eigen::Matrix2d H2 = plane.transpose() * H * plane;
  const std::optional<Eigen::Matrix2d> lines = null_lines(H2);
  if (!lines) return std::nullopt;
  const double B = lines->col(0).dot(H2 * lines->col(1));
  pose.curvature_ = std::abs(B);
  pose.to_lines_ = pose.curvature_ * coordinates_along(*lines) * plane.transpose() * kernel.transpose();
  if (!(pose.along_lines(nearby.t, nearby.q).norm() < pose_threshold.nearest) ||
      !(std::abs(eps * B) < pose_threshold.widest * pose_threshold.widest))
    return std::nullopt;
  pose.misfit_ = eps;
  pose.product_ = -eps * B;
  pose.direction_ = of_all(u);
  pose.weights_ = pose.direction_.cwiseProduct(rows.rows());
  pose.exact_ = std::abs(eps) < pose_threshold.rounding * std::numeric_limits<double>::epsilon() *
                                    std::max(span, x.cwiseAbs().maxCoeff());
  pose.in_rows_ = (eps * of_all(u)).cwiseQuotient(rows.rows()).cwiseAbs().maxCoeff();
  const double c = -eps / B;
  const VectorXd across =
      2.0 * std::sqrt(std::abs(c)) * kernel * plane * (lines->col(0) + std::copysign(1.0, c) * lines->col(1));
  pose.gap_ = across.head(n).cwiseProduct(pose.columns_).cwiseAbs().maxCoeff();
  return pose;
}

Eigen::Vector2d CriticalPose::along_lines(double t, const Eigen::Ref<const VectorXd>& q) const {
  const Index n = q.size();
  Eigen::Vector2d place = to_lines_.leftCols(n) * (q - q_).cwiseQuotient(columns_);
  if (speed_ > 0.0) place += to_lines_.col(n) * ((t - t_) * speed_);
  return place;
}

}  // namespace sunlagrange::internal
