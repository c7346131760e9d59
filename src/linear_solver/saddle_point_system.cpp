#include "linear_solver/saddle_point_system.hpp"

#include <algorithm>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

SparsePattern matrix_pattern(const GainMatrix& matrix, bool sparse) {
  const int m = matrix.size();
  if (!sparse) return SparsePattern::dense(m, m);
  std::vector<std::pair<int, int>> entries;
  matrix.for_each_entry([&](int i, int j, double entry) {
    if (i == j || entry != 0.0) entries.emplace_back(i, j);
  });
  return SparsePattern::from_entries(m, m, std::move(entries));
}

std::vector<double> matrix_values(const GainMatrix& matrix, const SparsePattern& pattern) {
  std::vector<double> values;
  pattern.for_each_entry([&](int i, int j, int) { values.push_back(matrix(i, j)); });
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
  workspace_ = make_workspace(*system_, storage);
  BlockPattern pattern;
  pattern.top_left = workspace_->patterns->mass;
  pattern.jacobian = workspace_->patterns->jacobian;
  pattern.natural_scales = workspace_->patterns->natural_scales;
  if (compliance.size() > 0) {
    pattern.compliance = matrix_pattern(compliance, storage == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern.compliance);
  }
  solver_ = make_linear_solver(pattern, resolved);
}

EvaluationResult SaddlePointSystem::factorize(double t, const double* q, const double* v) {
  const bool same_mass = mass_factorized_ && workspace_->mass_ready;
  if (!evaluate_system(*system_, request::acceleration_level, {t, q, v, nullptr, nullptr}, *workspace_)) {
    return EvaluationResult::declined;
  }
  BlockValues values;
  values.top_left = workspace_->M.data();
  values.jacobian = workspace_->G.data();
  values.compliance = compliance_.empty() ? nullptr : compliance_.data();
  values.same_top_left = same_mass;
  mass_factorized_ = true;
  return from_linear(solver_->factorize(values));
}

EvaluationResult SaddlePointSystem::accelerations(double* a, double* lambda) {
  Eigen::Map<Eigen::VectorXd>(a, n()) = workspace_->f;
  Eigen::Map<Eigen::VectorXd>(lambda, m()) = workspace_->gamma;
  return solve(a, lambda);
}

EvaluationResult SaddlePointSystem::multipliers_of(const double* v, double* mu) {
  Eigen::Map<Eigen::VectorXd> rows(mu, m());
  top_ = workspace_->f;
  rows.setZero();
  rows += workspace_->G * Eigen::Map<const Eigen::VectorXd>(v, n());
  return solve(top_.data(), mu);
}

}  // namespace sunlagrange::internal
