// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "simulation/checks/feasibility.hpp"
#include "simulation/failure_hints.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by failure_reasons_test (stalls) and infeasible_ahead_test (searches ahead).
struct StepSizeThresholds {
  double tiny = 1e-8;            ///< of the run: steps below are tiny
  long stalled_steps = 20;       ///< tiny steps in a row that are a stall, if half as many recoverable failures were in
                                 ///< them
  long first_search_ahead = 50;  ///< tiny steps after which the end of the workspace is searched; doubles each time
  long no_advance = 100;         ///< steps in a row that do not change t; an integrator may double its step after each
  double late = 1e3;             ///< |t| in lengths of the run: shifting the time axis helps
  double failed = 1.0;           ///< failed over accepted steps
  long few_failures = 20;        ///< a short run may have so many failures, even if they outnumber its steps
};
constexpr StepSizeThresholds step_size_threshold;

/// Ends a run whose steps have become useless: they do not change t, or they are tiny and fail again and again. (CVODE
/// never gives up there, because each tiny step succeeds after a few attempts.) Without failures tiny steps may be a
/// fast part of the motion, or the edge behind which the constraints cannot be met, which is searched.
class StepSize final : public Check {
 public:
  StepSize(ObservedRun& run, const Feasibility& feasibility)
      : run_(run), feasibility_(feasibility), tiny_step_(step_size_threshold.tiny * run.span()) {}

  void begin_segment(IntegratorStepper& /*stepper*/, const double* /*q*/, const double* /*v*/) override {
    tiny_steps_ = no_advance_ = failures_ = failures_before_ = 0;
    next_search_ahead_ = step_size_threshold.first_search_ahead;
  }

  void observe(const AcceptedStep& step) override {
    if (step.stepper == nullptr) return;
    count(step);
    if (no_advance_ >= step_size_threshold.no_advance) return run_.stop(no_longer_advances());
    const long stall = step_size_threshold.stalled_steps;
    const bool stalled = tiny_steps_ >= stall && failures_ >= stall / 2;
    const bool search_ahead = search_ahead_is_due() && run_.options.stop_when_infeasible && !feasibility_.infeasible();
    if (!stalled && !search_ahead) return;
    Status status = step.stepper->attachment().explain("the step size fell to " + text(step.length) +
                                                       " at t = " + text(run_.path.newest().t));
    status.message += entries_not_finite_ahead(*step.stepper, run_.path, run_.options.t_end);
    if (std::optional<Status> ends = feasibility_.ends_here(step.length, status.message))
      run_.stop(*std::move(ends));
    else if (stalled)
      run_.stop(std::move(status));
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    // iterations of radau fail where its long steps are too long for a predictor; the shorter step is judged by its
    // error
    const long iterations = expected.used.integrator == "radau" ? 0 : r.nonlinear_failures;
    const long failures = iterations + r.error_test_failures;
    if (failures <= step_size_threshold.few_failures) return;
    doubts.add_if_above(
        DoubtKind::failed_steps, static_cast<double>(failures) / static_cast<double>(std::max(r.steps, 1L)),
        step_size_threshold.failed,
        "more steps failed than were accepted: the model may not be smooth, or the tolerances lie at rounding");
  }

 private:
  void count(const AcceptedStep& step) {
    const long failures = step.stepper->attachment().counts().failures.total();
    if (step.length >= tiny_step_) {
      tiny_steps_ = 0;
      next_search_ahead_ = step_size_threshold.first_search_ahead;
      failures_before_ = failures;
    } else {
      ++tiny_steps_;
    }
    no_advance_ = step.length > 0.0 ? 0 : no_advance_ + 1;
    failures_ = failures - failures_before_;
  }

  /// Returns true now and then during a series of tiny steps, more and more rarely.
  bool search_ahead_is_due() {
    if (tiny_steps_ < next_search_ahead_) return false;
    next_search_ahead_ *= 2;
    return true;
  }

  Status no_longer_advances() const {
    const double t = run_.path.newest().t;
    const bool late = std::abs(t) > step_size_threshold.late * run_.span();
    const std::string diverging = diverges(run_.report);
    return {Outcome::integrator_failure,
            "the steps fell below the last digit of t = " + text(t) + ": " +
                std::to_string(step_size_threshold.no_advance) + " in a row were accepted, and t did not move" +
                (diverging.empty() ? ": rounding lies above the tolerances there, or something is too fast for t: "
                                     "loosen the tolerances, "
                                   : diverging) +
                "check units, " + (late ? "start the clock near 0, " : "") +
                "smooth what changes abruptly (dry friction at rest, stops), or make it an event" +
                near_singular_pose(run_.options, run_.report)};
  }

  ObservedRun& run_;
  const Feasibility& feasibility_;
  double tiny_step_;
  long tiny_steps_ = 0;       // in a row
  long failures_before_ = 0;  // when the tiny steps began
  long failures_ = 0;         // since then
  long no_advance_ = 0;       // steps in a row
  long next_search_ahead_ = step_size_threshold.first_search_ahead;
};

}  // namespace

std::unique_ptr<Check> make_step_size(ObservedRun& run, const CheckList& earlier) {
  return std::make_unique<StepSize>(run, earlier.get<Feasibility>());
}

}  // namespace sunlagrange::internal
