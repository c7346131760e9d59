// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/system_evaluator.hpp>

#include <string>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>

#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;

void SystemQuantities::describe(Figures& figures) {
  figures("t", t, "s", "time");
  status.describe(figures);
  figures("M", M, "unit of force / acceleration", "mass matrix");
  figures("f", f, "unit of force", "applied and gyroscopic forces");
  figures("g", g, "unit of g", "position constraints");
  figures("g_rate", g_rate, "unit of g / s", "(g', psi)");
  figures("G", G, "unit of g over unit of q", "dg/dq over dpsi/dv");
  figures("gamma", gamma, "unit of g / s^2", "g'' = G v' - gamma, psi' = G v' - gamma");
}

struct SystemEvaluator::Parts {
  std::shared_ptr<const MechanicalSystem> system;
  std::unique_ptr<Workspace> workspace;
  Eigen::VectorXd rest;
};

SystemEvaluator::SystemEvaluator(const std::shared_ptr<const MechanicalSystem>& system) {
  require_system(system, "SystemEvaluator");
  parts_ = std::make_unique<Parts>(
      Parts{system, make_workspace(*system, Storage::dense), Eigen::VectorXd::Zero(system->num_positions())});
}
SystemEvaluator::SystemEvaluator(SystemEvaluator&&) noexcept = default;
SystemEvaluator& SystemEvaluator::operator=(SystemEvaluator&&) noexcept = default;
SystemEvaluator::~SystemEvaluator() = default;

SystemQuantities SystemEvaluator::at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  if (parts_ == nullptr) throw Error("this SystemEvaluator was moved from; use the one it was moved to");
  const int n = parts_->system->num_positions();
  if (q.size() != n || (v.size() != n && v.size() != 0)) {
    throw Error("SystemEvaluator: q has " + std::to_string(q.size()) + " entries and v " + std::to_string(v.size()) +
                "; must be num_positions() = " + std::to_string(n) + ", v may be empty");
  }
  const Eigen::VectorXd& velocity = v.size() == 0 ? parts_->rest : v;
  Workspace& w = *parts_->workspace;
  SystemQuantities result;
  result.t = t;
  if (!evaluate_system(*parts_->system, request::acceleration_level, {t, q.data(), velocity.data(), nullptr, nullptr},
                       w)) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(t)};
    return result;
  }
  result.M = w.M.dense();
  result.f = w.f;
  result.g = w.g;
  result.g_rate = w.g_rate;
  result.G = w.G.dense();
  result.gamma = w.gamma;
  return result;
}

}  // namespace sunlagrange
