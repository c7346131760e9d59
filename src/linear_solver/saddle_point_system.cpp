// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/saddle_point_system.hpp"

#include <mutex>
#include <random>

#include "linear_solver/factors/panels.hpp"
#include "model/system_analysis.hpp"

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

namespace {

// Measured (benchmarks/results): one factorisation and solution cost dense 0.4 us with 10 unknowns, block 0.2; chains
// of 20 unknowns 1.2 and 0.3, of 50 unknowns 9 and 0.6. With full M and G the two are level at 64.
constexpr int always_dense = 12;
constexpr int dense_if_full = 64;
constexpr double full_enough = 0.5;

/// One order for all saddle-point systems of a system.
std::shared_ptr<const Panels> saddle_point_panels(const MechanicalSystem& system) {
  SystemAnalysis& known = analysis_of(system);
  std::call_once(known.panels_found, [&] {
    BlockPattern pattern;
    pattern.top_left = sparse_patterns(system)->mass;
    pattern.jacobian = sparse_patterns(system)->jacobian;
    known.panels = std::make_shared<const Panels>(pattern);
  });
  return std::static_pointer_cast<const Panels>(known.panels);
}

}  // namespace

LinearSolverChoice linear_solver_choice(const MechanicalSystem& system) {
  const long n = system.num_positions(), m = system.num_constraints();
  const auto choice = [&](const char* name, const char* reason, double share) {
    Fact fact{"linear solver by size and pattern", "{}: {} unknowns" + std::string(reason), {std::string(name), n + m}};
    if (share > 0.0) fact.values.emplace_back(100.0 * share);
    return LinearSolverChoice{name, fact};
  };
  if (n + m <= always_dense) return choice("dense", "", 0.0);
  if (!find_linear_solver("block").available) return choice("dense", ", and no sparse solver is built in", 0.0);
  const SystemPatterns& patterns = *sparse_patterns(system);
  const double entries = static_cast<double>(patterns.mass.nonzeros()) + patterns.jacobian.nonzeros();
  const double share = entries / static_cast<double>(n * (n + m));
  if (n + m <= dense_if_full && share > full_enough)
    return choice("dense", ", {} % of M and G may differ from zero", share);
  if (saddle_point_panels(system)->complete) return choice("block", ", {} % of M and G may differ from zero", share);
  return choice("klu", ", {} % of M and G may differ from zero, in an order of bodies and joints they would fill up",
                share);
}

LinearSolverOptions resolve_linear_solver(LinearSolverOptions options, const MechanicalSystem& system) {
  if (options.name == "automatic") options.name = linear_solver_choice(system).name;
  return options;
}

Storage storage_of(const LinearSolverOptions& resolved) {
  return find_linear_solver(resolved.name).sparse ? Storage::sparse : Storage::dense;
}

PointEvaluator evaluator_for(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options) {
  const Storage storage = storage_of(resolve_linear_solver(options, *system));
  return {std::move(system), storage};
}

SaddlePointSystem::SaddlePointSystem(const PointEvaluator& evaluator, const LinearSolverOptions& options,
                                     const GainMatrix& compliance)
    : system_(evaluator.shared_system()) {
  const LinearSolverOptions resolved = resolve_linear_solver(options, *system_);
  const SystemPatterns& patterns = *evaluator.quantities().patterns;
  BlockPattern pattern;
  pattern.top_left = patterns.mass;
  pattern.jacobian = patterns.jacobian;
  pattern.natural_scales = patterns.natural_scales;
  pattern.system = system_;
  if (compliance.size() > 0) {
    pattern.compliance = matrix_pattern(compliance, storage_of(resolved) == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern.compliance);
  }
  const bool coupled = pattern.compliance.nonzeros() > m();  // by the compliance as well
  if (resolved.name == "block" && !coupled) pattern.panels = saddle_point_panels(*system_);
  solver_ = make_linear_solver(pattern, resolved);
}

EvaluationResult SaddlePointSystem::factorize(const Workspace* at) {
  if (at == nullptr) return EvaluationResult::declined;
  BlockValues values;
  values.top_left = at->M.data();
  values.jacobian = at->G.data();
  values.compliance = compliance_.empty() ? nullptr : compliance_.data();
  values.same_top_left = mass_factorized_ && at->mass_ready;
  mass_factorized_ = true;
  return solver_->factorize(values);
}

EvaluationResult SaddlePointSystem::accelerations(const Workspace& at, double* a, double* lambda) const {
  Eigen::Map<Eigen::VectorXd>(a, n()) = at.f;
  Eigen::Map<Eigen::VectorXd>(lambda, m()) = at.gamma;
  return solve(a, lambda);
}

EvaluationResult SaddlePointSystem::complete(const Workspace& at, const double* v, double* a, double* mu) {
  if (system_->motion_law().has_forces) return accelerations(at, a, mu);
  Eigen::Map<Eigen::VectorXd> rows(mu, m());
  top_ = at.f;
  rows.setZero();
  rows += at.G * Eigen::Map<const Eigen::VectorXd>(v, n());
  return solve(top_.data(), mu);
}

/// u = x - y for a random x, where y has least norm among the multipliers with G^T y = G^T x. An undetermined
/// multiplier has no part in u with probability zero.
Eigen::VectorXd SaddlePointSystem::undetermined_multipliers(const Workspace& at) const {
  if (solver_->rank() == m()) return {};
  Eigen::VectorXd size = Eigen::VectorXd::Zero(m());
  at.G.for_each_entry([&](int i, int, double entry) { size[i] += entry * entry; });
  size = size.cwiseSqrt();
  std::minstd_rand random(1U);
  std::uniform_real_distribution<double> uniform(0.5, 1.0);
  Eigen::VectorXd x(m());
  for (int i = 0; i < m(); ++i) {
    const double sign = random() % 2 == 0 ? 1.0 : -1.0;
    x[i] = size[i] > 0.0 ? sign * uniform(random) / size[i] : 0.0;
  }
  Eigen::VectorXd top = Eigen::VectorXd::Zero(n()), y = Eigen::VectorXd::Zero(m());
  top += at.G.transposed() * x;
  if (solve(top.data(), y.data()) != EvaluationResult::ok) return {};
  x -= y;
  const double largest = x.cwiseProduct(size).lpNorm<Eigen::Infinity>();
  if (!(largest > 0.0)) return {};
  return x / largest;
}

}  // namespace sunlagrange::internal
