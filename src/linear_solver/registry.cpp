// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/status.hpp>

#include "base/numerics.hpp"
#include "linear_solver/factors/factors.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/newton_solver.hpp"
#include "linear_solver/rank/saddle_point_solver.hpp"

namespace sunlagrange::internal {

std::string LinearSolverEntry::objection() const {
  if (available) return "";
  return "linear_solver \"" + std::string(name) + "\" is not built in: it needs " + std::string(missing);
}

const Registry<LinearSolverEntry>& linear_solver_registry() {
  static const auto registry = [] {
    Registry<LinearSolverEntry> list("linear_solver");
    const auto add = [&list](std::string_view name, std::string_view summary, LinearSolverEntry entry) {
      entry.available = entry.make != nullptr;
      list.add(name, summary, entry);
    };
#define LINEAR_SOLVER(name, summary)      \
  extern LinearSolverEntry make_##name(); \
  add(#name, summary, make_##name());
#include "linear_solver/linear_solvers.inc"
#undef LINEAR_SOLVER
    return list;
  }();
  return registry;
}

const LinearSolverEntry& find_linear_solver(std::string_view name) {
  return linear_solver_registry().find(name);
}

std::unique_ptr<LinearSolver> make_linear_solver(const BlockPattern& pattern, const LinearSolverOptions& options) {
  const LinearSolverEntry& entry = find_linear_solver(options.name);
  if (!entry.available) throw Error(entry.objection());
  if (pattern.newton) {
    return std::make_unique<NewtonSolver>(pattern, entry.make(pattern), options.rank_policy == RankPolicy::strict);
  }
  return std::make_unique<SaddlePointSolver>(pattern, options, entry.make(pattern));
}

bool all_finite(const BlockPattern& pattern, const BlockValues& v) {
  const auto finite = [](const SparsePattern& p, const double* values, int parts) {
    return values == nullptr || are_finite(values, parts * p.nonzeros());
  };
  const int parts = pattern.complex ? 2 : 1;
  return finite(pattern.top_left, v.top_left, parts) && finite(pattern.jacobian, v.jacobian, 1) &&
         finite(pattern.bottom_left, v.bottom_left, parts) && finite(pattern.compliance, v.compliance, 1);
}

}  // namespace sunlagrange::internal
