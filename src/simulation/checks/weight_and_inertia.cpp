// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "results/weights.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (weight_and_inertia).
struct WeightAndInertiaThresholds {
  double difference = 1e-3;  ///< of the masses, relative: masses that are typed twice with three digits agree better
};
constexpr WeightAndInertiaThresholds weight_and_inertia_threshold;

/// Compares the mass of weights with the mass of inertia. They are one quantity (a body falls at g, whatever its mass);
/// where they differ by intention, as with buoyancy or water that moves along, the difference is a force or an inertia
/// of its own and can be stated as one.
class WeightAndInertia final : public Check {
 public:
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const std::vector<WeightMismatch> found = mismatched_weights(expected.system);
    const auto worst = std::max_element(found.begin(), found.end(),
                                        [](const auto& a, const auto& b) { return a.difference < b.difference; });
    if (worst == found.end()) return;
    doubts.add_if_above(DoubtKind::weight_and_inertia, worst->difference, weight_and_inertia_threshold.difference,
                        worst->text +
                            ": a body has one mass; give both the same, and state buoyancy or mass that moves along as "
                            "an element of its own");
  }
};

}  // namespace

std::unique_ptr<Check> make_weight_and_inertia(ObservedRun& /*run*/, const CheckList& /*earlier*/) {
  return std::make_unique<WeightAndInertia>();
}

}  // namespace sunlagrange::internal
