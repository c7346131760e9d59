// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/altered_passage.hpp"

#include <cmath>
#include <optional>

namespace sunlagrange::internal {
namespace {

/// Held by altered_passage_test.
struct ConvergenceThresholds {
  int fewest_steps = 32, most_steps = 4096;
  double converged = 1e-4;  ///< change of the velocities, relative, when the steps are halved
  double agreed = 1e-2;     ///< difference from the velocities of the run: branches differ by parts of one
  double moved = 10.0;      ///< tolerances by which the start is moved
};
constexpr ConvergenceThresholds convergence_threshold;

class Integration {
 public:
  Integration(OdeFormulation& form, double t, double t_end, const Eigen::VectorXd& weight)
      : form_(form), t_(t), t_end_(t_end), weight_(weight) {}

  /// Returns sqrt(M_ii) v_i at the end; nothing if a point was declined.
  std::optional<Eigen::VectorXd> velocities(Eigen::VectorXd y, int steps) {
    const double h = (t_end_ - t_) / steps;
    const Eigen::Index size = y.size(), n = weight_.size();
    Eigen::VectorXd k[4], stage(size);
    for (Eigen::VectorXd& slope : k) slope.resize(size);
    const auto rhs = [&](double t, const Eigen::VectorXd& at, Eigen::VectorXd& slope) {
      return form_.rhs(t, at.data(), slope.data()) == EvaluationResult::ok;
    };
    for (int s = 0; s < steps; ++s) {
      const double t = t_ + s * h;
      if (!rhs(t, y, k[0])) return std::nullopt;
      stage = y + 0.5 * h * k[0];
      if (!rhs(t + 0.5 * h, stage, k[1])) return std::nullopt;
      stage = y + 0.5 * h * k[1];
      if (!rhs(t + 0.5 * h, stage, k[2])) return std::nullopt;
      stage = y + h * k[2];
      if (!rhs(t + h, stage, k[3])) return std::nullopt;
      y += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]);
    }
    Eigen::VectorXd q(n), v(n);
    if (!y.allFinite() || form_.unpack(t_end_, y.data(), nullptr, q.data(), v.data(), nullptr) != EvaluationResult::ok)
      return std::nullopt;
    return weight_.cwiseProduct(v);
  }

 private:
  OdeFormulation& form_;
  double t_, t_end_;
  const Eigen::VectorXd& weight_;
};

}  // namespace

bool passage_converges(const std::shared_ptr<const MechanicalSystem>& system, const FormulationOptions& options,
                       const Eigen::VectorXd& weight, const PathSample& before, const PathSample& after) {
  const FormulationEntry& entry = find_formulation(options.formulation);
  if (entry.equations != Equations::ode || !(after.t > before.t)) return false;
  MotionState start;
  start.t = before.t;
  start.q = before.q;
  start.v = before.v;
  start.a = before.a;
  start.lambda = before.lambda;
  const auto form = as<OdeFormulation>(entry.make({options, system, start}));
  if (form->provides().projection != nullptr) return false;
  Integration integration(*form, before.t, after.t, weight);
  Eigen::VectorXd y(form->size());
  form->pack(start, y.data(), nullptr);

  const Eigen::VectorXd of_run = weight.cwiseProduct(after.v);
  const double size =
      std::max(of_run.lpNorm<Eigen::Infinity>(), weight.cwiseProduct(before.v).lpNorm<Eigen::Infinity>());
  const auto near = [size](const Eigen::VectorXd& a, const Eigen::VectorXd& b, double allowed) {
    return (a - b).lpNorm<Eigen::Infinity>() <= allowed * size;
  };
  std::optional<Eigen::VectorXd> coarse;
  for (int steps = convergence_threshold.fewest_steps; steps <= convergence_threshold.most_steps; steps *= 2) {
    const std::optional<Eigen::VectorXd> fine = integration.velocities(y, steps);
    if (coarse && fine && near(*coarse, *fine, convergence_threshold.converged)) {
      const double share = convergence_threshold.moved * options.rtol,
                   shift = convergence_threshold.moved * options.atol;
      for (Eigen::Index i = 0; i < y.size(); ++i) y[i] += (i % 2 == 0 ? 1.0 : -1.0) * (share * std::abs(y[i]) + shift);
      const std::optional<Eigen::VectorXd> moved = integration.velocities(y, steps);
      return moved && near(*fine, of_run, convergence_threshold.agreed) &&
             near(*fine, *moved, convergence_threshold.agreed);
    }
    coarse = fine;
  }
  return false;
}

}  // namespace sunlagrange::internal
