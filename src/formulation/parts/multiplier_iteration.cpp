#include "formulation/parts/multiplier_iteration.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {
namespace {

/// Changes below this, relative to the forces, are rounding and say nothing about the contraction.
constexpr double rounding = 1e-13;

}  // namespace

MultiplierIteration::MultiplierIteration(const SaddlePointSystem& saddle, GainMatrix compliance, double tolerance,
                                         int max_iterations)
    : compliance_(std::move(compliance)),
      tolerance_(tolerance),
      max_iterations_(max_iterations),
      force_(static_cast<std::size_t>(saddle.n())),
      rows_(static_cast<std::size_t>(saddle.m())),
      old_(static_cast<std::size_t>(saddle.m())),
      change_(static_cast<std::size_t>(saddle.m())),
      constraint_force_(static_cast<std::size_t>(saddle.n())) {
  const SparsePattern& mass = saddle.workspace().patterns->mass;
  for (int j = 0; j < mass.columns; ++j) mass_diagonal_.push_back(mass.slot(j, j));
}

/// bottom = b - C lambda_{k-1}
void MultiplierIteration::load_rows(double* bottom) const {
  const int m = static_cast<int>(rows_.size());
  std::copy(rows_.begin(), rows_.end(), bottom);
  for (int k = 0; k < m; ++k) {
    const double lambda = old_[static_cast<std::size_t>(k)];
    if (compliance_.is_diagonal()) {
      bottom[k] -= compliance_.diagonal[k] * lambda;
    } else {
      for (int i = 0; i < m; ++i) bottom[i] -= compliance_.full(i, k) * lambda;
    }
  }
}

/// Massless coordinates borrow the largest mass.
double MultiplierIteration::force_norm(const Workspace& w, const double* force) const {
  double largest = 0.0;
  for (const int slot : mass_diagonal_) largest = std::max(largest, w.mass[static_cast<std::size_t>(slot)]);
  double sum = 0.0;
  for (std::size_t j = 0; j < mass_diagonal_.size(); ++j) {
    const double mass = w.mass[static_cast<std::size_t>(mass_diagonal_[j])];
    const double borrowed = mass > 0.0 ? mass : largest;
    sum += force[j] * force[j] / (borrowed > 0.0 ? borrowed : 1.0);
  }
  return std::sqrt(sum);
}

EvaluationResult MultiplierIteration::solve(SaddlePointSystem& saddle, double* a, double* lambda) {
  const Workspace& w = saddle.workspace();
  const SparsePattern& G = w.patterns->jacobian;
  const auto norm_of = [&](const double* multipliers) {  // |G^T multipliers|
    std::fill(constraint_force_.begin(), constraint_force_.end(), 0.0);
    add_transposed_product(G, w.jacobian, multipliers, constraint_force_.data());
    return force_norm(w, constraint_force_.data());
  };
  std::copy(a, a + force_.size(), force_.begin());
  std::copy(lambda, lambda + rows_.size(), rows_.begin());
  std::fill(old_.begin(), old_.end(), 0.0);
  const double applied = force_norm(w, force_.data());
  ++evaluations_;
  double before = 0.0;
  for (int k = 1;; ++k) {
    std::copy(force_.begin(), force_.end(), a);
    load_rows(lambda);
    const EvaluationResult result = saddle.solve(a, lambda);
    if (result != EvaluationResult::ok) return result;
    ++iterations_;
    most_ = std::max<long>(most_, k);
    for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = lambda[i] - old_[i];
    const double change = norm_of(change_.data());
    const double scale = applied + norm_of(lambda);
    if (k > 1 && change > rounding * scale) slowest_ = std::max(slowest_, change / before);
    if (change <= tolerance_ * scale) return result;
    if (k == max_iterations_) {
      ++not_converged_;
      return result;
    }
    std::copy(lambda, lambda + old_.size(), old_.begin());
    before = change;
  }
}

std::vector<Fact> MultiplierIteration::statistics() const {
  const double mean = evaluations_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(evaluations_) : 0.0;
  return {{"multiplier iterations", "{} mean, {} at most, per evaluation", {mean, most_}},
          {"iterations not converged", "{} of {} (limit {})", {not_converged_, evaluations_, long{max_iterations_}}},
          {"slowest contraction", "{}", {slowest_}}};
}

}  // namespace sunlagrange
