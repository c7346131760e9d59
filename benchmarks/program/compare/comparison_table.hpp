// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "shared/record.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {

/// Prints the result of `compare`: a verdict, the table grouped by formulation, and the messages of failed runs and
/// rank events, numbered as in the status column.
void print_comparison(const Problem& problem, const std::vector<RunRecord>& records, std::size_t width);

/// Returns the largest modulus among the eigenvalues of the constraint feedback g'' + K_D g' + K_P g = 0, psi' + K_N
/// psi = 0 [1/s] with the gains of the run; NaN if the formulation has none. Its product with the step is compared with
/// the stability limit of an explicit method.
double feedback_rate(const RunRecord& record);

}  // namespace sunlagrange::program
