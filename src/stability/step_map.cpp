#include <sunlagrange/stability/step_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/difference_step.hpp>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Computes the derivative of function(y, value) by y with central differences. Returns false where the function does.
template <class Function>
bool differentiate(const Function& function, const VectorXd& y, MatrixXd& derivative) {
  const double d = difference_step * (1.0 + y.lpNorm<Eigen::Infinity>());
  VectorXd moved = y, ahead, behind;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    moved[j] = y[j] + d;
    if (!function(moved, ahead)) return false;
    moved[j] = y[j] - d;
    if (!function(moved, behind)) return false;
    moved[j] = y[j];
    if (j == 0) derivative.resize(ahead.size(), y.size());
    derivative.col(j) = (ahead - behind) / (2.0 * d);
  }
  return true;
}

/// Returns D (E D)^-1, the change of state that has a given error.
MatrixXd lift(const MatrixXd& error, const MatrixXd& given) {
  const MatrixXd D = given.size() == 0 ? MatrixXd(error.transpose()) : given;
  if (D.rows() != error.cols() || D.cols() != error.rows()) {
    throw Error("step map: directions are " + std::to_string(D.rows()) + " x " + std::to_string(D.cols()) +
                ", must be " + std::to_string(error.cols()) + " x " + std::to_string(error.rows()) +
                " (size of y x size of e)");
  }
  const MatrixXd change = error * D;
  if (!change.allFinite() || rank_full_pivoting(change) < change.rows()) {
    throw Error(
        "step map: the directions do not leave the constraints independently; redundant rows, or a singular "
        "position?");
  }
  return D * solve_full_pivoting(change, MatrixXd::Identity(change.rows(), change.cols()));
}

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
  return next_error * change * lift(error, D);
}

ErrorGrowth error_growth(const std::vector<StepMap>& maps, const VectorXd& weights, const MatrixXd& D) {
  if (maps.size() < 2) throw Error("error growth: needs at least 2 steps, got " + std::to_string(maps.size()));
  const Eigen::Index m = maps.front().error.rows();
  if (weights.size() != m || !(weights.array() > 0.0).all()) {
    throw Error("error growth: needs one positive weight for each of the " + std::to_string(m) + " errors");
  }
  constexpr double beyond = std::numeric_limits<double>::infinity();
  MatrixXd states = lift(maps.front().error, D) * weights.cwiseInverse().asDiagonal();
  double log_scale = 0.0;  // logarithm of the factor by which `states` was divided
  double first = 0.0;      // logarithms of the largest norms
  double second = -beyond;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (maps[k].change.cols() != states.rows() || maps[k].next_error.rows() != m) {
      throw Error("error growth: map " + std::to_string(k + 1) + " has another size than the first");
    }
    states = maps[k].change * states;
    const double last =
        log_scale + std::log((weights.asDiagonal() * maps[k].next_error * states).norm() / std::sqrt(double(m)));
    if (std::isnan(last) || last == beyond || !states.allFinite()) return {beyond, beyond};
    double& largest = 2 * (k + 1) <= maps.size() ? first : second;
    largest = std::max(largest, last);
    const double size = states.norm();
    if (!(size > 0.0)) return {std::exp(second - first), std::exp(std::max(first, second))};  // the error has vanished
    states /= size;
    log_scale += std::log(size);
  }
  return {std::exp(second - first), std::exp(std::max(first, second))};
}

}  // namespace sunlagrange
