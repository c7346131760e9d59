#include "gains/motion_scales.hpp"

#include <algorithm>
#include <cmath>

#include "linear_solver/motion_law.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// Projections shorter than this, relative to the vector, are rounding.
constexpr double nothing_left = 1e-10;

/// What the start of a motion says about its rates, evaluated once.
class StartOfMotion {
 public:
  StartOfMotion(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                const LinearSolverOptions& linear_solver)
      : start_(start),
        saddle_(system, resolve_linear_solver(linear_solver, system->num_positions(), system->num_constraints())),
        w_(make_workspace(*system, Storage::sparse)),
        good_(start.q.size() == system->num_positions() && start.v.size() == system->num_positions() &&
              start.a.size() == system->num_positions() && start.lambda.size() == system->num_constraints() &&
              evaluate_system(*system, request::acceleration_level | request::tangent,
                              {start.t, start.q.data(), start.v.data(), start.a.data(), start.lambda.data()}, *w_)) {
    if (!good_) return;
    factorized_ = saddle_.factorize(start.t, start.q.data(), start.v.data()) == EvaluationResult::ok;
    schur_ = lumped_schur_diagonal(*system, *w_);
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
    VectorXd free = w_->M.times(x);
    const double whole = x.dot(free);
    VectorXd multipliers = VectorXd::Zero(saddle_.m());
    if (saddle_.solve(free.data(), multipliers.data()) != EvaluationResult::ok) return 0.0;
    const double kinetic = free.dot(w_->M.times(free));
    const double stiffness = std::abs(free.dot(w_->r_q.times(free)));
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
    const bool good = evaluate_system(saddle_.system(), request::constraint,
                                      {start_.t, start_.q.data(), v.data(), nullptr, nullptr}, saddle_.workspace());
    gamma = saddle_.workspace().gamma;
    return good;
  }

  /// sum of M_jj x_j^2 over the coordinates of each row.
  VectorXd lumped_row_norms(const VectorXd& x) const {
    const VectorXd mass = w_->M.diagonal();
    VectorXd sums = VectorXd::Zero(w_->gamma.size());
    w_->G.for_each_entry([&](int i, int j, double) { sums[i] += mass[j] * x[j] * x[j]; });
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

Scales characteristic_scales(const MechanicalSystem& system, const MotionState& start, double t_span) {
  const auto norm = [&system](const Eigen::VectorXd& x) { return natural_size(system, x); };
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

Eigen::VectorXd lumped_schur_diagonal(const MechanicalSystem& system, const Workspace& w) {
  Eigen::VectorXd mass = w.M.diagonal();
  lend_masses(system, mass);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(w.gamma.size());
  w.G.for_each_entry([&](int i, int j, double entry) {
    if (mass[j] > 0.0) diagonal[i] += entry * entry / mass[j];
  });
  return diagonal;
}

}  // namespace sunlagrange::internal
