#include "gains/motion_scales.hpp"

#include <algorithm>
#include <cmath>

#include "linear_solver/motion_law.hpp"

namespace sunlagrange {
namespace {

using Eigen::VectorXd;

/// Projections shorter than this, relative to the vector, are rounding.
constexpr double nothing_left = 1e-10;

/// A x for a matrix in the slots of a pattern.
VectorXd times(const SparsePattern& pattern, const std::vector<double>& values, const VectorXd& x) {
  VectorXd y = VectorXd::Zero(pattern.rows);
  for (int j = 0; j < pattern.columns; ++j) {
    for (int k = pattern.column_start[static_cast<std::size_t>(j)];
         k < pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      y[pattern.row_index[static_cast<std::size_t>(k)]] += values[static_cast<std::size_t>(k)] * x[j];
    }
  }
  return y;
}

/// What the start of a motion says about its rates, evaluated once.
class StartOfMotion {
 public:
  StartOfMotion(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                const LinearSolverOptions& linear_solver)
      : start_(start),
        saddle_(system, resolve_linear_solver(linear_solver, system->num_positions(), system->num_constraints())),
        w_(system->make_workspace(Storage::sparse)),
        good_(start.q.size() == system->num_positions() && start.v.size() == system->num_positions() &&
              start.a.size() == system->num_positions() && start.lambda.size() == system->num_constraints() &&
              system->evaluate(request::acceleration_level | request::tangent,
                               {start.t, start.q.data(), start.v.data(), start.a.data(), start.lambda.data()}, *w_)) {
    if (!good_) return;
    factorized_ = saddle_.factorize(start.t, start.q.data(), start.v.data()) == EvaluationResult::ok;
    schur_ = lumped_schur_diagonal(*w_);
  }

  /// max_i |x^T H_i y| / (|G_i| |y|), H_i the second derivative of row i: how fast the normals turn when the mechanism
  /// moves with x, as seen along y [the unit of x times that of 1/q].
  double turning(const VectorXd& x, const VectorXd& y) {
    VectorXd sum, difference;
    if (!good_ || schur_.size() == 0 || !quadratic(x + y, sum) || !quadratic(x - y, difference)) return 0.0;
    const VectorXd size = lumped_row_norms(y);
    double rate = 0.0;
    for (int i = 0; i < sum.size(); ++i) {
      const double scale = std::sqrt(schur_[i] * size[i]);
      if (scale > 0.0) rate = std::max(rate, 0.25 * std::abs(sum[i] - difference[i]) / scale);
    }
    return std::isfinite(rate) ? rate : 0.0;
  }

  /// sqrt(|x^T K x| / x^T M x) of the projection of x onto the directions the constraints leave free [1/s].
  double oscillation(const VectorXd& x) {
    if (!factorized_) return 0.0;
    const SystemPatterns& patterns = *w_->patterns;
    VectorXd free = times(patterns.mass, w_->mass, x);
    const double whole = x.dot(free);
    VectorXd multipliers = VectorXd::Zero(saddle_.m());
    if (saddle_.solve(free.data(), multipliers.data()) != EvaluationResult::ok) return 0.0;
    const double kinetic = free.dot(times(patterns.mass, w_->mass, free));
    const double stiffness = std::abs(free.dot(times(patterns.tangent, w_->residual_q, free)));
    if (!(kinetic > nothing_left * nothing_left * whole)) return 0.0;
    const double rate = std::sqrt(stiffness / kinetic);
    return std::isfinite(rate) ? rate : 0.0;
  }

 private:
  /// The part of -gamma that is quadratic in the velocity, at velocity v. False: declined.
  bool quadratic(const VectorXd& v, VectorXd& part) {
    const VectorXd opposite = -v;
    const VectorXd still = VectorXd::Zero(v.size());
    VectorXd backwards, none;
    if (!bias(v, part) || !bias(opposite, backwards) || !bias(still, none)) return false;
    part = 0.5 * (part + backwards) - none;
    return true;
  }

