// SPDX-License-Identifier: BSD-3-Clause
#include "work_precision/fronts.hpp"

#include <algorithm>

namespace sunlagrange::program {

std::vector<std::size_t> pareto_front(const std::vector<RunRecord>& records, const Cost& cost, Among among,
                                      const std::vector<SameRuns>& same) {
  constexpr double clearly = 0.9;
  std::vector<std::size_t> order, front;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const std::string& formulation = records[k].options.formulation;
    const bool repeats =
        std::any_of(same.begin(), same.end(), [&](const SameRuns& s) { return s.formulation == formulation; });
    if (!repeats && counts(records[k], among)) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost(records[a]) < cost(records[b]); });
  for (const std::size_t k : order) {
    if (front.empty() || records[k].error_vs_reference < clearly * records[front.back()].error_vs_reference)
      front.push_back(k);
  }
  return front;
}

}  // namespace sunlagrange::program
