#include <sunlagrange/base/status.hpp>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange {

#define LINEAR_SOLVER(name, sparse, summary) \
  std::unique_ptr<LinearSolver> make_##name(const BlockPattern&, const LinearSolverOptions&);
#include "linear_solver/linear_solvers.inc"
#undef LINEAR_SOLVER

namespace {

bool built(std::string_view name) {
#ifdef SUNLAGRANGE_WITH_KLU
  (void)name;
  return true;
#else
  return name != "klu";
#endif
}

}  // namespace

const std::vector<LinearSolverEntry>& linear_solver_registry() {
  static const std::vector<LinearSolverEntry> entries = {
#define LINEAR_SOLVER(name, sparse, summary) {#name, summary, sparse, built(#name), &make_##name},
#include "linear_solver/linear_solvers.inc"
#undef LINEAR_SOLVER
  };
  return entries;
}

const LinearSolverEntry& find_linear_solver(const std::string& name) {
  std::string known;
  for (const LinearSolverEntry& entry : linear_solver_registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error("linear_solver.name = \"" + name + "\" is not known; choose one of: " + known);
}

}  // namespace sunlagrange
