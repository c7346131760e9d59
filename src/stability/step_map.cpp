// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/step_map.hpp>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "stability/differences.hpp"
#include "stability/growth_record.hpp"
#include "stability/leaving_changes.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

bool runge_kutta_step(const ButcherTable& table, const ConstrainedFlow::Function& rhs, double t, double step,
                      const VectorXd& y, VectorXd& result) {
  const std::size_t stages = table.b.size();
  std::vector<VectorXd> k(stages);
  VectorXd stage;
  result = y;
  for (std::size_t i = 0; i < stages; ++i) {
    stage = y;
    for (std::size_t j = 0; j < i; ++j) {
      if (table.A[i][j] != 0.0) stage += step * table.A[i][j] * k[j];
    }
    if (!rhs(t + table.c[i] * step, stage, k[i])) return false;
    result += step * table.b[i] * k[i];
  }
  return true;
}

bool step_map(const ButcherTable& table, const ConstrainedFlow& flow, double t, double step, const VectorXd& y,
              StepMap& result) {
  for (const std::string& problem : table.problems()) throw Error("step map: table " + table.name + ": " + problem);
  if (!flow.rhs || !flow.error) throw Error("step map: the flow lacks its right-hand side or its constraint error");
  const auto after = [&](const VectorXd& x, VectorXd& next) {
    return runge_kutta_step(table, flow.rhs, t, step, x, next);
  };
  const auto error_before = [&](const VectorXd& x, VectorXd& e) { return flow.error(t, x, e); };
  const auto error_after = [&](const VectorXd& x, VectorXd& e) { return flow.error(t + step, x, e); };
  return after(y, result.next) && differentiate(after, y, result.change) &&
         differentiate(error_before, y, result.error) && differentiate(error_after, result.next, result.next_error);
}

MatrixXd StepMap::on_errors(const MatrixXd& D) const {
  const LeavingChanges leaving(error, D, VectorXd::Ones(error.rows()));
  return next_error * change * leaving.changes * leaving.errors.transpose();
}

ErrorGrowth error_growth(const std::vector<StepMap>& maps, const VectorXd& weights, const MatrixXd& D) {
  if (maps.size() < 2) throw Error("error growth: needs at least 2 steps, got " + std::to_string(maps.size()));
  const Eigen::Index m = maps.front().error.rows();
  if (weights.size() != m || !(weights.array() > 0.0).all()) {
    throw Error("error growth: needs one positive weight for each of the " + std::to_string(m) + " errors");
  }
  const MatrixXd start = LeavingChanges(maps.front().error, D, weights).changes;
  GrowthRecord record(start, static_cast<int>(maps.size()));
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const MatrixXd& states = record.states();
    if (maps[k].change.cols() != states.rows() || maps[k].next_error.rows() != m) {
      throw Error("error growth: map " + std::to_string(k + 1) + " has another size than the first");
    }
    const MatrixXd moved = maps[k].change * states;
    if (!record.add(moved, weights.asDiagonal() * maps[k].next_error * moved)) break;
  }
  return record.growth();
}

}  // namespace sunlagrange
