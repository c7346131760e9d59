// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/multiplier_iteration.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/vector_map.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Changes below this, relative to the forces, are rounding errors: the contraction cannot be measured with them.
constexpr double rounding = 1e-13;

constexpr double many_tolerances = 100.0;

}  // namespace

MultiplierIteration::MultiplierIteration(const PointEvaluator& evaluator, GainMatrix compliance, double tolerance,
                                         int max_iterations)
    : compliance_(std::move(compliance)),
      tolerance_(tolerance),
      max_iterations_(max_iterations),
      force_(evaluator.system().num_positions()),
      rows_(evaluator.system().num_constraints()),
      old_(evaluator.system().num_constraints()),
      change_(evaluator.system().num_constraints()),
      constraint_force_(evaluator.system().num_positions()),
      masses_(evaluator.system().num_positions()) {
  const SparsePattern& mass = evaluator.quantities().patterns->mass;
  for (int j = 0; j < mass.columns; ++j) mass_diagonal_.push_back(mass.slot(j, j));
}

double MultiplierIteration::force_norm(const Eigen::VectorXd& force) const {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < force.size(); ++j) sum += force[j] * force[j] / (masses_[j] > 0.0 ? masses_[j] : 1.0);
  return std::sqrt(sum);
}

EvaluationResult MultiplierIteration::solve(const Workspace& w, const SaddlePointSystem& saddle, double* a,
                                            double* lambda) {
  VectorMap acceleration = as_vector(a, force_.size()), multipliers = as_vector(lambda, rows_.size());
  const auto norm_of = [&](const auto& x) {  // |G^T x|
    constraint_force_.setZero();
    constraint_force_ += w.G.transposed() * x;
    return force_norm(constraint_force_);
  };
  force_ = acceleration;
  rows_ = multipliers;
  old_.setZero();
  for (Eigen::Index j = 0; j < masses_.size(); ++j) masses_[j] = w.M.values[mass_diagonal_.data()[j]];
  assign_missing_masses(saddle.system(), masses_);
  const double applied = force_norm(force_);
  ++evaluations_;
  double before = 0.0;
  for (int k = 1;; ++k) {
    acceleration = force_;
    multipliers = rows_;
    multipliers -= compliance_ * old_;
    const EvaluationResult result = saddle.solve(a, lambda);
    if (result != EvaluationResult::ok) return result;
    ++iterations_;
    most_ = std::max<long>(most_, k);
    change_ = multipliers - old_;
    const double change = norm_of(change_);
    const double scale = applied + norm_of(multipliers);
    if (k > 1 && change > rounding * scale) slowest_ = std::max(slowest_, change / before);
    if (change <= tolerance_ * scale) return result;
    if (k == max_iterations_) {
      ++not_converged_;
      if (change > many_tolerances * tolerance_ * scale) ++far_off_;
      return result;
    }
    old_ = multipliers;
    before = change;
  }
}

std::vector<Fact> MultiplierIteration::statistics() const {
  const double mean = evaluations_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(evaluations_) : 0.0;
  return {{"multiplier iterations", "{} mean, {} at most, per evaluation", {mean, most_}},
          {"iterations not converged", "{} of {} (limit {})", {not_converged_, evaluations_, long{max_iterations_}}},
          {"slowest contraction", "{}", {slowest_}}};
}

}  // namespace sunlagrange::internal
