// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "simulation/checks/constraint_violation.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (dense_output).
struct DenseOutputThresholds {
  double growth_of_longest = 1.1;  ///< a step longer than this times the longest that was sampled is sampled, too
  int interval = 16;               ///< steps between two samples at the latest
  double of_the_steps = 2.0;       ///< dense output is as good as the steps, never better
};
constexpr DenseOutputThresholds dense_output_threshold;

/// Measures the violation of the constraints in the middle of the longest steps, of every 16th one, and at roots inside
/// a step. It evaluates other points of the path: SampledPath::quantities are not those of the newest state afterwards.
class DenseOutput final : public Check {
 public:
  DenseOutput(ObservedRun& run, const ConstraintViolation& violation)
      : run_(run),
        violation_(violation),
        measure_(*run.path.system()),
        largest_(run.report.max_position > 0.0 ? run.report.violation_between_steps * run.report.max_position
                                               : run.report.violation_between_steps) {}

  void observe(const AcceptedStep& step) override {
    if (run_.path.newest().evaluated && step.ends_at_root) largest_ = std::max(largest_, violation_.displacement());
    if (middle_is_due()) sample_middle();
    Report& report = run_.report;
    report.violation_between_steps = report.max_position > 0.0 ? largest_ / report.max_position : largest_;
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    if (ConstraintViolation::leaves_violation_of_start(expected)) return;
    const Report& r = expected.report;
    const ConstraintAccuracy held = expected.promised.positions;
    const ConstraintAccuracy between =
        held == ConstraintAccuracy::to_rounding ? ConstraintAccuracy::to_tolerance : held;
    doubts.add_if_above(
        DoubtKind::dense_output, r.violation_between_steps,
        std::max(expected.violation(between, r.max_position) + accuracy_threshold.given_start * r.violation_at_start,
                 dense_output_threshold.of_the_steps * r.relative_violation),
        "between the steps the trajectory leaves the constraints, relative to the size of the mechanism: take "
        "states at the steps, at Record::at_times or from consistent_state_at(), or " +
            std::string(expected.fixed_step ? "shorten the step" : "tighten the tolerances"));
  }

 private:
  bool middle_is_due() {
    const auto& samples = run_.path.samples();
    if (samples.size() < 2 || run_.path.system()->num_position_constraints() == 0) return false;
    const double h = samples.back().t - samples[samples.size() - 2].t;
    if (h <= longest_ && ++not_sampled_ < dense_output_threshold.interval) return false;
    not_sampled_ = 0;
    longest_ = std::max(dense_output_threshold.growth_of_longest * longest_, h);
    return true;
  }

  void sample_middle() {
    const auto& samples = run_.path.samples();
    const double before = samples[samples.size() - 2].t, h = samples.back().t - before;
    if (!run_.path.evaluate_between(before + 0.5 * h, middle_)) return;
    const double size = natural_size(*run_.path.system(), middle_.q);
    const Workspace& w = run_.path.quantities();
    largest_ = std::max(largest_, measure_(w, middle_.q, size, w.g).displacement());
  }

  ObservedRun& run_;
  const ConstraintViolation& violation_;
  ViolationMeasure measure_;
  double largest_;        // displacement that a violation stands for
  double longest_ = 0.0;  // steps up to this length are not sampled for their length [s]
  int not_sampled_ = 0;   // steps since the last sample
  PathSample middle_;     // scratch
};

}  // namespace

std::unique_ptr<Check> make_dense_output(ObservedRun& run, const CheckList& earlier) {
  return std::make_unique<DenseOutput>(run, earlier.get<ConstraintViolation>());
}

}  // namespace sunlagrange::internal
