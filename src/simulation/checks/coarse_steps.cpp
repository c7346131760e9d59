// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/natural_scales.hpp"
#include "simulation/checks/check.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by coarse_steps_test.
struct CoarseStepThresholds {
  double equal = 1e-6;  ///< relative difference of two steps that count as equal; the last one is cut off at the end
  double defect = 0.3;  ///< of the largest velocity, over the steps of ten turns
  double turns = 60.0;  ///< [rad]: where damping takes errors back, a long run is no worse than ten turns of it
  int order = 4;        ///< of Simpson's rule: methods of higher order cannot be judged by it
};
constexpr CoarseStepThresholds coarse_step_threshold;

/// Checks that velocities follow from accelerations over fixed steps, which no error test has chosen. Over each pair of
/// equal steps the change of v is compared with Simpson's rule for a at the three states,
///
///     d = v(t + h) - v(t - h) - h / 3 (a(t - h) + 4 a(t) + a(t + h)),
///
/// and the sizes of d and of the change of v are summed over the run. For methods up to order 4, d is of the size of
/// their error or smaller where steps are short, and of the size of v where the motion turns within one step.
class CoarseSteps final : public Check {
 public:
  explicit CoarseSteps(ObservedRun& run) : run_(run) {}

  /// A run that continues from a checkpoint begins with the last state before it, which has been observed.
  void restart(double event_work) override {
    if (observed_ || event_work != 0.0) known_ = 0;
  }

  /// The acceleration of the first state may be that before the motion begins, so it is left out.
  void observe(const AcceptedStep& step) override {
    const PathSample& now = run_.path.newest();
    observed_ = true;
    if (step.stepper == nullptr && known_ > 0 && now.t == middle_.t) return;
    const MechanicalSystem& system = *run_.path.system();
    known_ = now.regular ? known_ + 1 : 0;
    const double h = now.t - middle_.t;
    if (known_ > 3 && std::abs(middle_.t - before_.t - h) <= coarse_step_threshold.equal * h) {
      d_ = now.v - before_.v;
      gained_ += 0.5 * natural_size(system, d_);
      d_ -= h / 3.0 * (before_.a + 4.0 * middle_.a + now.a);
      defect_ += 0.5 * natural_size(system, d_);
    }
    std::swap(before_, middle_);
    middle_.t = now.t;
    middle_.v = now.v;
    middle_.a = now.a;
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (!expected.moves || !(defect_ > 0.0)) return;
    const double turned = gained_ / r.max_velocity;  // [rad] of a motion that goes round
    doubts.add_if_above(DoubtKind::coarse_steps,
                        defect_ / r.max_velocity * std::min(1.0, coarse_step_threshold.turns / turned),
                        coarse_step_threshold.defect,
                        "the motion turns within the fixed steps: what the velocities gain over them is not what the "
                        "accelerations say, relative to the largest velocity, over 60 rad at most: shorten the step");
  }

  void describe(Figures& state) override {
    state("defect", defect_, "unit of v", "sum of the changes of v that accelerations do not explain");
    state("gained", gained_, "unit of v", "sum of all changes of v");
    auto known = static_cast<double>(known_);
    state("known", known, "states in a row with a known acceleration, the newest of which are the two below");
    known_ = static_cast<int>(known);
    before_.describe(state, "before_t", "before_v", "before_a");
    middle_.describe(state, "middle_t", "middle_v", "middle_a");
  }

 private:
  struct State {
    double t = 0.0;
    Eigen::VectorXd v, a;

    void describe(Figures& state, const char* of_t, const char* of_v, const char* of_a) {
      state(of_t, t, "s", "time");
      state(of_v, v, "unit of v", "velocities then");
      state(of_a, a, "unit of v / s", "accelerations then");
    }
  };

  ObservedRun& run_;
  State before_, middle_;
  Eigen::VectorXd d_;
  bool observed_ = false;  // a state of this run, not only the states of a checkpoint
  int known_ = 0;          // states in a row with a known acceleration
  double defect_ = 0.0;    // natural_size(d), half of it, as each step is in two pairs
  double gained_ = 0.0;    // the same of v(t + h) - v(t - h)
};

}  // namespace

std::unique_ptr<Check> make_coarse_steps(ObservedRun& run, const CheckList& /*earlier*/) {
  const bool applies = find_integrator(run.options.integrator).fixed_step &&
                       run.path.system()->motion_law().has_forces &&
                       one_step_order(run.options) <= coarse_step_threshold.order;
  return applies ? std::make_unique<CoarseSteps>(run) : nullptr;
}

}  // namespace sunlagrange::internal
