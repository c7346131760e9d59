#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

using Cost = std::function<double(const RunRecord&)>;

double cpu_seconds(const RunRecord& record);
double rhs_evaluations(const RunRecord& record);

/// Who takes part.
enum class Among {
  all,      ///< runs of the library that finished and whose error is known
  holding,  ///< of these, the ones that hold the constraints (RunRecord::holds_constraints)
};

/// The Pareto front: runs that no other beats in both error of q and cost, from cheap to accurate; each more accurate
/// than the one before by a tenth at least. @return their places in `records`
std::vector<std::size_t> pareto_front(const std::vector<RunRecord>& records, const Cost& cost, Among among);

/// What one formulation with one integrator costs at an error of q.
struct CostAtError {
  std::string formulation;
  std::string integrator;
  double cpu_seconds = Report::none;
  double rhs_evaluations = Report::none;
};

/// Every pair that gets there, the cheapest in CPU time first. Between two neighbouring accuracies of a pair, one on
/// each side of the error, costs are interpolated (logarithms of both); where all its runs are more accurate, its
/// cheapest.
std::vector<CostAtError> costs_at(const std::vector<RunRecord>& records, double error, Among among);

}  // namespace sunlagrange::program
