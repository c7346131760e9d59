// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/simulation/checkpoint.hpp>

#include "integrators/stepper.hpp"
#include "simulation/checks/expected_accuracy.hpp"
#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// The step that led to the newest state of the path.
struct AcceptedStep {
  /// The stepper that made the step; null for a start, or a state behind an event or a crossing.
  IntegratorStepper* stepper = nullptr;
  double length = 0.0;        ///< from the state before to this one [s]
  bool ends_at_root = false;  ///< the state is at a root, for SUNDIALS inside a longer step of the integrator
};

/// The data that the checks of one run share.
struct ObservedRun {
  SampledPath& path;                 ///< accepted states, the newest included
  const SimulationOptions& options;  ///< nothing automatic is left but gains
  Report& report;                    ///< the checks write their figures here; t_start and t_end are known

  double position_size = 0.0;  ///< natural_size() of q at the newest state that the model accepted
  double velocity_size = 0.0;  ///< the same of v

  /// True if the start has positions that are held: the others are guesses, by which one of several poses is chosen.
  bool start_is_guessed = false;

  /// The reason to end the run at the newest state; empty: it continues.
  std::optional<Status> stop_reason = {};
  /// True if the newest state is no state of the mechanism.
  bool newest_rejected = false;

  /// Asks for the end of the run at the newest state. The first reason counts. The events at this state are handled and
  /// recorded all the same, and one that ends the run as well takes precedence.
  void stop(Status reason) {
    if (!stop_reason) stop_reason = std::move(reason);
  }
  /// Asks for the end of the run because the newest state is no state of the mechanism. No events are handled there.
  void reject(Status reason) {
    if (!newest_rejected) stop_reason = std::move(reason);
    newest_rejected = true;
  }

  double span() const { return report.t_end - report.t_start; }
};

/// A check watches a run and judges one of its properties. It observes every accepted state, writes its figures into
/// the report, and compares them at the end with the accuracy that the formulation promised. A check is one source file
/// of this folder and one line of checks.inc; CONTRIBUTING.md has the recipe. Its thresholds stand in one struct, each
/// with its reason. A check can end the run (ObservedRun::stop), change the outcome (finish) and give doubts (judge).
///
///     class LongestStep final : public Check {
///      public:
///       explicit LongestStep(ObservedRun& run) : run_(run) {}
///       void observe(const AcceptedStep& step) override { longest_ = std::max(longest_, step.length); }
///       void judge(const ExpectedAccuracy& /*expected*/, Doubts& doubts) const override {
///         doubts.add_if_above(DoubtKind("longest_step"), longest_ / run_.span(), 0.5,
///                             "one step is half of the run: give max_step");
///       }
///       void describe(Figures& state) override { state("longest", longest_, "s", "longest step"); }
///      private:
///       ObservedRun& run_;
///       double longest_ = 0.0;
///     };
class Check {
 public:
  Check() = default;
  virtual ~Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  /// The motion starts again, perhaps with other active constraints: after an event, with other inputs, or resumed.
  /// The path is empty; observe() of the new state follows.
  /// @param event_work  energy that velocity jumps brought in [J]
  virtual void restart(double /*event_work*/) {}

  /// A new integrator starts from (q, v), whose state is the newest of the path.
  virtual void begin_segment(IntegratorStepper& /*stepper*/, const double* /*q*/, const double* /*v*/) {}

  /// Called once for every state that the path has accepted. May ask for the end of the run, ObservedRun::stop().
  virtual void observe(const AcceptedStep& /*step*/) {}

  /// Called once after the last state. Not called if the run could not start or an exception ended it. Completes the
  /// figures and may change the outcome.
  virtual void finish(Status& /*status*/) {}

  /// Adds doubts about a run that finished. The counts of the report are complete.
  virtual void judge(const ExpectedAccuracy& /*expected*/, Doubts& /*doubts*/) const {}

  /// Visits what a checkpoint has to keep besides the figures of the report: numbers, flags and vectors.
  virtual void describe(Figures& /*state*/) {}
};

/// All checks of a run, in the order of checks.inc.
class CheckList {
 public:
  void add(const char* name, std::unique_ptr<Check> check) {
    if (check != nullptr) checks_.push_back({name, std::move(check)});
  }

  template <class Work>
  void for_each(Work&& work) const {
    for (const Entry& entry : checks_) work(*entry.check);
  }

  /// @return the check of this type, which must be in the list
  template <class T>
  T& get() const {
    for (const Entry& entry : checks_) {
      if (auto* found = dynamic_cast<T*>(entry.check.get())) return *found;
    }
    throw Error("checks.inc: a check that another one reads is missing, or stands behind it");
  }

  std::map<std::string, CheckState> save() const;
  void restore(std::map<std::string, CheckState> states) const;

 private:
  struct Entry {
    const char* name;
    std::unique_ptr<Check> check;
  };
  std::vector<Entry> checks_;
};

/// Makes the checks of a run. Those that do not apply to it are left out. `run` must outlive the list.
CheckList make_checks(ObservedRun& run);

}  // namespace sunlagrange::internal
