#include "formulation/parts/contradictions.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

void Contradictions::note(const Workspace& w, const Eigen::VectorXd& x, Eigen::VectorXd& asked) {
  // in natural scales per second (squared): at rest rows ask for their rounding, or for what atol lets them be off
  constexpr double still = 1e-3;
  terms_ = asked.cwiseAbs();
  w.G.for_each_entry([&](int i, int j, double entry) {
    asked[i] -= entry * x[j];
    terms_[i] += std::abs(entry) * (std::abs(x[j]) + still * scales_[j]);
  });
  const double largest = terms_.size() == 0 ? 0.0 : terms_.maxCoeff();
  for (Eigen::Index i = 0; i < asked.size() && largest > 0.0; ++i)
    largest_[i] = std::max(largest_[i], std::abs(asked[i]) / largest);
}

std::vector<Fact> Contradictions::facts(const MechanicalSystem& system) const {
  constexpr double noticeable = 1e-3;  // violations at tolerance level ask for less
  std::string names;
  for (int i = 0; i < system.num_constraints(); ++i) {
    if (largest_[i] > noticeable) names += (names.empty() ? "\"" : ", \"") + system.constraint_name(i) + "\"";
  }
  if (names.empty()) return {};
  return {{"rows that contradict each other", names + ", by up to {} of what they ask for", {largest_.maxCoeff()}}};
}

}  // namespace sunlagrange::internal
