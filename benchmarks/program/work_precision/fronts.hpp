#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

using Cost = std::function<double(const RunRecord&)>;

double cpu_seconds(const RunRecord& record);
double rhs_evaluations(const RunRecord& record);

/// Runs that a Pareto front considers.
enum class Among {
  all,      ///< runs of the library that finished and whose error is known
  holding,  ///< those of them that hold the constraints (RunRecord::holds_constraints)
};

/// Returns the Pareto front as places in `records`: the runs that no other run beats in both error of q and cost, from
/// cheap to accurate. Each is at least a tenth more accurate than the one before.
std::vector<std::size_t> pareto_front(const std::vector<RunRecord>& records, const Cost& cost, Among among);

/// Cost of one formulation with one integrator at an error of q.
struct CostAtError {
  std::string formulation, integrator;
  double cpu_seconds = Report::none, rhs_evaluations = Report::none;

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "name");
    f("cpu_seconds", cpu_seconds, "s", "CPU time");
    f("rhs_evaluations", rhs_evaluations, "evaluations of right-hand sides or residuals");
  }
};

/// Returns every pair that reaches the error, the cheapest in CPU time first. The cost is interpolated between the two
/// neighbouring runs of a pair on both sides of the error (logarithms of both); if all its runs are more accurate, it
/// is that of the cheapest.
std::vector<CostAtError> costs_at(const std::vector<RunRecord>& records, double error, Among among);

}  // namespace sunlagrange::program
