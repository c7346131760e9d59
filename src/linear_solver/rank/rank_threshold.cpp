// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/rank_threshold.hpp"

#include <algorithm>
#include <cmath>

#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

double rank_threshold_for(int m, double threshold) {
  constexpr double most_rows = 40;
  const double share = most_rows / std::max(most_rows, static_cast<double>(m));
  const double square = share * share;
  return std::max(threshold * square * square, std::min(threshold, RankThresholds::least));
}

int rank_of(const Eigen::VectorXd& singular_values, double threshold, double least) {
  if (singular_values.size() == 0) return 0;
  const double bound = std::sqrt(threshold) * std::max(singular_values[0], least);
  int rank = 0;
  while (rank < singular_values.size() && singular_values[rank] > bound) ++rank;
  return rank;
}

}  // namespace sunlagrange::internal
