#pragma once

#include "events/runner.hpp"
#include "simulation/error_law_watch.hpp"
#include "simulation/monitor.hpp"
#include "simulation/monitoring_clock.hpp"

namespace sunlagrange::internal {

/// AtSingularity::stop found this one.
Status stopped_at(const RankEvent& event);

/// Recognises a crawl: tiny steps, one after the other. With recoverable failures (lost rank, declined points) again
/// and again it is a stall: CVODE never gives up there, because each tiny step succeeds after a few attempts. Without,
/// it may be a fast part of the motion, or the edge behind which the constraints cannot be met.
class StallDetector {
 public:
  explicit StallDetector(double t_span) : tiny_step_(1e-8 * t_span) {}

  /// After every accepted step.
  void note(IntegratorStepper& stepper, double step);

  bool stalled() const { return tiny_steps_ >= 20 && failures_ >= 10; }

  /// Accepted steps in a row that are too short to change t. An integrator may double its step after each: it does not.
  static constexpr int most_without_advance = 100;
  bool time_no_longer_advances() const { return steps_without_advance_ >= most_without_advance; }

  /// True now and then during a crawl, more and more rarely: it is time to see what lies ahead.
  bool look_ahead();

 private:
  static constexpr long first_look = 50;

  double tiny_step_;
  long failures_before_ = 0;  // when the tiny steps began
  long failures_ = 0;         // since
  long tiny_steps_ = 0;
  long steps_without_advance_ = 0;
  long look_at_ = first_look;
};

/// The accepted steps of one integrator, from where it starts to the end of the run or to what changes the motion: an
/// event, an input, a singular configuration that is crossed.
class IntegrationSegment {
 public:
  /// @param stepper  starts from events.restart_state()
  IntegrationSegment(IntegratorStepper& stepper, RunMonitor& monitor, EventRunner& events,
                     const SimulationOptions& options, Simulation& run);

  enum class Next {
    step,     ///< the next one
    repeat,   ///< the last one was not accepted: restart, from where it began
    restart,  ///< the run goes on from events.restart_state() with a new integrator
    end,      ///< t_end is reached, or Simulation::status says why not
  };

  /// One accepted step and everything that is looked at after it, or the reason why there is none.
  /// @param t_stop  it does not go beyond
  Next step(double t_stop);

  /// The last step ended inside a longer one of the integrator, which the next one completes.
  bool inside_a_step() const { return at_root_; }

 private:
  bool infeasible_ahead(const std::string& what_happened);
  bool hides_roots();
  Next look_at_accepted();
  bool check_stall();

  IntegratorStepper& stepper_;
  RunMonitor& monitor_;
  EventRunner& events_;
  const SimulationOptions& o_;
  Simulation& run_;
  double span_;
  long steps_before_;
  double t_, t_stop_;
  Eigen::VectorXd q_, v_, a_;
  bool a_known_ = false;
  bool first_ = true;
  bool at_root_ = false;
  double last_step_ = 0.0;
  MonitoringClock clock_;
  StallDetector stall_;
  ErrorLawWatch error_law_;
};

}  // namespace sunlagrange::internal
