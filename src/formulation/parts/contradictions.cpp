// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/contradictions.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

void Contradictions::record(const Workspace& w, const Eigen::VectorXd& x, Eigen::VectorXd& right_side) {
  // size of a coordinate at rest, in natural scales per second (squared): its rows hold rounding or errors of size atol
  constexpr double still = 1e-3;
  terms_ = right_side.cwiseAbs();
  w.G.for_each_entry([&](int i, int j, double entry) {
    right_side[i] -= entry * x[j];
    terms_[i] += std::abs(entry) * (std::abs(x[j]) + still * scales_[j]);
  });
  const double largest = terms_.size() == 0 ? 0.0 : terms_.maxCoeff();
  for (Eigen::Index i = 0; i < right_side.size() && largest > 0.0; ++i)
    largest_[i] = std::max(largest_[i], std::abs(right_side[i]) / largest);
}

std::vector<Fact> Contradictions::facts(const MechanicalSystem& system) const {
  constexpr double noticeable = 1e-3;  // violations of the size of the tolerance contribute less
  std::string names;
  for (int i = 0; i < system.num_constraints(); ++i) {
    if (largest_[i] > noticeable) names += (names.empty() ? "\"" : ", \"") + system.constraint_name(i) + "\"";
  }
  if (names.empty()) return {};
  return {{"rows that contradict each other", names + ", by up to {} of what they ask for", {largest_.maxCoeff()}}};
}

}  // namespace sunlagrange::internal