  bool bias(const VectorXd& v, VectorXd& gamma) {
    const bool good = saddle_.system().evaluate(
        request::constraint, {start_.t, start_.q.data(), v.data(), nullptr, nullptr}, saddle_.workspace());
    const std::vector<double>& found = saddle_.workspace().bias;
    gamma = Eigen::Map<const VectorXd>(found.data(), static_cast<Eigen::Index>(found.size()));
    return good;
  }

  /// sum of M_jj x_j^2 over the coordinates of each row.
  VectorXd lumped_row_norms(const VectorXd& x) const {
    const SparsePattern& G = w_->patterns->jacobian;
    VectorXd sums = VectorXd::Zero(G.rows);
    for (int j = 0; j < G.columns; ++j) {
      const double mass = w_->mass[static_cast<std::size_t>(w_->patterns->mass.slot(j, j))];
      for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
           ++k) {
        sums[G.row_index[static_cast<std::size_t>(k)]] += mass * x[j] * x[j];
      }
    }
    return sums;
  }

  const MotionState& start_;
  SaddlePointSystem saddle_;
  std::unique_ptr<Workspace> w_;
  bool good_;
  bool factorized_ = false;
  VectorXd schur_;
};

}  // namespace

Scales characteristic_scales(const MotionState& start, double t_span) {
  const auto norm = [](const Eigen::VectorXd& x) { return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>(); };
  Scales s;
  if (norm(start.q) > 0.0) s.position = norm(start.q);
  if (start.typical_position > 0.0) s.position = start.typical_position;
  s.time = t_span > 0.0 ? t_span : 1.0;
  if (norm(start.v) > 0.0) s.time = std::min(s.time, s.position / norm(start.v));
  if (norm(start.a) > 0.0) s.time = std::min(s.time, std::sqrt(s.position / norm(start.a)));
  return s;
}

double motion_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, double t_span,
                   const LinearSolverOptions& linear_solver) {
  StartOfMotion motion(system, start, linear_solver);
  const VectorXd& v = start.v;
  const VectorXd& a = start.a;
  const bool moves = v.squaredNorm() > 0.0;
  const bool accelerates = a.squaredNorm() > 0.0;
  const double slowest = t_span > 0.0 ? 1.0 / t_span : 1.0;
  double rate = 0.0;
  if (!motion_law(*system).has_forces()) {  // a program has no inertia: its field is no force
    if (moves) rate = motion.turning(v, v);
    return std::max(rate, slowest);
  }
  if (moves) rate = std::max({rate, motion.turning(v, v), motion.oscillation(v)});
  if (accelerates) rate = std::max({rate, std::sqrt(motion.turning(a, a)), motion.oscillation(a)});
  if (moves && accelerates) rate = std::max(rate, motion.turning(v, a));
  return std::max(rate, slowest);
}

Eigen::VectorXd lumped_schur_diagonal(const Workspace& w) {
  const SparsePattern& mass = w.patterns->mass;
  const SparsePattern& G = w.patterns->jacobian;
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(G.rows);
  double largest = 0.0;
  Eigen::VectorXd lumped(mass.columns);
  for (int j = 0; j < mass.columns; ++j) {
    lumped[j] = w.mass[static_cast<std::size_t>(mass.slot(j, j))];
    largest = std::max(largest, lumped[j]);
  }
  for (int j = 0; j < G.columns; ++j) {
    const double mass_j = lumped[j] > 0.0 ? lumped[j] : largest;  // massless coordinates borrow a mass
    if (!(mass_j > 0.0)) continue;
    for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
         ++k) {
      const double entry = w.jacobian[static_cast<std::size_t>(k)];
      diagonal[G.row_index[static_cast<std::size_t>(k)]] += entry * entry / mass_j;
    }
  }
  return diagonal;
}

}  // namespace sunlagrange
