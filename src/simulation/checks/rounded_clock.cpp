// SPDX-License-Identifier: BSD-3-Clause
#include "base/numerics.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (rounded_clock).
struct RoundedClockThresholds {
  double displacement = 1e-2;  ///< by the rounding of t, relative to the size of the mechanism
};
constexpr RoundedClockThresholds rounded_clock_threshold;

/// Sums the rounding errors of the ends of the steps: far from t = 0 the digits of t do not hold short steps.
class RoundedClock final : public Check {
 public:
  explicit RoundedClock(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& step) override {
    if (step.stepper != nullptr) run_.report.time_rounding += 0.5 * last_digit(step.stepper->time());
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (!(r.max_position > 0.0)) return;
    doubts.add_if_above(
        DoubtKind::rounded_clock, r.time_rounding * r.max_velocity / r.max_position,
        rounded_clock_threshold.displacement,
        "the last digits of t, " + text(last_digit(r.t_end)) +
            " s, are too coarse for such short steps; the motion may be displaced by this part of the size "
            "of the mechanism: shift the time axis, so that the run starts near t = 0");
  }

 private:
  ObservedRun& run_;
};

}  // namespace

std::unique_ptr<Check> make_rounded_clock(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<RoundedClock>(run);
}

}  // namespace sunlagrange::internal
