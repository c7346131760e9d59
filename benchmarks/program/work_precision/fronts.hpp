// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ranking/cost_at_error.hpp"
#include "ranking/ranking.hpp"

namespace sunlagrange::program {

/// Returns the Pareto front as places in `records`: the runs that no other run beats in both error of q and cost, from
/// cheap to accurate. Each is at least a tenth more accurate than the one before.
/// @param same  formulations whose runs are those of another one, which stands for them
std::vector<std::size_t> pareto_front(const std::vector<RunRecord>& records, const Cost& cost, Among among,
                                      const std::vector<SameRuns>& same);

}  // namespace sunlagrange::program
