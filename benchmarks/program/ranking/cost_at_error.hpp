// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

using Cost = std::function<double(const RunRecord&)>;

double cpu_seconds(const RunRecord& record);
double rhs_evaluations(const RunRecord& record);

/// Returns the work of the run as parts/work.hpp counts it.
double counted_work(const RunRecord& record);

/// Runs of the library that a comparison of costs considers.
enum class Among {
  all,      ///< those that finished and whose error is known
  holding,  ///< those of them that hold the constraints (RunRecord::holds_constraints)
  certain,  ///< those of them that have no doubts
};

/// Returns true if the run is among those.
bool counts(const RunRecord& record, Among among);

/// Returns true if both runs have the same formulation and the same integrator.
bool same_pair(const RunRecord& a, const RunRecord& b);

/// Returns a positive figure at an error of q between the errors of two runs: linear between the logarithms of both.
/// NaN if the error is not between theirs.
double interpolated(const RunRecord& a, const RunRecord& b, double error, const Cost& figure);

/// Cost of one formulation with one integrator at an error of q.
struct CostAtError {
  std::string formulation, integrator;
  double cpu_seconds = Report::none, rhs_evaluations = Report::none, work = Report::none, violation = Report::none;

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "name");
    f("cpu_seconds", cpu_seconds, "s", "CPU time");
    f("rhs_evaluations", rhs_evaluations, "evaluations of right-hand sides or residuals");
    f("work", work, "right-hand sides or residuals + Newton factorisations + 2 x Jacobians");
    f("violation", violation, "largest |g| of the run, or |(g', psi)| where there are only velocity constraints");
  }
};

/// Returns every pair that reaches the error, the cheapest in CPU time first. All figures are interpolated between the
/// two neighbouring runs of a pair on both sides of the error; where several neighbours are, each figure is the least.
/// If all runs of a pair are more accurate, they are those of the run with the loosest tolerance.
std::vector<CostAtError> costs_at(const std::vector<RunRecord>& records, double error, Among among);

}  // namespace sunlagrange::program
