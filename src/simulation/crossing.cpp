#include "simulation/crossing.hpp"

#include <cmath>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/results/trajectory.hpp>

namespace sunlagrange {
namespace {

/// Quintic Hermite polynomial of two states, beyond them.
class Extrapolation {
 public:
  Extrapolation(const PathSample& a, const PathSample& b) : a_(a), h_(b.t - a.t) {
    const Eigen::VectorXd d0 = b.q - a.q - h_ * a.v - 0.5 * h_ * h_ * a.a;
    const Eigen::VectorXd d1 = h_ * (b.v - a.v - h_ * a.a);
    const Eigen::VectorXd d2 = h_ * h_ * (b.a - a.a);
    c3_ = 10.0 * d0 - 4.0 * d1 + 0.5 * d2;
    c4_ = -15.0 * d0 + 7.0 * d1 - d2;
    c5_ = 6.0 * d0 - 3.0 * d1 + 0.5 * d2;
  }
  Eigen::VectorXd position(double t) const {
    const double dt = t - a_.t;
    const double s = dt / h_;
    return a_.q + dt * a_.v + 0.5 * dt * dt * a_.a + s * s * s * (c3_ + s * (c4_ + s * c5_));
  }
  Eigen::VectorXd velocity(double t) const {
    const double dt = t - a_.t;
    const double s = dt / h_;
    return a_.v + dt * a_.a + s * s / h_ * (3.0 * c3_ + s * (4.0 * c4_ + s * 5.0 * c5_));
  }

 private:
  const PathSample& a_;
  double h_;
  Eigen::VectorXd c3_, c4_, c5_;
};

/// The projection may undo the error of the extrapolation, not more.
constexpr double furthest_move = 1e-4;

}  // namespace

std::optional<MotionState> cross_singularity(const std::shared_ptr<const MechanicalSystem>& system,
                                             const LinearSolverOptions& options, const PathSample& before,
                                             const PathSample& now, double level, double t_end) {
  if (!before.regular || !now.regular || !(now.t > before.t)) return std::nullopt;
  const Extrapolation path(before, now);
  const double furthest = std::min(0.5 * (now.t - before.t), t_end - now.t);
  SaddlePointSystem saddle(system, options);
  saddle.factorize(before.t, before.q.data(), before.v.data());  // the scale that singular values are relative to
  double t = 0.0;
  double lowest = now.smallest;
  bool beyond = false;
  for (double W = 1e-4 * furthest; W <= furthest && !beyond; W *= 1.2) {
    t = now.t + W;
    const Eigen::VectorXd q = path.position(t);
    const Eigen::VectorXd v = path.velocity(t);
    if (saddle.factorize(t, q.data(), v.data()) != EvaluationResult::ok) continue;
    const double smallest = saddle.solver().weakest_mode().value;
    beyond = lowest < now.smallest && smallest >= level;
    lowest = std::min(lowest, smallest);
  }
  if (!beyond) return std::nullopt;
  ConsistencyOptions consistency;
  consistency.linear_solver = options;
  const ConsistentState state = consistent_state(system, {t, path.position(t), path.velocity(t)}, consistency);
  const double size = std::max(now.q.lpNorm<Eigen::Infinity>(), (t - before.t) * now.v.lpNorm<Eigen::Infinity>());
  if (!state.report.status.finished() || !(state.report.moved_positions <= furthest_move * size)) return std::nullopt;
  return state.state;
}

}  // namespace sunlagrange
