// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (altered_motion).
struct AlteredMotionThresholds {
  double alteration = 10.0;  ///< of the accelerations, in units of the promise or of the tolerance
};
constexpr AlteredMotionThresholds altered_motion_threshold;

/// Judges how far the accelerations of altered equations (penalties) differ from those of the constrained motion.
class AlteredMotion final : public Check {
 public:
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    const auto& advice = r.used.advice;
    if (!advice || !(expected.promised.altered_motion > 0.0)) return;
    const double tolerance =
        expected.fixed_step ? 0.0 : std::max(expected.used.rtol, expected.used.atol / r.max_position);
    doubts.add_if_above(DoubtKind::altered_motion, advice->alteration,
                        altered_motion_threshold.alteration * std::max(expected.promised.altered_motion, tolerance),
                        "masses lie so far apart that an automatic Lambda is too soft for the heavy ones; by how much "
                        "the accelerations differ, relative to those of the constraint forces: take baumgarte or "
                        "projected");
  }
};

}  // namespace

std::unique_ptr<Check> make_altered_motion(ObservedRun& /*run*/, const CheckList& /*earlier*/) {
  return std::make_unique<AlteredMotion>();
}

}  // namespace sunlagrange::internal
