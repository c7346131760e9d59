#include "linear_solver/saddle_point_system.hpp"

#include <algorithm>

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {

SparsePattern matrix_pattern(const GainMatrix& matrix, bool sparse) {
  const int m = matrix.size();
  if (!sparse) return SparsePattern::dense(m, m);
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < m; ++j) {
    entries.emplace_back(j, j);
    if (matrix.is_diagonal()) continue;
    for (int i = 0; i < m; ++i) {
      if (matrix(i, j) != 0.0) entries.emplace_back(i, j);
    }
  }
  return SparsePattern::from_entries(m, m, std::move(entries));
}

std::vector<double> matrix_values(const GainMatrix& matrix, const SparsePattern& pattern) {
  std::vector<double> values;
  for (int j = 0; j < pattern.columns; ++j) {
    for (int k = pattern.column_start[static_cast<std::size_t>(j)];
         k < pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      values.push_back(matrix(pattern.row_index[static_cast<std::size_t>(k)], j));
    }
  }
  return values;
}

LinearSolverOptions resolve_linear_solver(LinearSolverOptions options, int n, int m) {
  if (options.name != "automatic") return options;
  const auto& all = linear_solver_registry();
  const auto sparse = std::find_if(all.begin(), all.end(), [](const auto& e) { return e.sparse && e.available; });
  options.name = (n + m > 40 && sparse != all.end() ? *sparse : *all.begin()).name;
  return options;
}

Storage storage_of(const LinearSolverOptions& resolved) {
  return find_linear_solver(resolved.name).sparse ? Storage::sparse : Storage::dense;
}

SaddlePointSystem::SaddlePointSystem(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options,
                                     const GainMatrix& compliance)
    : system_(std::move(system)) {
  const LinearSolverOptions resolved = resolve_linear_solver(options, n(), m());
  const Storage storage = storage_of(resolved);
  workspace_ = system_->make_workspace(storage);
  BlockPattern pattern;
  pattern.top_left = workspace_->patterns->mass;
  pattern.jacobian = workspace_->patterns->jacobian;
  pattern.bottom_left = pattern.jacobian;
  if (compliance.size() > 0) {
    pattern.compliance = matrix_pattern(compliance, storage == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern.compliance);
  }
  solver_ = make_linear_solver(pattern, resolved);
}

EvaluationResult SaddlePointSystem::factorize(double t, const double* q, const double* v) {
  const bool same_mass = mass_factorized_ && workspace_->mass_ready;
  if (!system_->evaluate(request::acceleration_level, {t, q, v, nullptr, nullptr}, *workspace_)) {
    return EvaluationResult::declined;
  }
  BlockValues values;
  values.top_left = workspace_->mass.data();
  values.jacobian = workspace_->jacobian.data();
  values.compliance = compliance_.empty() ? nullptr : compliance_.data();
  values.same_top_left = same_mass;
  mass_factorized_ = true;
  return from_linear(solver_->factorize(values));
}

EvaluationResult SaddlePointSystem::accelerations(double* a, double* lambda) {
  std::copy(workspace_->force.begin(), workspace_->force.end(), a);
  std::copy(workspace_->bias.begin(), workspace_->bias.end(), lambda);
  return solve(a, lambda);
}

EvaluationResult SaddlePointSystem::multipliers_of(const double* v, double* mu) {
  top_ = workspace_->force;
  std::fill(mu, mu + m(), 0.0);
  add_product(workspace_->patterns->jacobian, workspace_->jacobian, v, mu);
  return solve(top_.data(), mu);
}

}  // namespace sunlagrange
