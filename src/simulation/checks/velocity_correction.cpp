// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Checks the largest velocity that a projection has taken out after a step. No error test sees it; it is of the size
/// of the error of the step unless something jumps within the step. Beside a singular pose an error e of the rows moves
/// velocities by e / sigma with the smallest singular value sigma: there the part sigma of the correction counts. Held
/// by doubts_test (prescribed motions that jump) and kinds_of_motion_test (exactly folding linkages).
class VelocityCorrection final : public Check {
 public:
  explicit VelocityCorrection(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& step) override {
    if (step.stepper == nullptr) return;
    const double smallest = run_.path.newest().smallest;
    strongest_ = std::max(strongest_, smallest);
    const double part = strongest_ > 0.0 ? std::sqrt(smallest / strongest_) : 1.0;
    const double correction = part * step.stepper->last_velocity_correction();
    if (!(correction > largest_)) return;
    largest_ = correction;
    t_ = run_.path.newest().t;
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (!expected.moves || !(r.max_velocity > 0.0)) return;
    doubts.add_if_above(
        DoubtKind::velocity_violation, largest_ / r.max_velocity,
        expected.velocity_violation(ConstraintAccuracy::to_tolerance) +
            accuracy_threshold.given_start * r.velocity_violation_at_start,
        "the step to t = " + text(t_) +
            " left the velocity constraints, and the projection, which no error test sees, took it out, relative to "
            "the largest velocity: where a prescribed motion jumps, make that an event; where it begins within a step, "
            "give max_step; else " +
            expected.remedy(ConstraintAccuracy::to_tolerance));
  }

  void restart(double /*event_work*/) override { strongest_ = 0.0; }

  void describe(Figures& state) override {
    state("largest", largest_, "unit of v", "largest velocity correction");
    state("t", t_, "s", "time of it");
  }

 private:
  ObservedRun& run_;
  double largest_ = 0.0;    // natural_size() of a correction
  double t_ = 0.0;          // of it [s]
  double strongest_ = 0.0;  // PathSample::smallest since the last restart
};

}  // namespace

std::unique_ptr<Check> make_velocity_correction(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<VelocityCorrection>(run);
}

}  // namespace sunlagrange::internal
